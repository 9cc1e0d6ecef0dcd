// Calls that are captured in graphs: their results at every launch, next to other threads, and in memory that the graph
// owns.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "cuda_stream.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

std::uint64_t results = 0, wrong_results = 0;

void expect_sorted(const std::string& problem, const std::string& what) {
  ++results, wrong_results += !problem.empty();
  expect_none(problem, what);
}

/// What the calls in a graph read and write.
class graph_arrays {
 public:
  explicit graph_arrays(std::size_t count) : count_{count} {}

  template <class Policy>
  void call_everything(const Policy& policy) const {
    gpu::argsort(policy, view(keys_), view(places_));
    gpu::sort(policy, view(keys_), std::greater<>{});
    gpu::stable_sort(policy, gpu::device_span{records_.data(), count_}, {}, &record8::key);
    gpu::stable_sort_by_key(policy, view(key_column_), view(values_));
    const auto sorted = view(key_column_);
    gpu::merge(policy, sorted, sorted, merged_.data());
    const std::array<std::span<std::uint32_t>, 3> parts{sorted.first(count_ / 2), sorted, sorted.subspan(count_ / 2)};
    gpu::multiway_merge(policy, parts, merged_by_three_.data());
  }

  void refill(const std::vector<std::uint32_t>& keys) {
    keys_.refill(keys);
    key_column_.refill(keys);
    records_.refill(with_index(keys));
    std::vector<std::uint32_t> indices(count_);
    std::iota(indices.begin(), indices.end(), 0u);
    values_.refill(indices);
  }

  void check_results(const std::vector<std::uint32_t>& keys, const std::string& what) const {
    auto rows = with_index(keys);
    expect_sorted(sort_problem(keys, keys_.fetch(), natural_greater{}), what);
    const auto less = by(natural_less{}, &record8::key);
    expect_sorted(stable_sort_problem(rows, records_.fetch(), less), what + ", records");
    std::stable_sort(rows.begin(), rows.end(), less);
    std::vector<std::uint32_t> sorted, places, twice;
    for (const auto& row : rows) {
      sorted.push_back(row.key);
      places.push_back(row.index);
      twice.insert(twice.end(), 2, row.key);
    }
    expect_sorted(difference(sorted, key_column_.fetch()), what + ", keys of rows");
    expect_sorted(difference(places, values_.fetch()), what + ", values of rows");
    expect_sorted(difference(places, places_.fetch()), what + ", argsort");
    expect_sorted(difference(twice, merged_.fetch()), what + ", merge");
    expect_sorted(difference(twice, merged_by_three_.fetch()), what + ", multiway_merge");
  }

 private:
  using array = storage<std::uint32_t>;

  [[nodiscard]] static gpu::device_span<std::uint32_t> view(const array& stored) {
    return {stored.data(), stored.size()};
  }
  [[nodiscard]] static array blank(std::size_t n) { return {memory::device, std::vector<std::uint32_t>(n)}; }

  std::size_t count_;
  array keys_ = blank(count_), key_column_ = blank(count_), values_ = blank(count_), places_ = blank(count_);
  array merged_ = blank(2 * count_), merged_by_three_ = blank(2 * count_);
  storage<record8> records_{memory::device, std::vector<record8>(count_)};
};

}  // namespace

TEST_CASE("graphs: what is captured in a graph does its work on new data at every launch") {
  if (no_device("graphs")) return;
  for (const std::size_t count : tried({1000, 40'000, 300'000, 1'500'000})) {
    graph_arrays arrays{count};
    const stream order;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    arrays.call_everything(gpu::par);  // loads the kernels
    check(cudaStreamBeginCapture(order.get(), cudaStreamCaptureModeThreadLocal));
    arrays.call_everything(gpu::par_nosync.on(order.get()));
    check(cudaStreamEndCapture(order.get(), &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (std::uint64_t round = 0; round < (reduced() ? 2 : 4); ++round) {
      const distribution shape = all_distributions()[round * 5];
      const auto keys = make_keys<std::uint32_t>(shape, count, round);
      arrays.refill(keys);
      check(cudaGraphLaunch(executable, order.get()));
      check(cudaStreamSynchronize(order.get()));
      arrays.check_results(keys, shape.name + ", " + std::to_string(count));
    }
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  }
}

TEST_CASE("graphs: one thread sorts while another captures in global mode") {
  if (no_device("graphs")) return;
  const std::size_t n = 3'000'000;
  const auto keys = make_keys<std::uint32_t>(n);
  const storage<std::uint32_t> captured{memory::device, keys}, other{memory::device, keys};
  const stream recording, sorting;
  gpu::sort(gpu::par.on(recording.get()), gpu::device_span{captured.data(), n});  // loads the kernels
  gpu::release_memory();
  cudaGraph_t graph = nullptr;
  std::string refused;
  check(cudaStreamBeginCapture(recording.get(), cudaStreamCaptureModeGlobal));
  std::thread{[&] {
    try {
      gpu::sort(gpu::par.on(sorting.get()), gpu::device_span{other.data(), n});
    } catch (const std::exception& thrown) {
      refused = thrown.what();
    }
  }}.join();
  gpu::sort(gpu::par_nosync.on(recording.get()), gpu::device_span{captured.data(), n}, std::greater<>{});
  expect(cudaStreamEndCapture(recording.get(), &graph) == cudaSuccess, "the capture goes on");
  expect_none(refused, "the other thread's sort");
  expect_sorted(sort_problem(keys, other.fetch(), natural_less{}), "sorted meanwhile");
  check(cudaGraphDestroy(graph));
}

TEST_CASE("graphs: memory that a graph allocates is sorted there") {
  if (no_device("graphs")) return;
  for (const std::size_t n : tried({10, 1000, 100'000})) {
    const auto keys = make_keys<std::uint32_t>(n);
    const storage<std::uint32_t> source{memory::device, keys}, result{memory::device, keys};
    const std::size_t bytes = n * sizeof(keys[0]);
    const stream order;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    std::uint32_t* data = nullptr;
    check(cudaStreamBeginCapture(order.get(), cudaStreamCaptureModeThreadLocal));
    check(cudaMallocAsync(reinterpret_cast<void**>(&data), bytes, order.get()));
    check(cudaMemcpyAsync(data, source.data(), bytes, cudaMemcpyDeviceToDevice, order.get()));
    gpu::sort(gpu::par_nosync.on(order.get()), gpu::device_span{data, n}, std::greater<>{});
    gpu::sort(gpu::par_nosync.on(order.get()), data, data + n);
    check(cudaMemcpyAsync(result.data(), data, bytes, cudaMemcpyDeviceToDevice, order.get()));
    check(cudaFreeAsync(data, order.get()));
    check(cudaStreamEndCapture(order.get(), &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 0; round < 2; ++round) check(cudaGraphLaunch(executable, order.get()));
    check(cudaStreamSynchronize(order.get()));
    expect_sorted(sort_problem(keys, result.fetch(), natural_less{}), std::to_string(n) + " in a graph's memory");
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  }
}

TEST_CASE("graphs: figures") {
  if (results == 0) return;
  figure("results of calls in graphs", results);
  figure("results of calls in graphs wrong", wrong_results);
}
