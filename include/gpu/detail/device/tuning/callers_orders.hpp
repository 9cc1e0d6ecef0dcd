// Elements and orders of callers: when codes are sorted instead, and what is passed and moved as it is.
#pragma once

#include <cstddef>

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// From this many numbers on, it pays to check whether a caller's comparator is their natural order: about 20 empty
/// launches and a sample cost 50 us, whatever the result.
inline constexpr std::size_t enough_to_guess = std::size_t{1} << 23;

/// From this many elements of element_bytes on, codes of their keys are sorted, and the elements follow; fewer are
/// sorted by comparing them, or their indices.
GPUPAR_HOST_DEVICE constexpr std::size_t enough_to_code(std::size_t element_bytes, bool stable) {
  constexpr std::size_t never = ~std::size_t{0};
  if (element_bytes > 64) return std::size_t{1} << 14;
  if (element_bytes > 16) return std::size_t{1} << 18;
  return stable && element_bytes > 8 ? std::size_t{1} << 20 : never;
}

inline constexpr int guess_threads = 512;
inline constexpr int guess_items = 9;
inline constexpr int verify_threads = 256;
inline constexpr int verify_items = 16;
inline constexpr int reverse_items = 8;

/// Callables up to this size are passed by value: a few addresses and numbers, which registers hold.
inline constexpr std::size_t most_bytes_passed = 64;
inline constexpr int store_threads = 256;

/// Elements up to this size are moved in every pass; beyond it one gather at the end is cheaper.
inline constexpr std::size_t most_bytes_moved = 64;

}  // namespace gpu::inline v1::detail::device
