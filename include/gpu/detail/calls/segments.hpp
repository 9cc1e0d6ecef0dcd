// Segments of a range as a caller describes them: the begin and the end of each, as integers of 32 or 64 bits in host
// or device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../config.hpp"

namespace gpu::inline v1::detail {

/// Elements [begin, end) of a range.
struct segment_range {
  std::size_t begin;
  std::size_t end;

  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t count() const { return end - begin; }
};

/// `count` segments: segment i is [begins[i], ends[i]). For offsets, ends is begins + 1.
struct segment_bounds {
  const void* begins = nullptr;
  const void* ends = nullptr;
  std::size_t count = 0;
  std::uint8_t bytes = 8;  ///< of an integer: 4 or 8
  bool is_signed = false;

  /// Whether each segment ends where the next one begins, as with offsets.
  [[nodiscard]] GPUPAR_HOST_DEVICE bool are_neighbours() const {
    return static_cast<const std::byte*>(begins) + bytes == ends;
  }

  /// Whether segment i is a valid segment of n elements.
  [[nodiscard]] bool is_valid(std::size_t i, std::size_t n) const {
    const std::uint64_t begin = number(begins, i), end = number(ends, i);
    return !is_negative(begin) && !is_negative(end) && begin <= end && end <= n;
  }

  /// Segment i, clamped to a valid segment of n elements.
  [[nodiscard]] GPUPAR_HOST_DEVICE segment_range of(std::size_t i, std::size_t n) const {
    return between(number(begins, i), number(ends, i), n);
  }
  /// The segment from `from` to `to`, values of begins and ends, clamped to a valid segment of n elements.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr segment_range between(std::uint64_t from, std::uint64_t to,
                                                                   std::size_t n) const {
    const std::size_t begin = within(from, n), end = within(to, n);
    return {begin, end < begin ? begin : end};
  }

 private:
  GPUPAR_HOST_DEVICE constexpr std::size_t within(std::uint64_t bound, std::size_t n) const {
    return is_negative(bound) ? 0 : bound < n ? bound : n;
  }
  GPUPAR_HOST_DEVICE std::uint64_t number(const void* array, std::size_t i) const {
    if (bytes == sizeof(std::uint32_t)) return static_cast<const std::uint32_t*>(array)[i];
    return static_cast<const std::uint64_t*>(array)[i];
  }
  GPUPAR_HOST_DEVICE constexpr bool is_negative(std::uint64_t number) const {
    return is_signed && (number >> (8 * bytes - 1)) != 0;
  }
};

}  // namespace gpu::inline v1::detail
