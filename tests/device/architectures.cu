// A translation unit compiled for several architectures, one of them 9.0a, which only devices of 9.0 run: what launches
// request must depend on the code that the device runs, not on which architecture the host code was compiled with.
#include <algorithm>
#include <string>
#include <vector>

#include "gpu/detail/device/bitonic_sort.cuh"
#include "gpu/detail/device/tile_sort.cuh"
#include "paths/paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

__global__ void cluster_blocks_kernel(unsigned* blocks) {
  gpu::detail::device::await_predecessors();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (threadIdx.x == 0 && blockIdx.x == 0) asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(*blocks));
#else
  if (threadIdx.x == 0 && blockIdx.x == 0) *blocks = 1;
#endif
}

}  // namespace

TEST_CASE("architectures: a unit for 7.5 and 9.0a forms clusters where 9.0a runs") {
  if (no_device()) return;
  const workplace here;
  const bool clusters = here.context().device.compute_capability == 90;
  const storage<unsigned> blocks{memory::device, {0}};
  expect(device::may_cluster(here.context(), cluster_blocks_kernel) == clusters, "as the code that runs allows");
  device::shape shape{8, 32};
  shape.cluster = clusters ? 8 : 1;
  device::launch_early(here.context(), shape, cluster_blocks_kernel, blocks.data());
  expect(blocks.fetch()[0] == (clusters ? 8u : 1u), "the code for 9.0a runs on a device of 9.0");
}

TEST_CASE("architectures: tiles and networks in a unit for 7.5 and 9.0a") {
  if (no_device()) return;
  const workplace here;
  const auto codec = codec_of<std::uint32_t>();
  for (const std::size_t n : tried({100, 3000, 4096, 200'000})) {
    const auto keys = make_keys<std::uint32_t>(uniform, n, n);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    const storage<std::uint32_t> data{memory::device, keys}, again{memory::device, keys};
    if (device::sort_tile(here.context(), device::columns<std::uint32_t, device::no_value>{data.data(), nullptr}, n,
                          codec))
      expect(data.fetch() == expected, std::to_string(n) + " in a tile");
    device::bitonic_sort(here.context(), device::columns<std::uint32_t, device::no_value>{again.data(), nullptr}, n,
                         gpu::detail::code_less{}, codec);
    expect(again.fetch() == expected, std::to_string(n) + " by the network");
  }
}
