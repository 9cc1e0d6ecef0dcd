// Plans of selections on the device; selections of more keys than it holds at once, and in a graph.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;

TEST_CASE("selection: plans tell what bounds the wanted element, and how often all are read") {
  if (gpu::device_count() == 0) return skip("no device");
  using namespace gpu::detail;
  const storage<std::uint32_t> data{memory::device, std::vector<std::uint32_t>(1)};
  workload work;
  work.way = device_way::precompiled, work.at = locate(data.data());
  work.count = std::size_t{1} << 26, work.element_bytes = 4;
  work.key = {key_class::unsigned_integer, 4, 0, false};
  work.key_is_element = true;
  const auto tells = [&](operation what, std::size_t selected, std::string_view words) {
    work.what = what, work.selected = selected;
    const std::string remark{gpu::detail::choose(work, {}).remark};
    expect(remark.find(words) != std::string::npos, remark + ", but not " + std::string{words});
  };
  tells(operation::top_k, 1000, "all are read once");
  tells(operation::top_k, work.count / 2, "copies of a part are sorted");
  tells(operation::arg_top_k, work.count / 2, "all are sorted");
  tells(operation::nth_element, work.count / 2, "written once");
  tells(operation::nth_element, 1000, "change places");
  tells(operation::partial_sort, 1000, "a part is sorted");
  work.count = std::size_t{1} << 20;  // the device holds all of them at once
  tells(operation::top_k, 1000, "a bound from a sample");
  tells(operation::top_k, work.count / 2, "counted by their digits");
  tells(operation::arg_top_k, work.count / 4, "counted by their digits");
  tells(operation::arg_top_k, work.count / 4 + 1, "all are sorted");
  tells(operation::nth_element, work.count / 2, "counted by their digits");
  tells(operation::partial_sort, work.count / 16, "counted by their digits");
  tells(operation::partial_sort, work.count / 16 + 1, "all are sorted");
  work.count = std::size_t{1} << 26;
  work.way = device_way::instantiated, work.key = {};
  tells(operation::top_k, 1000, "comparing sorts");
  tells(operation::nth_element, 1000, "a part is sorted");
  tells(operation::nth_element, work.count / 2, "written once");
  tells(operation::partial_sort, work.count / 8, "written once, and a part is sorted");
  tells(operation::partial_sort, work.count / 2, "all are sorted");
  tells(operation::top_k, work.count / 2, "all are sorted");
}

TEST_CASE("selection: host data pass a small device once, a window at a time") {
  if (gpu::device_count() == 0) return skip("no device");
  constexpr std::size_t n = 700'001, limit = std::size_t{1} << 20;
  const auto keys = make_special_keys<float>(n);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return natural_less{}(keys[b], keys[a]); });
  const auto policy = gpu::par.require_device().with_memory_limit(limit);
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = i * 3;
  for (const std::size_t k : tried({1, 100, 2000})) {
    const std::string name = std::to_string(k);
    std::vector<float> first;
    for (std::size_t i = 0; i < k; ++i) first.push_back(keys[order[i]]);
    std::vector<float> best(k);
    std::vector<std::uint32_t> places(k);
    std::vector<std::uint64_t> brought(k);
    gpu::top_k(policy, keys, best);
    expect_none(difference(first, best), name + ": top_k");
    gpu::arg_top_k(policy, keys, places);
    expect_none(
        difference(std::vector<std::uint32_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)), places),
        name + ": arg_top_k");
    best.assign(k, 0.0f);
    gpu::top_k_by_key(policy, keys, best, values, brought);
    expect_none(difference(first, best), name + ": top_k_by_key, keys");
    for (std::size_t i = 0; i < k; ++i) expect(brought[i] == order[i] * std::uint64_t{3}, name + ": values");
  }
  std::vector<float> too_many(n / 2);
  try {
    gpu::top_k(policy, keys, too_many);
    expect(false, "no room for what is selected");
  } catch (const std::bad_alloc&) {
  }
}

TEST_CASE("selection: in a graph") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({2000, 300'000, 5'000'000})) {
    const std::size_t k = n / 50;
    storage<std::uint32_t> input{memory::device, make_keys<std::uint32_t>(n)};
    const storage<std::uint32_t> output{memory::device, std::vector<std::uint32_t>(k)};
    cudaStream_t stream = nullptr;
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "capture");
    gpu::top_k(gpu::par_nosync.on(stream), gpu::device_span{input.data(), n}, gpu::device_span{output.data(), k});
    expect(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "captured");
    expect(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess, "instantiated");
    for (const std::uint64_t variant : {1, 2}) {
      auto keys = make_keys<std::uint32_t>(variant == 1 ? uniform : few_values, n, variant);
      input.refill(keys);
      expect(cudaGraphLaunch(executable, stream) == cudaSuccess, "launched");
      expect(cudaStreamSynchronize(stream) == cudaSuccess, "done");
      std::sort(keys.begin(), keys.end(), std::greater{});
      keys.resize(k);
      expect_none(difference(keys, output.fetch()), "graph of " + std::to_string(n));
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}
