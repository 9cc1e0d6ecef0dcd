// External merge sort. Runs that fit the device are sorted there; then up to 64 of them at a time are merged in windows
// of the output. A sample of every run, every k-th element, bounds how far into the runs a window can reach; the rows
// up to there are uploaded, and multiway selection on the device cuts them exactly (Leischner, paper 001, chapter 5;
// Knuth, The Art of Computer Programming 3, section 5.4, for external sorting by merging). Where the memory cannot hold
// the samples of all rows, the output is made in parts, each with samples of its own.
#include "external_sort.hpp"

#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/host/executor.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include <gpu/detail/host/buffer.hpp>
#include "../host/memory.hpp"
#include "current_device.hpp"
#include "device_rows.hpp"
#include "external_sizes.hpp"
#include "merge_windows.hpp"

namespace gpu::inline v1::detail::device {
namespace {

/// Passes items through upload(i), work(i), which only enqueues, and download(i), with all three overlapping.
template <class Upload, class Work, class Download>
void pipeline(const context& context, std::size_t items, const Upload& upload, const Work& work,
              const Download& download) {
  constexpr std::size_t behind = 2;
  for (std::size_t i = 0; i < items + behind; ++i) {
    const auto next = [&] {
      const current_device here{context.device.ordinal};  // the executor's threads have their own
      if (i < items) upload(i);
    };
    const auto last = [&] {
      const current_device here{context.device.ordinal};
      if (i >= behind) download(i - behind);
    };
    host::fork_join(next, last);
    if (i < items) work(i);
  }
}

/// Pieces with these numbers of rows, one after the other in the columns.
sorted_pieces pieces_of(const std::vector<column>& columns, const std::vector<std::size_t>& counts) {
  sorted_pieces pieces{{}, counts, {}};
  std::size_t at = 0;
  for (const std::size_t count : counts) {
    for (const column& each : rows_from(columns, at)) pieces.inputs.push_back(each.data);
    at += count;
  }
  return pieces;
}

/// Columns on the host: those of the data, or the spare ones.
using host_columns = std::vector<column>;

class external_sorter {
 public:
  external_sorter(const execution_options& options, const host_columns& data, std::size_t n, const run_steps& steps,
                  std::size_t memory)
      : here_{options, location{}},
        steps_{steps},
        progress_{options.progress},
        n_{n},
        sizes_{data, n, steps, memory},
        data_{data},
        spare_{data} {
    for (column& each : spare_) {
      memory_.emplace_back(n * each.element_bytes);
      each.data = memory_.back().data();
    }
    device::wait(work().stream);  // work before this call may write the data
  }

  void sort() {
    // The last level ends in the data, the one before it in the spare memory, …
    const bool in_place = sizes_.levels % 2 == 0;
    form_runs(in_place ? data_ : spare_);
    try {
      bool from_spare = !in_place;
      for (std::size_t level = 0; level < sizes_.levels; ++level, from_spare = !from_spare) {
        complete_in_spare_ = from_spare;
        merge_level(from_spare ? spare_ : data_, from_spare ? data_ : spare_);
      }
    } catch (...) {
      if (complete_in_spare_)
        for (std::size_t c = 0; c < data_.size(); ++c)
          std::memcpy(data_[c].data, spare_[c].data, n_ * data_[c].element_bytes);
      throw;
    }
  }

 private:
  [[nodiscard]] const context& work() const { return here_.work(); }

  /// Reports progress to the listener: `rows` more rows have gone through the device.
  void advance(std::size_t rows) {
    done_ += static_cast<double>(rows);
    const double all = static_cast<double>(n_) * static_cast<double>(sizes_.levels + 1);
    if (done_ < all) progress_(done_ / all);
  }

  /// Makes the pages of the spare memory present, by some threads while others copy: a download into new memory would
  /// wait for every page.
  void make_spare_present() {
    constexpr std::size_t threads = 4;  // as fast as runs are formed; more would take cores from the copies
    constexpr std::size_t portion = std::size_t{8} << 20;
    for (host::buffer<std::byte>& memory : memory_) {
      std::atomic<std::size_t> next{0};
      host::for_each_index(threads, [&](std::size_t) {
        for (std::size_t at; (at = next.fetch_add(portion)) < memory.size();)
          host::make_present(memory.data() + at, std::min(portion, memory.size() - at));
      });
    }
  }

  void form_runs(const host_columns& target) {
    std::array<std::unique_ptr<device_rows>, run_slots> slots;
    for (auto& slot : slots) slot = std::make_unique<device_rows>(work(), data_, sizes_.run);
    device::wait(work().stream);  // the slots are there
    std::array<own_event, run_slots> sorted;
    transfers up, down;
    const own_event uploaded;
    const auto rows_of = [&](std::size_t i) { return std::min(sizes_.run, n_ - i * sizes_.run); };
    const auto copies_of = [&](std::size_t i, const host_columns& on_host, cudaEvent_t ready) {
      std::vector<segment> copies;
      add_segments(copies, slots[i % run_slots]->columns(), rows_from(on_host, i * sizes_.run), rows_of(i), ready);
      return copies;
    };
    const auto form = [&] {
      const current_device here{work().device.ordinal};
      pipeline(
          work(), sizes_.runs, [&](std::size_t i) { up.upload(copies_of(i, data_, nullptr)); },
          [&](std::size_t i) {
            uploaded.record(up.stream());
            check(cudaStreamWaitEvent(work().stream, uploaded.get()));
            steps_.sort(work(), slots[i % run_slots]->columns(), rows_of(i));
            sorted[i % run_slots].record(work().stream);
            advance(rows_of(i));
          },
          [&](std::size_t i) {
            down.download(copies_of(i, target, sorted[i % run_slots].get()));
            down.wait();
          });
    };
    // Page-locked memory is not allocated while other threads make pages present: both would wait for each other all
    // the time.
    up.make_ready(copies_of(0, data_, nullptr));
    down.make_ready(copies_of(0, target, nullptr));
    host::fork_join([&] { make_spare_present(); }, form);
    for (std::size_t i = 0; i <= sizes_.runs; ++i) bounds_.push_back(std::min(i * sizes_.run, n_));
  }

  /// Merges the runs of `from` in groups; each group becomes a run of `to`.
  void merge_level(const host_columns& from, const host_columns& to) {
    const std::size_t runs = bounds_.size() - 1;
    const std::size_t groups = (runs + sizes_.pieces - 1) / sizes_.pieces;
    std::vector<std::size_t> merged{0};
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t first = runs * group / groups;
      const std::size_t last = runs * (group + 1) / groups;
      merge_group({bounds_.begin() + static_cast<std::ptrdiff_t>(first),
                   bounds_.begin() + static_cast<std::ptrdiff_t>(last) + 1},
                  from, to);
      merged.push_back(bounds_[last]);
    }
    bounds_ = merged;
  }

  /// Merges runs [bounds[r], bounds[r + 1]), in as many parts as the memory requires.
  void merge_group(const std::vector<std::size_t>& bounds, const host_columns& from, const host_columns& to) {
    run_parts left{{bounds.begin(), bounds.end() - 1}, {bounds.begin() + 1, bounds.end()}};
    const std::size_t most_samples = std::max(least_samples_per_run * sizes_.pieces,
                                              merge_windows::samples(sizes_.part, sizes_.pieces, sizes_.window));
    for (std::size_t at = bounds.front(); at < bounds.back(); at += sizes_.part) {
      run_parts part = left;
      if (left.rows() > sizes_.part) part.ends = cut_runs(work(), steps_, from[0], left, sizes_.part, most_samples);
      merge_part(part, from, rows_from(to, at));
      left.begins = part.ends;
    }
  }

  void merge_part(const run_parts& part, const host_columns& from, const host_columns& to);
  void cut_window(sorted_pieces& pieces, std::size_t rows) const;

  call here_;
  const run_steps& steps_;
  progress_listener progress_;
  std::size_t n_;
  external_sizes sizes_;
  host_columns data_;
  host_columns spare_;
  std::vector<host::buffer<std::byte>> memory_;
  std::vector<std::size_t> bounds_;  ///< run i is [bounds_[i], bounds_[i + 1])
  bool complete_in_spare_ = false;
  double done_ = 0;
};

void external_sorter::merge_part(const run_parts& part, const host_columns& from, const host_columns& to) {
  merge_windows windows{work(), steps_, part, from[0], sizes_.window};
  const std::size_t runs = part.count();
  std::array<std::unique_ptr<device_rows>, window_slots> inputs, outputs;
  for (auto& slot : inputs) slot = std::make_unique<device_rows>(work(), data_, sizes_.window);
  for (auto& slot : outputs) slot = std::make_unique<device_rows>(work(), data_, sizes_.window);
  device::wait(work().stream);  // the slots are there
  std::array<own_event, window_slots> merged;
  transfers up, down;
  const own_event uploaded;
  std::vector<std::size_t> counts;  // rows of each run that were uploaded last
  pipeline(
      work(), windows.count(),
      [&](std::size_t w) {
        check(cudaStreamWaitEvent(up.stream(), merged[w % window_slots].get()));  // the slot's last input is merged
        counts = windows.rows_within_reach(w);
        std::vector<segment> copies;
        std::size_t at = 0;
        for (std::size_t r = 0; r < runs; at += counts[r++])
          add_segments(copies, rows_from(inputs[w % window_slots]->columns(), at), rows_from(from, windows.position(r)),
                       counts[r]);
        up.upload(copies);
        up.wait();
      },
      [&](std::size_t w) {
        sorted_pieces pieces = pieces_of(inputs[w % window_slots]->columns(), counts);
        pieces.outputs = outputs[w % window_slots]->columns();
        cut_window(pieces, windows.rows(w));
        windows.move_on(pieces.counts);
        if (windows.rows(w) > 0) steps_.merge(work(), pieces);
        merged[w % window_slots].record(work().stream);
        advance(windows.rows(w));
      },
      [&](std::size_t w) {
        std::vector<segment> copies;
        add_segments(copies, outputs[w % window_slots]->columns(), rows_from(to, windows.begin(w)), windows.rows(w),
                     merged[w % window_slots].get());
        down.download(copies);
        down.wait();
      });
}

/// Reduces sorted pieces to the rows that are among the first `rows` of their merge.
void external_sorter::cut_window(sorted_pieces& pieces, std::size_t rows) const {
  if (pieces.total() == rows) return;
  std::vector<merge_input> keys;
  for (std::size_t r = 0; r < pieces.counts.size(); ++r)
    keys.push_back({pieces.inputs[r * data_.size()], pieces.counts[r]});
  const std::vector<std::size_t> cuts = cut_pieces(work(), steps_, keys, rows);
  // The sum differs only if the comparator is inconsistent.
  pieces.counts = sum_of(cuts) == rows ? cuts : take_in_order(pieces.counts, rows);
}

}  // namespace

void external_sort(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                   const run_steps& steps, std::size_t memory) {
  std::optional<external_sorter> sorter;
  try {
    sorter.emplace(options, columns, n, steps, memory);
  } catch (const std::bad_alloc&) {  // perhaps of host memory; other ways need less
    throw no_device_memory{};
  }
  sorter->sort();
}

std::size_t external_sort_bytes(const std::vector<column>& columns, std::size_t n, const run_steps& steps,
                                std::size_t memory) {
  return external_sizes{columns, n, steps, memory}.bytes;
}

}  // namespace gpu::inline v1::detail::device
