// Indices no wider than they need to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "config.hpp"

namespace gpu::inline v1::detail {

/// Calls body with a value of the narrowest index type for `count` elements.
template <class Body>
decltype(auto) with_index(std::size_t count, Body&& body) {
  if (count <= (std::numeric_limits<std::uint32_t>::max)()) return body(std::uint32_t{});
  return body(std::uint64_t{});
}

/// Calls body with a value of the index type of so many bytes, 4 or 8.
template <class Body>
decltype(auto) with_index_of_bytes(std::size_t bytes, Body&& body) {
  return bytes == sizeof(std::uint32_t) ? body(std::uint32_t{}) : body(std::uint64_t{});
}

}  // namespace gpu::inline v1::detail
