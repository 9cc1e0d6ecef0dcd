// Keys in natural order as unsigned integers: every arithmetic key, ascending or descending, is mapped to a code of the
// same width whose unsigned order is the wanted order, so that five widths serve all types. The mapping is a bijection,
// hence bits are preserved. Knuth, The Art of Computer Programming 3, 5.2.5, exercise 8, with one additional
// subtraction of ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../config.hpp"
#include "arrangement.hpp"

struct __half;         // the types of cuda_fp16.h and cuda_bf16.h, known here by name alone
struct __nv_bfloat16;  // NOLINT(bugprone-reserved-identifier)

namespace gpu::inline v1::detail {

enum class key_class : std::uint8_t { unsigned_integer, signed_integer, floating_point };

/// Everything that the order of a key depends on; crosses the boundary to the precompiled parts of the library.
struct key_format {
  key_class kind = key_class::unsigned_integer;
  std::uint8_t bytes = 0;          ///< 1, 2, 4, 8 or 16
  std::uint8_t mantissa_bits = 0;  ///< explicit mantissa bits of a floating-point key
  bool descending = false;
  /// For keys of several adjacent integers: byte i of the code, byte 0 being the least significant, comes from byte
  /// (bytes_from >> 4 * i) % 16 of the key. 0: bytes are not rearranged.
  std::uint64_t bytes_from = 0;
  /// XORed with the rearranged key: for signs, and for parts in descending order.
  std::uint64_t low_flips = 0;
  std::uint64_t high_flips = 0;
  friend constexpr bool operator==(const key_format&, const key_format&) = default;

  [[nodiscard]] constexpr bool is_of_parts() const { return bytes_from != 0 || low_flips != 0 || high_flips != 0; }
};

/// Maps a key's bits to its code and back. A default-constructed codec changes nothing.
/// Floating point: -inf … -0, +0 … +inf, then NaNs of either sign. The usual mapping puts negative NaNs first;
/// subtracting their number wraps them around to the end.
template <class Bits>
struct key_codec {
  Bits flip = 0;                 ///< XORed with every key
  Bits negative_flip = 0;        ///< XORed with keys whose top bit is set
  Bits bias = 0;                 ///< subtracted after that
  Bits invert = 0;               ///< XORed at the end: all ones for descending order
  std::uint64_t bytes_from = 0;  ///< for keys of several integers, see key_format; applied first
  std::uint64_t bytes_back = 0;  ///< the inverse of bytes_from

  /// Inverts before the subtraction, which then becomes an addition: fewer operations.
  GPUPAR_HOST_DEVICE constexpr Bits encode(Bits key) const {
    if (bytes_from != 0) return static_cast<Bits>(detail::rearranged(key, bytes_from) ^ flips());
    return static_cast<Bits>(static_cast<Bits>(key ^ flips() ^ (top(key) & negative_flip)) - moved_by());
  }

  /// Whether codes equal the keys' bits.
  GPUPAR_HOST_DEVICE constexpr bool changes_nothing() const {
    return flip == 0 && negative_flip == 0 && bias == 0 && invert == 0 && bytes_from == 0;
  }

  /// Whether the mapping in both directions is a single XOR with flips(), as for integers.
  GPUPAR_HOST_DEVICE constexpr bool only_flips() const { return negative_flip == 0 && bias == 0 && bytes_from == 0; }
  GPUPAR_HOST_DEVICE constexpr Bits flips() const { return static_cast<Bits>(flip ^ invert); }

  GPUPAR_HOST_DEVICE constexpr Bits decode(Bits code) const {
    if (bytes_from != 0) return detail::rearranged(static_cast<Bits>(code ^ flips()), bytes_back);
    const Bits turned = static_cast<Bits>(code + moved_by());
    return static_cast<Bits>(turned ^ flips() ^ (static_cast<Bits>(~(top(turned) ^ invert)) & negative_flip));
  }

 private:
  /// The bias, or its negative if codes are inverted.
  GPUPAR_HOST_DEVICE constexpr Bits moved_by() const {
    return static_cast<Bits>(static_cast<Bits>(bias ^ invert) - invert);
  }
  /// All ones if the top bit is set, else zero.
  GPUPAR_HOST_DEVICE static constexpr Bits top(Bits bits) {
    return static_cast<Bits>(Bits{0} - static_cast<Bits>(bits >> (8 * sizeof(Bits) - 1)));
  }
};

/// Calls body with a value of the unsigned integer type of `bytes` bytes, a width that key_format allows.
template <class Body>
decltype(auto) with_bits(std::size_t bytes, const Body& body) {
  switch (bytes) {
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

/// A codec for keys that are compared directly.
struct identity_codec {
  template <class Key>
  GPUPAR_HOST_DEVICE constexpr const Key& encode(const Key& key) const {
    return key;
  }
  template <class Key>
  GPUPAR_HOST_DEVICE constexpr const Key& decode(const Key& key) const {
    return key;
  }
};

/// A codec with a flag that keys have already been converted to codes by it, so that one kernel serves both the first
/// round and the later ones.
template <class Codec>
struct round_codec {
  Codec maker;
  bool made = false;

  template <class Key>
  GPUPAR_HOST_DEVICE constexpr Key encode(const Key& key) const {
    return made ? key : static_cast<Key>(maker.encode(key));
  }
  GPUPAR_HOST_DEVICE constexpr bool changes_nothing() const
    requires requires { maker.changes_nothing(); }
  {
    return made || maker.changes_nothing();
  }
  GPUPAR_HOST_DEVICE constexpr bool only_flips() const
    requires requires { maker.only_flips(); }
  {
    return maker.only_flips();
  }
  GPUPAR_HOST_DEVICE constexpr auto flips() const
    requires requires { maker.flips(); }
  {
    return maker.flips();
  }
};

/// Codecs for keys, and for codes that `maker` has made of them. For an identity_codec, that itself.
template <class Codec>
constexpr round_codec<Codec> keys_by(const Codec& maker) {
  return {maker, false};
}
template <class Codec>
constexpr round_codec<Codec> codes_by(const Codec& maker) {
  return {maker, true};
}
constexpr identity_codec keys_by(const identity_codec&) { return {}; }
constexpr identity_codec codes_by(const identity_codec&) { return {}; }

/// A codec that leaves codes unchanged: of the type that made them if possible, so that one kernel serves keys and
/// codes.
template <class Codec>
constexpr auto leaving_codes(const Codec&) {
  if constexpr (requires { requires Codec{}.changes_nothing(); })
    return Codec{};
  else
    return identity_codec{};
}

/// Joins a High and, below it, a Low into one integer. Spare bits are the lowest ones: sorts examine the leading bits
/// first, and these distinguish codes.
template <class Bits, class High, class Low>
struct joint {
  static_assert(sizeof(High) + sizeof(Low) <= sizeof(Bits));
  static constexpr unsigned spare_bits = 8 * (sizeof(Bits) - sizeof(High) - sizeof(Low));
  static constexpr unsigned low_bits = 8 * sizeof(Low);

  GPUPAR_HOST_DEVICE static constexpr Bits join(High high, Low low) {
    return static_cast<Bits>(static_cast<Bits>(static_cast<Bits>(high) << low_bits | low) << spare_bits);
  }
  GPUPAR_HOST_DEVICE static constexpr High high(Bits pair) {
    return static_cast<High>(pair >> (spare_bits + low_bits));
  }
  GPUPAR_HOST_DEVICE static constexpr Low low(Bits pair) { return static_cast<Low>(pair >> spare_bits); }
};

/// A codec for integers that join a key of type High, in the upper bits, with a Low that is not part of the order.
template <class Bits, class High, class Low, class Codec>
struct joined_codec {
  using pairs = joint<Bits, High, Low>;
  Codec codec;

  GPUPAR_HOST_DEVICE constexpr Bits encode(Bits pair) const {
    return pairs::join(codec.encode(pairs::high(pair)), pairs::low(pair));
  }
  GPUPAR_HOST_DEVICE constexpr Bits decode(Bits code) const {
    return pairs::join(codec.decode(pairs::high(code)), pairs::low(code));
  }
  GPUPAR_HOST_DEVICE constexpr bool changes_nothing() const { return codec.changes_nothing(); }
};

template <class Bits>
constexpr key_codec<Bits> make_codec(const key_format& format) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  key_codec<Bits> codec;
  if (format.kind != key_class::unsigned_integer) codec.flip = sign;
  if (format.kind == key_class::floating_point) {
    codec.negative_flip = static_cast<Bits>(~sign);
    codec.bias = static_cast<Bits>((Bits{1} << format.mantissa_bits) - 1);  // NaNs with the sign set
  }
  if (format.descending) codec.invert = static_cast<Bits>(~Bits{0});
  if (format.is_of_parts()) {
    codec.flip = static_cast<Bits>(format.low_flips);
    if constexpr (sizeof(Bits) == 16) codec.flip |= static_cast<Bits>(format.high_flips) << 64;
    codec.bytes_from = format.bytes_from;
    codec.bytes_back = detail::inverse_arrangement(format.bytes_from, sizeof(Bits));
  }
  return codec;
}

/// Converts integers to codes and back in one operation: in code that does no other computation with keys, the six
/// operations of the general codec are noticeable.
template <class Bits>
struct integer_codec {
  Bits flip = 0;  ///< XORed with every key

  GPUPAR_HOST_DEVICE constexpr Bits encode(Bits key) const { return static_cast<Bits>(key ^ flip); }
  GPUPAR_HOST_DEVICE constexpr Bits decode(Bits code) const { return static_cast<Bits>(code ^ flip); }
};

/// `format`: that of integers.
template <class Bits>
constexpr integer_codec<Bits> make_integer_codec(const key_format& format) {
  return {detail::make_codec<Bits>(format).flips()};
}

/// The order of codes: a refinement of the order of keys, sufficient if equivalent keys may be exchanged.
struct code_less {
  template <class Bits>
  GPUPAR_HOST_DEVICE constexpr bool operator()(Bits left, Bits right) const {
    return left < right;
  }
};

/// The exact order of floating-point keys, on their codes: -0 and +0 are equivalent, and so are all NaNs. Used for
/// comparisons by stable sorts and merges.
template <class Bits>
struct floating_code_less {
  Bits negative_zero = 0;  ///< code of -0 in ascending order; the code of +0 is one more
  Bits first_nan = 0;      ///< smallest code of a NaN in ascending order
  Bits invert = 0;

  /// A number that orders codes as their keys are ordered, the same for codes of equivalent keys. `unit`: the distance
  /// from one code to the next.
  GPUPAR_HOST_DEVICE constexpr Bits rank(Bits code, Bits unit = 1) const {
    Bits ascending = static_cast<Bits>(code ^ invert);
    if (ascending == negative_zero) ascending = static_cast<Bits>(negative_zero + unit);
    if (ascending > first_nan) ascending = first_nan;
    return static_cast<Bits>(ascending ^ invert);
  }
  GPUPAR_HOST_DEVICE constexpr bool operator()(Bits left, Bits right) const { return rank(left) < rank(right); }
};

template <class Bits>
constexpr floating_code_less<Bits> make_floating_code_less(const key_format& format) {
  key_format ascending = format;
  ascending.descending = false;
  const auto codec = detail::make_codec<Bits>(ascending);
  const Bits sign = codec.flip;
  const Bits infinity =
      static_cast<Bits>(static_cast<Bits>(sign - 1) & static_cast<Bits>(~((Bits{1} << format.mantissa_bits) - 1)));
  return {codec.encode(sign), static_cast<Bits>(codec.encode(infinity) + 1), detail::make_codec<Bits>(format).invert};
}

}  // namespace gpu::inline v1::detail
