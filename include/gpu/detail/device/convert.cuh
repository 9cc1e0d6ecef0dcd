// Converts integers of one width to another, both known only at run time: indices, and values that kernels move in
// wider columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../boundary/request.hpp"
#include "columns.cuh"
#include "erased_codes.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int convert_threads = 256;
inline constexpr int convert_items = 8;  ///< of a thread, in flight at a time

/// to[i] = from[i] for all i < n. The last one may be written several times.
template <class Count>
__global__ void __launch_bounds__(convert_threads) convert_kernel(column from, Count n, column to) {
  await_predecessors();
  constexpr std::size_t tile = std::size_t{convert_threads} * convert_items;
  for (std::size_t first = blockIdx.x * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
    std::size_t indices[convert_items];
    std::uint64_t items[convert_items];
#pragma unroll
    for (int i = 0; i < convert_items; ++i)
      indices[i] = min(first + static_cast<std::size_t>(i * convert_threads), n - 1);
    device::read_numbers(from.data, static_cast<unsigned>(from.element_bytes), indices, items);
    device::with_integer(static_cast<unsigned>(to.element_bytes), [&]<class To>(To) {
#pragma unroll
      for (int i = 0; i < convert_items; ++i) static_cast<To*>(to.data)[indices[i]] = static_cast<To>(items[i]);
    });
  }
}

/// Enqueues this on the context's stream.
template <class Count>
void convert(const context& context, const column& from, Count n, const column& to) {
  constexpr std::size_t tile = std::size_t{convert_threads} * convert_items;
  device::launch_persistent(context, {divide_up(n, tile), convert_threads}, convert_kernel<Count>, from, n, to);
}

}  // namespace gpu::inline v1::detail::device
