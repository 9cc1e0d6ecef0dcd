// Keys of one or two bytes, sorted as codes of four. Kernels of their own they have for passes by digits and, alone,
// for counting and quicksort: what takes most time of all that there is to sort. Kernels for each width, each algorithm
// and what may follow are not worth the time that it takes to make codes of the others.
#pragma once

#include <gpu/detail/boundary/request.hpp>

#include <cstddef>
#include <cstdint>

namespace gpu::inline v1::detail::device {

inline constexpr std::size_t least_wide_bytes = sizeof(std::uint32_t);

/// How keys are sorted.
struct sort_way {
  bool alone;
  bool stable;
  algorithm how;
};

/// Whether a key is sorted as a part of a wider code.
constexpr bool becomes_wider(const key_format& key, const sort_way& sorted) {
  if (key.bytes == 0 || key.bytes >= least_wide_bytes || sorted.how == algorithm::radix) return false;
  const bool in_any_order = !sorted.stable || key.kind != key_class::floating_point;  // or equal ones look alike
  return !sorted.alone || !in_any_order || sorted.how != algorithm::quicksort;
}

/// The parts of a narrow key: bytes, if these are rearranged.
inline key_parts parts_of_narrow(const key_format& key, std::size_t offset) {
  constexpr unsigned byte_bits = 8;
  key_parts parts;
  if (!key.is_of_parts()) {
    const auto bits = static_cast<std::uint8_t>(byte_bits * key.bytes);
    parts.add({offset, 0, key.bytes, bits, key.mantissa_bits, key.kind, key.descending});
    return parts;
  }
  for (unsigned byte = key.bytes; byte-- > 0;) {
    const std::size_t from = key.bytes_from == 0 ? byte : key.bytes_from >> 4 * byte & 0xf;
    const std::uint64_t flip = key.low_flips >> byte_bits * byte & 0xff;
    const bool descending = (flip & 1) != 0, is_signed = (flip >> 7 != 0) != descending;
    parts.add({offset + from, 0, 1, byte_bits, 0, is_signed ? key_class::signed_integer : key_class::unsigned_integer,
               descending});
  }
  return parts;
}

/// The same elements by wider keys, if theirs become wider.
inline keyed_elements with_wide_keys(const keyed_elements& elements, const sort_way& sorted) {
  if (!becomes_wider(elements.key, sorted)) return elements;
  keyed_elements wide = elements;
  if (wide.parts.count == 0) wide.parts = parts_of_narrow(elements.key, elements.key_offset);
  wide.key = {key_class::unsigned_integer, least_wide_bytes};
  return wide;
}

}  // namespace gpu::inline v1::detail::device
