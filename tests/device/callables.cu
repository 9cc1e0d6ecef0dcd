// Comparators and projections of hundreds of bytes and more, with a table in the callable itself: compilation must end
// in reasonable time, and kernels, also in graphs, must read the callables from where they are kept.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "resources.hpp"
#include "support.hpp"

namespace {

using namespace testing;

constexpr std::size_t ranks = 700;

/// Orders keys by their ranks in a table of 2800 bytes.
struct rank_less {
  std::uint32_t rank[ranks];
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return rank[a % ranks] < rank[b % ranks];
  }
};
static_assert(sizeof(rank_less) == 2800);

/// A permutation, so that keys below `ranks` are equivalent only if they are equal.
rank_less some_ranks() {
  rank_less less{};
  for (std::size_t i = 0; i < ranks; ++i) less.rank[i] = static_cast<std::uint32_t>(i * 331 % ranks);
  return less;
}

std::vector<std::uint32_t> small_keys(std::size_t n) {
  auto keys = make_keys<std::uint32_t>(n);
  for (auto& key : keys) key %= ranks;
  return keys;
}

}  // namespace

TEST_CASE("callables: sorts by a comparator of 2800 bytes") {
  if (no_device("callables")) return;
  const rank_less less = some_ranks();
  for (const std::size_t n : {std::size_t{2}, std::size_t{1000}, std::size_t{20'000}, std::size_t{1'500'000}}) {
    const auto keys = small_keys(n);
    const storage<std::uint32_t> data{memory::device, keys};
    counting_resource resource;
    const auto policy = gpu::par.with(resource);
    const gpu::device_span span{data.data(), n};
    const std::size_t told = gpu::explain(policy, span, less).scratch_bytes;
    gpu::sort(policy, span, less);
    expect_none(sort_problem(keys, data.fetch(), less), std::to_string(n));
    expect(resource.take_peak() <= told, "explain says what is taken");
    expect(gpu::is_sorted(gpu::par, span, less), "is_sorted agrees");
    auto host = keys;
    gpu::sort(gpu::par.require_device(), host, less);
    expect_none(sort_problem(keys, host, less), std::to_string(n) + " of the host's");
  }
}

TEST_CASE("callables: places by a comparator of 2800 bytes") {
  if (no_device("callables")) return;
  const rank_less less = some_ranks();
  const auto keys = small_keys(30'000);
  std::vector<std::uint32_t> expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](auto i, auto j) { return less(keys[i], keys[j]); });
  const storage<std::uint32_t> data{memory::device, keys}, places{memory::device, keys};
  gpu::argsort(gpu::par, gpu::device_span{data.data(), keys.size()}, gpu::device_span{places.data(), keys.size()},
               less);
  expect(places.fetch() == expected, "as std::stable_sort has it");
}

TEST_CASE("callables: merges by a comparator of 2800 bytes") {
  if (no_device("callables")) return;
  const rank_less less = some_ranks();
  for (const std::size_t n : {std::size_t{10}, std::size_t{100'000}}) {
    auto keys = small_keys(2 * n);
    std::sort(keys.begin(), keys.begin() + n, less);
    std::sort(keys.begin() + n, keys.end(), less);
    const storage<std::uint32_t> in{memory::device, keys}, out{memory::device, keys};
    gpu::merge(gpu::par, gpu::device_span{in.data(), n}, gpu::device_span{in.data() + n, n}, out.data(), less);
    expect_none(sort_problem(keys, out.fetch(), less), std::to_string(n));
  }
}

TEST_CASE("callables: a graph keeps a comparator of 2800 bytes that is no more") {
  if (no_device("callables")) return;
  const auto check = [](cudaError_t code) { expect(code == cudaSuccess, "CUDA accepts"); };
  const auto keys = small_keys(50'000);
  const storage<std::uint32_t> data{memory::device, keys};
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  {
    rank_less less = some_ranks();
    gpu::sort(gpu::par_nosync.on(stream), gpu::device_span{data.data(), keys.size()}, less);
    less = {};
  }
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 0; round < 2; ++round) check(cudaGraphLaunch(executable, stream));
  check(cudaStreamSynchronize(stream));
  expect_none(sort_problem(keys, data.fetch(), some_ranks()), "sorted");
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

namespace {

struct ranked_at {
  const std::uint32_t* keys;
  rank_less less;
  __host__ __device__ bool operator()(std::size_t i, std::size_t j) const { return less(keys[i], keys[j]); }
};
struct swap_at {
  std::uint32_t* keys;
  __host__ __device__ void operator()(std::size_t i, std::size_t j) const {
    const std::uint32_t key = keys[i];
    keys[i] = keys[j];
    keys[j] = key;
  }
};

}  // namespace

TEST_CASE("callables: what compare(i, j) of 2800 bytes reaches") {
  if (no_device("callables")) return;
  const auto keys = small_keys(5000);
  const storage<std::uint32_t> data{memory::device, keys};
  gpu::sort_indexed(gpu::par.require_device(), std::size_t{0}, keys.size(), ranked_at{data.data(), some_ranks()},
                    swap_at{data.data()});
  expect_none(sort_problem(keys, data.fetch(), some_ranks()), "by indices");
}
