// Keys of several numbers, as described to the precompiled library: where each number is in an element or in one of
// several columns, and how it is converted to a code. The concatenated codes are the code of the key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../config.hpp"
#include "key.hpp"

namespace gpu::inline v1::detail {

/// A number that is part of a key.
struct key_part {
  std::size_t offset = 0;      ///< in an element of its column, in bytes
  std::uint8_t column = 0;     ///< 0: the elements; c: value column c - 1
  std::uint8_t bytes = 0;      ///< 1, 2, 4 or 8
  std::uint8_t code_bits = 0;  ///< all bits, except for bool
  std::uint8_t mantissa_bits = 0;
  key_class kind = key_class::unsigned_integer;
  bool descending = false;

  [[nodiscard]] constexpr key_format format() const { return {kind, bytes, mantissa_bits, descending}; }
};

inline constexpr std::size_t most_key_parts = 16;

/// The parts, the first one most significant. No parts: the key is one number, described elsewhere.
struct key_parts {
  std::array<key_part, most_key_parts> all;
  std::size_t count = 0;

  constexpr void add(const key_part& next) { all[count++] = next; }
  [[nodiscard]] constexpr const key_part* begin() const { return all.data(); }
  [[nodiscard]] constexpr const key_part* end() const { return all.data() + count; }
  /// The number of columns, from the first on, that hold parts.
  [[nodiscard]] constexpr std::size_t columns() const {
    std::size_t last = 0;
    for (const key_part& part : *this) last = part.column > last ? part.column : last;
    return last + 1;
  }
};

/// Converts the bits of a part to its code, which is the same for equivalent numbers and has zeros in the bits above.
struct part_codec {
  std::uint64_t flip = 0;
  std::uint64_t sign = 0;
  std::uint64_t negative_flip = 0;  ///< for keys whose sign is set
  std::uint64_t bias = 0;
  std::uint64_t mask = 0;
  std::uint64_t negative_zero = 0;  ///< code of -0 in ascending order, as first_nan is
  std::uint64_t first_nan = 0;
  std::uint64_t invert = 0;

  GPUPAR_HOST_DEVICE constexpr std::uint64_t encode(std::uint64_t key) const {
    std::uint64_t code = ((key ^ flip ^ ((key & sign) != 0 ? negative_flip : 0)) - bias) & mask;
    if (negative_flip != 0) {
      if (code == negative_zero) code = negative_zero + 1;
      if (code > first_nan) code = first_nan;
    }
    return code ^ invert;
  }
};

inline part_codec make_part_codec(const key_part& part) {
  key_format ascending = part.format();
  ascending.descending = false;
  part_codec made;
  with_bits(part.bytes, [&]<class Bits>(Bits) {
    if constexpr (sizeof(Bits) <= 8) {
      const auto codec = detail::make_codec<Bits>(ascending);
      made.flip = codec.flip;
      made.sign = std::uint64_t{1} << (8 * sizeof(Bits) - 1);
      made.negative_flip = codec.negative_flip;
      made.bias = codec.bias;
      if (part.kind == key_class::floating_point) {
        const auto order = detail::make_floating_code_less<Bits>(ascending);
        made.negative_zero = order.negative_zero;
        made.first_nan = order.first_nan;
      }
    }
  });
  made.mask = ~std::uint64_t{0} >> (64 - part.code_bits);
  if (part.descending) made.invert = made.mask;
  return made;
}

/// The format of a key whose parts are all integers and fill a word of 1, 2, 4, 8 or 16 bytes at `offset` of an
/// element: such elements are sorted as words with rearranged bytes. bytes == 0: the parts do not fill a word.
struct word_of_parts {
  std::size_t offset = 0;
  key_format format;
};

inline word_of_parts find_word(const key_parts& parts) {
  std::size_t first = parts.all[0].offset;
  unsigned bytes = 0;
  for (const key_part& part : parts) {
    if (part.column != 0 || part.kind == key_class::floating_point || part.code_bits != 8 * part.bytes) return {};
    first = part.offset < first ? part.offset : first;
    bytes += part.bytes;
  }
  if (bytes > 16 || (bytes & (bytes - 1)) != 0) return {};
  word_of_parts word{first, {key_class::unsigned_integer, static_cast<std::uint8_t>(bytes)}};
  unsigned filled = 0, to = bytes;
  std::uint64_t bytes_from = 0;
  for (const key_part& part : parts) {
    const std::size_t from = part.offset - first;
    if (from + part.bytes > bytes) return {};
    to -= part.bytes;
    for (unsigned i = 0; i < part.bytes; ++i) {
      const std::size_t at = from + i;
      if ((filled >> at & 1) != 0) return {};
      filled |= 1u << at;
      bytes_from |= std::uint64_t{at} << 4 * (to + i);
      const bool is_top = i + 1 == part.bytes;
      const std::uint64_t flip =
          (part.descending ? 0xffu : 0u) ^ (is_top && part.kind == key_class::signed_integer ? 0x80u : 0u);
      std::uint64_t& flips = to + i < 8 ? word.format.low_flips : word.format.high_flips;
      flips |= flip << 8 * ((to + i) % 8);
    }
  }
  const std::uint64_t all = bytes == 16 ? ~std::uint64_t{0} : (std::uint64_t{1} << 4 * bytes) - 1;
  word.format.bytes_from = bytes_from == (bytes_in_place & all) ? 0 : bytes_from;
  return word;
}

}  // namespace gpu::inline v1::detail
