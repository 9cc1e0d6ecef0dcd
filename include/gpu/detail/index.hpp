// Indices of the narrowest sufficient type, searches over indices, and sums of counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "config.hpp"

namespace gpu::inline v1::detail {

/// Bytes of the narrowest index type for `count` elements, 4 or 8.
constexpr std::size_t index_bytes(std::size_t count) {
  return count <= (std::numeric_limits<std::uint32_t>::max)() ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

/// Calls body with a value of the index type of `bytes` bytes, 4 or 8.
template <class Body>
decltype(auto) with_index_of_bytes(std::size_t bytes, Body&& body) {
  return bytes == sizeof(std::uint32_t) ? body(std::uint32_t{}) : body(std::uint64_t{});
}

/// Calls body with a value of the narrowest index type for `count` elements.
template <class Body>
decltype(auto) with_index(std::size_t count, Body&& body) {
  return detail::with_index_of_bytes(detail::index_bytes(count), body);
}

template <class Counts>
constexpr std::size_t sum_of(const Counts& counts) {
  std::size_t sum = 0;
  for (const std::size_t count : counts) sum += count;
  return sum;
}

/// The first index in [low, high) for which holds() is false, or `high`. holds() must be true for a prefix and false
/// for the rest.
template <class Holds>
constexpr std::size_t partition_index(std::size_t low, std::size_t high, const Holds& holds) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace gpu::inline v1::detail
