// Arrays in device memory that are too large to be checked on the host.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "device_memory.hpp"
#include "gpu/algorithm.hpp"
#include "places.hpp"
#include "support.hpp"

namespace testing {

using counter = unsigned long long;

/// Whether a case that needs so many bytes can run here; reports a skip if not. Cases beyond 12 GiB need
/// GPUPAR_TEST_LARGE=1.
inline bool can_run(std::size_t bytes) {
  constexpr std::size_t small = std::size_t{12} << 30;
  const char* wanted = std::getenv("GPUPAR_TEST_LARGE");
  if (bytes > small && (wanted == nullptr || std::string_view{wanted} != "1"))
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

inline __device__ std::size_t grid_rank() { return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; }
inline __device__ std::size_t grid_size() { return gridDim.x * std::size_t{blockDim.x}; }

inline __device__ std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
  return x ^ (x >> 29);
}

/// Counts descents between neighbours, and computes a sum and a hash of all bits.
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
    mix += scrambled(bits + 1);
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

}  // namespace testing
