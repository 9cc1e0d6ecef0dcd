// Finds how far a range is sorted.
#pragma once

#include <cstddef>

#include "../columns.cuh"
#include "../launching/context.hpp"
#include "../launching/launch.cuh"
#include "../launching/wait.cuh"
#include "../tuning/rows.hpp"

namespace gpu::inline v1::detail::device {

/// Lowers *result to the least i > 0 in the block's tile for which keys[i] precedes keys[i - 1]. Tiles behind what was
/// found so far have nothing to add.
template <class Key, class Less, class Codec>
__global__ void __launch_bounds__(sorted_threads)
    sorted_until_kernel(const Key* keys, std::size_t n, Less less, Codec codec, std::size_t* result) {
  const std::size_t begin = blockIdx.x * sorted_tile + 1 + threadIdx.x;
  if (begin >= *static_cast<volatile std::size_t*>(result)) return;
  std::size_t found = n;
#pragma unroll
  for (int item = sorted_items - 1; item >= 0; --item) {
    const std::size_t i = begin + static_cast<std::size_t>(item) * sorted_threads;
    if (i < n && less(codec.encode(keys[i]), codec.encode(keys[i - 1]))) found = i;
  }
  static_assert(sizeof(std::size_t) == sizeof(unsigned long long));
  if (found < n) atomicMin(reinterpret_cast<unsigned long long*>(result), static_cast<unsigned long long>(found));
}

/// Waits for the stream and returns *value.
inline std::size_t fetch(const context& context, const std::size_t* value) {
  std::size_t result = 0;
  check(cudaMemcpyAsync(&result, value, sizeof(result), cudaMemcpyDeviceToHost, context.stream));
  device::wait(context.stream);
  return result;
}

/// *result, in device memory, becomes the length of the longest sorted prefix of keys[0, n): n if all are sorted.
/// O(n) on the context's stream, without waiting; no scratch. Throws gpu::error.
template <class Key, class Less, class Codec>
void sorted_until(const context& context, const Key* keys, std::size_t n, Less less, Codec codec, std::size_t* result) {
  device::copy_bytes(context.stream, result, &n, sizeof(n), cudaMemcpyHostToDevice);
  if (n < 2) return;
  device::launch(context, {divide_up(n - 1, sorted_tile), sorted_threads}, sorted_until_kernel<Key, Less, Codec>, keys,
                 n, less, codec, result);
}

}  // namespace gpu::inline v1::detail::device
