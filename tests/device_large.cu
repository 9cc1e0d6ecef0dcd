// More than 2^32 elements, and all 2^32 floats: only with GPUPAR_TEST_LARGE=1, for they need up to 40 GB of the device.
#include <cuda_runtime.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "device_memory.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using counter = unsigned long long;

/// Whether a large case can run here; skips aloud if not.
bool can_run(std::size_t bytes) {
  const char* wanted = std::getenv("GPUPAR_TEST_LARGE");
  if (wanted == nullptr || std::string_view{wanted} != "1")
    skip("GPUPAR_TEST_LARGE is not 1");
  else if (gpu::device_count() == 0)
    skip("no device");
  else if (free_device_bytes() < bytes)
    skip("too little device memory");
  else
    return true;
  return false;
}

template <class Key>
struct device_array {
  explicit device_array(std::size_t n) : data{static_cast<Key*>(allocate_device(n * sizeof(Key)))}, size{n} {}
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { deallocate_device(data); }
  Key* data;
  std::size_t size;
};

__device__ std::size_t grid_rank() { return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; }
__device__ std::size_t grid_size() { return gridDim.x * std::size_t{blockDim.x}; }

__device__ std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
  return x ^ (x >> 29);
}

/// Bytes: a random one at every position. Words: every 32-bit pattern once, by an odd multiplier.
__global__ void fill_kernel(std::uint8_t* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = static_cast<std::uint8_t>(mixed(i));
}
__global__ void fill_kernel(float* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size())
    keys[i] = __uint_as_float(static_cast<std::uint32_t>(i) * 2654435761u);
}

__global__ void fill_kernel(std::uint32_t* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = static_cast<std::uint32_t>(mixed(i));
}

__global__ void count_kernel(const std::uint8_t* keys, std::size_t n, counter* counts) {
  __shared__ counter local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) atomicAdd(&local[keys[i]], counter{1});
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

/// Descents of neighbours and a sum and a mix of all bits.
template <class Key, class Bits>
__global__ void survey_kernel(const Key* keys, std::size_t n, counter* result) {
  counter descents = 0, sum = 0, mix = 0;
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) {
    const Key key = keys[i];
    const bool unordered = key != key;
    if (i > 0) descents += unordered ? 0 : key < keys[i - 1] || keys[i - 1] != keys[i - 1];
    Bits bits;
    memcpy(&bits, &key, sizeof(bits));
    sum += bits;
    mix += mixed(bits + 1);
  }
  atomicAdd(&result[0], descents);
  atomicAdd(&result[1], sum);
  atomicAdd(&result[2], mix);
}

template <class Key, class Bits>
std::vector<counter> survey(const device_array<Key>& keys) {
  const storage<counter> result{memory::device, std::vector<counter>(3)};
  survey_kernel<Key, Bits><<<2048, 256>>>(keys.data, keys.size, result.data());
  return result.fetch();
}

}  // namespace

TEST_CASE("large: a multiway merge of so many tiles that their borders are selected in two steps") {
  const std::size_t longest = std::size_t{1} << 25;
  if (!can_run(8 * longest * 3 * sizeof(std::uint32_t))) return;
  const device_array<std::uint32_t> keys{8 * longest}, merged{8 * longest};
  fill_kernel<<<2048, 256>>>(keys.data, keys.size);
  std::vector<gpu::device_span<std::uint32_t>> runs;  // ragged: the last takes what the others leave
  std::size_t begin = 0;
  for (std::size_t run = 0; run < 8; ++run) {
    const std::size_t end = run == 7 ? keys.size : begin + longest - 99'999 * run;
    runs.push_back({keys.data + begin, end - begin});
    gpu::sort(gpu::par, runs.back());
    begin = end;
  }
  const auto before = survey<std::uint32_t, std::uint32_t>(keys);
  gpu::multiway_merge(gpu::par, runs, merged.data);
  const auto after = survey<std::uint32_t, std::uint32_t>(merged);
  expect(before[0] > 0 && after[0] == 0, std::to_string(after[0]) + " descents");
  expect(before[1] == after[1] && before[2] == after[2], "keys lost or altered");
}

TEST_CASE("large: more than 2^32 bytes") {
  const std::size_t n = (std::size_t{1} << 32) + 12'345;
  if (!can_run(3 * n + (std::size_t{1} << 30))) return;
  const device_array<std::uint8_t> keys{n};
  fill_kernel<<<2048, 256>>>(keys.data, n);
  const auto before = survey<std::uint8_t, std::uint8_t>(keys);
  const storage<counter> first{memory::device, std::vector<counter>(256)}, second{memory::device, first.fetch()};
  count_kernel<<<2048, 256>>>(keys.data, n, first.data());
  gpu::sort(gpu::par, gpu::device_span{keys.data, n});
  const auto after = survey<std::uint8_t, std::uint8_t>(keys);
  count_kernel<<<2048, 256>>>(keys.data, n, second.data());
  expect(before[0] > 0 && after[0] == 0, std::to_string(after[0]) + " descents");
  expect(first.fetch() == second.fetch() && before[2] == after[2], "bytes lost or altered");
}

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
