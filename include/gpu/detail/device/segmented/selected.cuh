// The first elements of every segment, in an order that has been found, written side by side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../calls/segments.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int selected_threads = 256;

/// The first `each` elements of segment i go to output[i * each] and behind; a shorter one leaves the rest as it
/// is.
struct segment_selection {
  const std::byte* elements = nullptr;
  std::byte* output = nullptr;
  std::size_t element_bytes = 0;
  std::size_t each = 0;

  segment_selection() = default;
  segment_selection(const void* elements, void* output, std::size_t element_bytes, std::size_t each)
      : elements{static_cast<const std::byte*>(elements)},
        output{static_cast<std::byte*>(output)},
        element_bytes{element_bytes},
        each{each} {}

  /// Whether elements lie in whole words on both sides.
  template <class Word>
  [[nodiscard]] __host__ __device__ bool goes_by() const {
    return (reinterpret_cast<std::uintptr_t>(elements) | reinterpret_cast<std::uintptr_t>(output) | element_bytes) %
               sizeof(Word) ==
           0;
  }
  /// Copies an element to a slot of the output.
  template <class Word>
  __device__ void copy(std::size_t element, std::size_t slot) const {
    const auto* const from = reinterpret_cast<const Word*>(elements + element * element_bytes);
    auto* const to = reinterpret_cast<Word*>(output + slot * element_bytes);
    for (std::size_t w = 0; w < element_bytes / sizeof(Word); ++w) to[w] = from[w];
  }
};

/// A thread for each slot of the output. order: null if elements are in order as they are.
template <class Index>
__global__ void __launch_bounds__(selected_threads)
    write_selection_kernel(const Index* order, std::size_t n, segment_bounds bounds, segment_selection selection) {
  const std::size_t slots = bounds.count * selection.each, step = std::size_t{gridDim.x} * selected_threads;
  const bool by_words = selection.goes_by<std::uint32_t>();
  for (std::size_t slot = std::size_t{blockIdx.x} * selected_threads + threadIdx.x; slot < slots; slot += step) {
    const std::size_t number = slot / selection.each, index = slot - number * selection.each;
    const segment_range own = bounds.of(number, n);
    if (index >= own.count()) continue;
    const std::size_t at = own.begin + index, element = order != nullptr ? std::size_t{order[at]} : at;
    if (by_words)
      selection.copy<std::uint32_t>(element, slot);
    else
      selection.copy<std::uint8_t>(element, slot);
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
