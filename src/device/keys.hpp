// The precompiled kernels: sorts and merges of keys in natural order, one instantiation per key width.
#pragma once

#include <gpu/detail/device/call.hpp>
#include <gpu/detail/request.hpp>

#include <cstddef>
#include <vector>

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Values that the kernels move along: this many bytes each, or none.
[[nodiscard]] constexpr bool moves_along(std::size_t value_bytes) {
  return value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
}

/// Whether keys so wide may be floating-point numbers.
template <class Bits>
inline constexpr bool has_floating_v = sizeof(Bits) == 2 || sizeof(Bits) == 4 || sizeof(Bits) == 8;

/// A sorted input of a merge; `values` is null without values.
struct key_sequence {
  const void* keys;
  const void* values;
  std::size_t count;
};

/// All on device memory and the context's stream. Values have value_bytes each, see moves_along(); null for 0.
template <class Bits>
struct key_kernels {
  /// Sorts, stably if asked to; without scratch sorts that are not stable degrade, others throw std::bad_alloc.
  /// Quicksort is stable for keys alone, and if the values are the elements' places, with keys of at most 8 bytes that
  /// are no floating-point numbers.
  static void sort(const context& context, Bits* keys, const column& values, std::size_t n, const key_format& format,
                   bool stable, algorithm how);
  [[nodiscard]] static std::size_t sort_scratch_bytes(std::size_t n, std::size_t value_bytes, const key_format& format,
                                                      bool stable, algorithm how);

  static void merge(const context& context, const std::vector<key_sequence>& inputs, Bits* keys, const column& values,
                    const key_format& format);
  [[nodiscard]] static std::size_t merge_scratch_bytes(std::size_t n, std::size_t inputs, std::size_t value_bytes);
  static void inplace_merge(const context& context, Bits* keys, const column& values, std::size_t middle, std::size_t n,
                            const key_format& format);

  static void sorted_until(const context& context, const Bits* keys, std::size_t n, const key_format& format,
                           std::size_t* result);
};

/// Calls body with a value of the unsigned integer type that holds keys of this format.
template <class Body>
decltype(auto) with_bits(const key_format& format, const Body& body) {
  switch (format.bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    case 8:
      return body(std::uint64_t{});
    default:
      return body(uint128{});
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
