#include "overlapped_sort.hpp"

#include <gpu/detail/device/launching/call.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "device_rows.hpp"
#include "merge_windows.hpp"

namespace gpu::inline v1::detail::device {
namespace {

// Sorting is faster than the upload, so only the last run delays the end: runs become smaller towards it.
constexpr std::size_t eighths = 8;
constexpr std::array<std::size_t, 5> run_bounds{0, 4, 6, 7, eighths};
constexpr std::size_t runs = run_bounds.size() - 1;

// Merging is several times faster than the download, so each part of the output can be that much larger than the one
// before, and the first one small.
constexpr std::size_t shares = 32;
constexpr std::array<std::size_t, 4> part_bounds{0, 1, 6, shares};
constexpr std::size_t parts = part_bounds.size() - 1;

std::size_t run_bound(std::size_t n, std::size_t run) {
  return n / eighths * run_bounds[run] + (run == runs ? n % eighths : 0);
}

class overlapped_sorter {
 public:
  overlapped_sorter(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                    const run_steps& steps)
      : here_{options, location{}},
        work_{here_.work()},
        steps_{steps},
        n_{n},
        on_host_{columns},
        rows_{on_own_stream(), columns, n},
        merged_{work_, columns, n} {}

  /// Enqueues all work of the device; leaves the host data unchanged.
  void sort() {
    device::wait(here_.work().stream);  // earlier work may still write the data
    device::wait(stream());             // the memory is allocated now
    sort_runs();
    cut_parts();
    merge_parts();
  }

  void fetch() {
    std::vector<segment> copies;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = part_begin(part);
      add_segments(copies, rows_from(merged_.columns(), begin), rows_from(on_host_, begin),
                   part_begin(part + 1) - begin, ready_[part].get());
    }
    copies_.download(copies);
    copies_.wait();
  }

 private:
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  const context& on_own_stream() {
    work_.stream = stream();
    return work_;
  }

  /// Uploads the runs and sorts each once it is there; the thread that enqueues a run's last rows enqueues the sort.
  void sort_runs() {
    std::vector<segment> copies;
    for (std::size_t run = 0; run < runs; ++run)
      add_segments(copies, run_rows(run), rows_from(on_host_, run_bound(n_, run)), rows_in(run));
    copies_.upload(copies, [&](std::size_t arrived) {
      const std::size_t columns = on_host_.size();
      if ((arrived + 1) % columns != 0) return;  // other columns of the run are still to come
      const std::size_t run = arrived / columns;
      uploaded_[run].record(copies_.stream());
      check(cudaStreamWaitEvent(stream(), uploaded_[run].get()));
      steps_.sort(work_, run_rows(run), rows_in(run));
    });
  }

  [[nodiscard]] std::vector<column> run_rows(std::size_t run) const {
    return rows_from(rows_.columns(), run_bound(n_, run));
  }
  [[nodiscard]] std::size_t rows_in(std::size_t run) const { return run_bound(n_, run + 1) - run_bound(n_, run); }

  /// Finds how many rows of each run precede each share of the output; waits for the runs.
  void cut_parts() {
    share_ = (n_ + shares - 1) / shares;
    std::vector<merge_input> pieces;
    for (std::size_t run = 0; run < runs; ++run) {
      pieces.push_back({run_rows(run)[0].data, rows_in(run)});
      cuts_[shares * runs + run] = pieces.back().count;
    }
    steps_.cut(work_, pieces, share_, shares, cuts_.data());
  }

  void merge_parts() {
    std::vector<std::size_t> taken(runs);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = part_begin(part);
      sorted_pieces pieces;
      pieces.counts = rows_of_part(part, taken);
      pieces.outputs = rows_from(merged_.columns(), begin);
      for (std::size_t run = 0; run < runs; ++run) {
        for (const column& each : rows_from(rows_.columns(), run_bound(n_, run) + taken[run]))
          pieces.inputs.push_back(each.data);
        taken[run] += pieces.counts[run];
      }
      steps_.merge(work_, pieces);
      ready_[part].record(stream());
    }
  }

  [[nodiscard]] std::size_t part_begin(std::size_t part) const { return std::min(n_, part_bounds[part] * share_); }

  /// How many rows of each run go to a part, given how many went to the parts before.
  [[nodiscard]] std::vector<std::size_t> rows_of_part(std::size_t part, const std::vector<std::size_t>& taken) const {
    const std::size_t rows = part_begin(part + 1) - part_begin(part);
    std::vector<std::size_t> counts;
    std::vector<std::size_t> left;
    bool rising = true;
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t cut = cuts_[part_bounds[part + 1] * runs + run];
      rising &= cut >= taken[run];
      counts.push_back(cut - taken[run]);
      left.push_back(rows_in(run) - taken[run]);
    }
    if (rising && sum_of(counts) == rows) return counts;
    return take_in_order(left, rows);  // the comparator is inconsistent
  }

  call here_;
  own_stream stream_;  // usable by any thread, as a caller's stream need not be
  context work_;
  const run_steps& steps_;
  std::size_t n_;
  std::vector<column> on_host_;
  device_rows rows_;
  device_rows merged_;
  std::size_t share_ = 0;
  std::array<std::size_t, (shares + 1) * runs> cuts_{};
  std::array<own_event, runs> uploaded_;
  std::array<own_event, parts> ready_;
  transfers copies_;  // up first, then down
};

}  // namespace

bool overlapped_sort(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                     const run_steps& steps) {
  std::optional<overlapped_sorter> sorter;
  try {
    sorter.emplace(options, columns, n, steps);
    sorter->sort();
  } catch (const std::bad_alloc&) {
    return false;
  }
  sorter->fetch();
  return true;
}

std::size_t overlapped_sort_bytes(const std::vector<column>& columns, std::size_t n, const run_steps& steps) {
  const std::size_t largest_run = n / eighths * run_bounds[1];
  const std::size_t largest_part = n;
  return 2 * device_rows::bytes_for(columns, n) +
         std::max(steps.sort_bytes(largest_run), steps.merge_bytes(largest_part, runs));
}

}  // namespace gpu::inline v1::detail::device
