// Integers of one width as integers of another: places, and values that kernels move in wider columns.
#pragma once

#include <cstddef>

#include "columns.cuh"
#include "launching/condition.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int convert_threads = 256;
inline constexpr int convert_items = 8;  ///< of a thread, on their way at a time

/// to[i] = from[i] for all i < n, if `wanted`.
template <class From, class To>
__global__ void __launch_bounds__(convert_threads)
    convert_kernel(const From* from, std::size_t n, To* to, condition wanted) {
  await_predecessors();
  if (!wanted.holds()) return;
  constexpr std::size_t tile = std::size_t{convert_threads} * convert_items;
  for (std::size_t first = blockIdx.x * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
    From items[convert_items];
#pragma unroll
    for (int i = 0; i < convert_items; ++i)
      items[i] = from[min(first + static_cast<std::size_t>(i * convert_threads), n - 1)];
#pragma unroll
    for (int i = 0; i < convert_items; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i * convert_threads);
      if (at < n) to[at] = static_cast<To>(items[i]);
    }
  }
}

/// Enqueues that on the context's stream.
template <class From, class To>
void convert(const context& context, const From* from, std::size_t n, To* to, condition wanted = {}) {
  constexpr std::size_t tile = std::size_t{convert_threads} * convert_items;
  device::launch_persistent(context, {divide_up(n, tile), convert_threads}, convert_kernel<From, To>, from, n, to,
                            wanted);
}

}  // namespace gpu::inline v1::detail::device
