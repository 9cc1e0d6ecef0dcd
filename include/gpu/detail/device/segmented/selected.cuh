// Writes the first elements of every segment, in an order found before, contiguously.
#pragma once

#include <cstddef>

#include "../../calls/segments.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../rows/row_copy.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int selected_threads = 256;

/// The first `each` elements of segment i go to the output's rows from i * each on; a shorter segment leaves the rest
/// unchanged.
struct segment_selection {
  row_copy rows;
  std::size_t each = 0;
};

/// A thread for each slot of the output. `order`: null if elements are already in order.
template <class Index>
__global__ void __launch_bounds__(selected_threads)
    write_selection_kernel(const Index* order, std::size_t n, segment_bounds bounds, segment_selection selection) {
  const std::size_t slots = bounds.count * selection.each, step = std::size_t{gridDim.x} * selected_threads;
  for (std::size_t slot = std::size_t{blockIdx.x} * selected_threads + threadIdx.x; slot < slots; slot += step) {
    const std::size_t number = slot / selection.each, index = slot - number * selection.each;
    const segment_range own = bounds.of(number, n);
    if (index >= own.count()) continue;
    const std::size_t at = own.begin + index;
    selection.rows.copy(order != nullptr ? std::size_t{order[at]} : at, slot);
  }
}

/// Writes the first elements of each of the segments of n elements, on the context's stream.
template <class Index>
void write_selection(const context& context, const Index* order, std::size_t n, const segment_bounds& bounds,
                     const segment_selection& selection) {
  const auto write = write_selection_kernel<Index>;
  const std::size_t blocks = divide_up(bounds.count * selection.each, selected_threads);
  device::launch(context, device::persistent_shape(context, write, blocks, selected_threads), write, order, n, bounds,
                 selection);
}

}  // namespace gpu::inline v1::detail::device
