// Keys of one or two bytes, sorted as codes of four. They have kernels of their own only for passes by digits, for a
// tile of them with values and, as keys alone, for counting and quicksort. More kernels, for each width, algorithm and
// kind of value, are not worth the time that encoding takes.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/tuning/local_sorts.hpp>

#include <cstddef>
#include <cstdint>

namespace gpu::inline v1::detail::device {

inline constexpr std::size_t least_wide_bytes = sizeof(std::uint32_t);

constexpr bool is_narrow(const key_format& key) { return key.bytes > 0 && key.bytes < least_wide_bytes; }

/// Whether there are kernels for the narrow, plain keys of a request, with one column of values of 4 or 8 bytes or
/// none.
inline bool sorts_narrow_keys(const sort_request& request) {
  if (request.how != algorithm::quicksort) return request.how == algorithm::radix;
  if (request.value_columns > 0)  // a tile of rows, few enough that launches dominate
    return !request.stable && request.count <= lone_bin_tile(2 * request.values[0].element_bytes).size();
  return !request.stable || request.elements.key.kind != key_class::floating_point;  // or equal ones look alike
}

/// The parts of a narrow key: single bytes if these are rearranged.
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

/// The elements with wider keys, if theirs are narrow and not sorted by their digits.
inline keyed_elements with_wide_keys(const keyed_elements& elements, algorithm how) {
  if (!is_narrow(elements.key) || how == algorithm::radix) return elements;
  keyed_elements wide = elements;
  if (wide.parts.count == 0) wide.parts = parts_of_narrow(elements.key, elements.key_offset);
  wide.key = {key_class::unsigned_integer, least_wide_bytes};
  return wide;
}

}  // namespace gpu::inline v1::detail::device
