// Codes of keys that have several parts: the bits of the parts are concatenated, so that sorting the codes as numbers
// sorts the keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../boundary/texts.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail {

inline constexpr unsigned most_code_bits = 128;

/// How much of a key's order its code determines. No key's code is a prefix of another's, so that codes can be
/// concatenated.
struct code_extent {
  unsigned bits = 0;   ///< bits of the numbers
  bool whole = true;   ///< the code determines the whole order
  bool text = false;   ///< includes the characters of strings, which vary in length
  unsigned parts = 0;  ///< how many numbers and strings

  /// Whether one integer can hold the whole code.
  [[nodiscard]] constexpr bool fits() const { return whole && !text && bits <= most_code_bits; }
};

/// The extent of two concatenated keys.
constexpr code_extent operator+(const code_extent& first, const code_extent& second) {
  if (!first.whole) return first;
  return {first.bits + second.bits, second.whole, first.text || second.text, first.parts + second.parts};
}

/// Bytes of the integer that holds a code of this extent, or the beginning of one; 0 if the code is empty. At least
/// three characters of a string are included if there is room.
constexpr std::size_t code_bytes(const code_extent& extent) {
  const unsigned bits = extent.text ? (extent.bits <= 32 ? 64 : 128) : extent.bits;
  return bits == 0 ? 0 : std::bit_ceil(((bits < most_code_bits ? bits : most_code_bits) + 7) / 8);
}

/// Concatenates the codes of parts, from the most significant bit down, as many bits as fit. A writer that Skips first
/// leaves out the given number of bits.
template <class Code, bool Skips = false>
class code_writer {
 public:
  static constexpr unsigned width = 8 * sizeof(Code);

  constexpr code_writer() = default;
  constexpr explicit code_writer(std::size_t skipped)
    requires Skips
      : skip_{skipped} {}

  /// Appends the `bits` lowest bits of value.
  template <class Bits>
  GPUPAR_INLINE constexpr void put(Bits value, unsigned bits, bool descending) {
    if (left_ == 0) {
      cut_ = true;
      return;
    }
    const auto mask = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - bits));
    if (descending) value = static_cast<Bits>(value ^ mask);
    if constexpr (Skips) {
      if (skip_ >= bits) {
        skip_ -= bits;
        return;
      }
      bits -= static_cast<unsigned>(std::exchange(skip_, std::size_t{0}));
      value = static_cast<Bits>(value & (static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - bits)));
    }
    if (bits > left_) {
      value = static_cast<Bits>(value >> (bits - left_));
      bits = left_;
      cut_ = true;
    }
    left_ -= bits;
    code_ = static_cast<Code>(code_ | static_cast<Code>(static_cast<Code>(value) << left_));
  }
  /// Appends seven characters at a time, padded with zeros, and how many of these are characters: eight if more follow.
  constexpr void put_text(const text& t, bool descending) {
    constexpr std::size_t characters = prefix_bytes - 1;
    std::size_t depth = 0;
    if constexpr (Skips) {
      const std::size_t skipped = (std::min)(skip_ / 64, t.size == 0 ? 0 : (t.size - 1) / characters);
      depth = skipped * characters;
      skip_ -= skipped * 64;
    }
    for (bool more = true; more; depth += characters) {
      const std::size_t rest = t.size - depth;
      more = rest > characters && left_ > 0;
      put((detail::prefix_at(t, depth) & ~std::uint64_t{0xff}) | (std::min)(rest, prefix_bytes), 64, descending);
    }
  }
  [[nodiscard]] constexpr Code code() const { return code_; }
  /// Whether bits were left out for lack of room.
  [[nodiscard]] constexpr bool is_cut() const { return cut_; }

 private:
  struct nothing {};
  Code code_ = 0;
  unsigned left_ = width;
  bool cut_ = false;
  [[no_unique_address]] std::conditional_t<Skips, std::size_t, nothing> skip_{};
};

}  // namespace gpu::inline v1::detail
