// All 2^32 floats, only with GPUPAR_TEST_LARGE=1 as they need 52 GB of device memory and 35 GB of host memory: sorted
// on the device, and identically by both backends.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "large.hpp"

using namespace testing;

namespace {

/// Every 32-bit pattern once, by an odd multiplier.
__host__ __device__ float pattern_at(std::size_t i) {
  const std::uint32_t bits = static_cast<std::uint32_t>(i) * 2654435761u;
  float key;
  memcpy(&key, &bits, sizeof(key));
  return key;
}
__global__ void fill_kernel(float* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = pattern_at(i);
}

/// The same in host memory, by all threads.
void fill(float* keys, std::size_t n) {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> all;
  for (std::size_t thread = 0; thread < threads; ++thread)
    all.emplace_back([=] {
      for (std::size_t i = n / threads * thread; i < (thread + 1 == threads ? n : n / threads * (thread + 1)); ++i)
        keys[i] = pattern_at(i);
    });
}

/// Counts positions whose bits differ.
__global__ void differences_kernel(const float* a, const float* b, std::size_t n, counter* differences) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size())
    if (__float_as_uint(a[i]) != __float_as_uint(b[i])) atomicAdd(differences, counter{1});
}

}  // namespace

TEST_CASE("large: all 2^32 floats") {
  const std::size_t n = std::size_t{1} << 32;
  if (!can_run(3 * n * sizeof(float))) return;
  const device_array<float> keys{n};
  for (const bool stable : {false, true}) {
    fill_kernel<<<2048, 256>>>(keys.data, n);
    const auto before = survey<float, std::uint32_t>(keys);
    if (stable)
      gpu::stable_sort(gpu::par, gpu::device_span{keys.data, n});
    else
      gpu::sort(gpu::par, gpu::device_span{keys.data, n});
    const auto after = survey<float, std::uint32_t>(keys);
    expect(before[0] > 0 && after[0] == 0, std::to_string(after[0]) + " descents");
    expect(before[1] == after[1] && before[2] == after[2], "floats lost or altered");
  }
}

TEST_CASE("large: all 2^32 floats, stably, by both backends alike") {
  const std::size_t n = std::size_t{1} << 32;
  if (!can_run(3 * n * sizeof(float))) return;
  const auto by_host = std::make_unique_for_overwrite<float[]>(n);
  fill(by_host.get(), n);
  gpu::stable_sort(gpu::par.require_host(), std::span{by_host.get(), n});
  const device_array<float> by_device{n};
  fill_kernel<<<2048, 256>>>(by_device.data, n);
  gpu::stable_sort(gpu::par, gpu::device_span{by_device.data, n});
  const device_array<float> copied{n};
  copy_any(copied.data, by_host.get(), n * sizeof(float));
  const storage<counter> differences{memory::device, std::vector<counter>(1)};
  differences_kernel<<<2048, 256>>>(by_device.data, copied.data, n, differences.data());
  expect(differences.fetch().front() == 0, "device and host differ");
}
