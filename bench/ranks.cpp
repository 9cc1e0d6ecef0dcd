// A sort over the ranks of MPI_COMM_WORLD, as many as mpirun starts, in host memory: n keys in all, in equal parts; a
// single rank sorts without a communicator. Also measures how the time is divided between sorting the parts, finding
// splitters, exchanging elements and merging. Rank 0 prints a table to standard output: medians of runs, results
// checked.
//   mpirun -n RANKS gpupar_bench_ranks [LOG2_N [THREADS OF A RANK]]
#include <gpu/distributed.hpp>
#include <gpu/mpi.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <oneapi/tbb/global_control.h>

#include "scaling.hpp"

namespace {

using bench::median;
using bench::print_row;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// Forwards to another communicator and measures how long the calls of this rank take.
class timed_communicator final : public gpu::communicator {
 public:
  explicit timed_communicator(gpu::communicator& ranks) : ranks_{ranks} {}

  std::size_t rank() const noexcept override { return ranks_.rank(); }
  std::size_t size() const noexcept override { return ranks_.size(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override { ranks_.all_gather(mine, bytes, all); }
  void all_to_all(const void* to, std::size_t bytes, void* from) override {
    if (!searching_) search_start_ = clock::now();
    searching_ = true;
    ranks_.all_to_all(to, bytes, from);
  }
  void exchange(const gpu::exchanged_bytes& what) override {
    const auto start = clock::now();
    sorted_ = std::chrono::duration<double>(search_start_ - begin_).count();
    searched_ = std::chrono::duration<double>(start - search_start_).count();
    ranks_.exchange(what);
    carried_ = seconds_since(start);
    carried_at_ = clock::now();
  }

  void begin() {
    searching_ = false;
    begin_ = clock::now();
  }
  /// Seconds spent on sorting, splitters, exchange and merging since begin().
  [[nodiscard]] std::array<double, 4> phases() const {
    return {sorted_, searched_, carried_, seconds_since(carried_at_)};
  }

 private:
  gpu::communicator& ranks_;
  bool searching_ = false;
  clock::time_point begin_, search_start_, carried_at_;
  double sorted_ = 0, searched_ = 0, carried_ = 0;
};

template <class Key>
bool measure(gpu::communicator& ranks, const char* what, std::size_t n) {
  const std::size_t p = ranks.size(), mine = n * (ranks.rank() + 1) / p - n * ranks.rank() / p;
  const auto keys = bench::random_keys<Key>(mine, ranks.rank() + 1);
  std::vector<Key> values;
  std::vector<double> seconds;
  std::array<std::vector<double>, 4> phases;
  for (int run = 0; run < bench::runs; ++run) {
    values = keys;
    timed_communicator timed{ranks};
    MPI_Barrier(MPI_COMM_WORLD);
    timed.begin();
    const auto start = clock::now();
    if (p == 1)
      gpu::sort(gpu::par, values);
    else
      gpu::sort(gpu::par.over(timed), values);
    const auto of_run = timed.phases();
    MPI_Barrier(MPI_COMM_WORLD);
    seconds.push_back(seconds_since(start));
    for (std::size_t i = 0; i < phases.size(); ++i) phases[i].push_back(of_run[i]);
  }
  if (ranks.rank() == 0) {
    print_row(what, p, sizeof(Key), n, median(seconds), "G keys/s", static_cast<double>(n));
    constexpr std::array names{"sort of the parts", "splitters", "exchange", "merge"};
    for (std::size_t i = 0; p > 1 && i < names.size(); ++i)
      print_row(names[i], p, sizeof(Key), n, median(phases[i]), "G keys/s", static_cast<double>(n));
  }
  return gpu::is_sorted(gpu::par.over(ranks), values);
}

}  // namespace

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  const int log2_n = argument_count > 1 ? std::atoi(arguments[1]) : 24;
  const int threads = argument_count > 2 ? std::atoi(arguments[2]) : 0;
  bool right = log2_n >= 10 && log2_n <= 36;
  {
    std::unique_ptr<tbb::global_control> limit;
    if (threads > 0)
      limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(threads));
    gpu::mpi_communicator ranks{MPI_COMM_WORLD};
    const std::size_t n = std::size_t{1} << log2_n;
    right = right && measure<std::uint32_t>(ranks, "strong", n);
    right = right && measure<std::uint64_t>(ranks, "strong", n);
    if (ranks.size() > 1) right = right && measure<std::uint32_t>(ranks, "weak", n * ranks.size());
  }
  MPI_Finalize();
  if (!right)
    std::fprintf(stderr, "gpupar_bench_ranks [LOG2_N [THREADS]]: a result is not sorted, or a wrong argument\n");
  return right ? 0 : 1;
}
