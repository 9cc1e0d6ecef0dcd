// A translation unit compiled with a per-thread default stream: when a call returns, its kernels have finished,
// although the library, which has waited for them, has another default stream.
#include <cuda_runtime.h>

#include <cstdint>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace testing;

struct own_less {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

}  // namespace

TEST_CASE("streams: a unit with a default stream per thread") {
  if (gpu::device_count() == 0) return skip("streams: no device");
  const std::size_t n = reduced() ? 20'000 : 3'000'000;
  cudaStream_t other = nullptr;
  bool well = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess;
  for (std::uint64_t round = 0; round < (reduced() ? 1 : 5); ++round) {
    const auto keys = make_keys<std::uint32_t>(n, round);
    const storage<std::uint32_t> data{memory::device, keys}, seen{memory::pinned, keys};
    gpu::sort(gpu::par, gpu::device_span{data.data(), n}, own_less{});
    const std::size_t bytes = n * sizeof(keys[0]);
    well &= cudaMemcpyAsync(seen.data(), data.data(), bytes, cudaMemcpyDefault, other) == cudaSuccess;
    well &= cudaStreamSynchronize(other) == cudaSuccess;
    expect_none(sort_problem(keys, seen.fetch(), natural_less{}), "sorted when the call has returned");
  }
  expect(well, "copied");
  cudaStreamDestroy(other);
}
