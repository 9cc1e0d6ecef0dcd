// Buckets that are computed instead of searched. Where codes lie evenly in their range, buckets of equal width take one
// multiplication; where their density varies, as that of floating-point numbers does, a curve of the sample's
// distribution takes one table look-up more; where it varies by powers, as in Zipf's law, the curve has a logarithmic
// scale. Dobosiewicz, "Sorting by distributive partitioning", 1978; Kraska, Beutel, Chi, Dean and Polyzotis, "The case
// for learned index structures", 2018 (a model of the distribution instead of a search).
#pragma once

#include <cstdint>

#include "../../keys/key.hpp"
#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// The width of the word that is used to measure a code: all of it, and at least 32 bits.
template <class Bits>
inline constexpr unsigned measured_bits = sizeof(Bits) <= 4 ? 32 : 8 * sizeof(Bits);

/// The leading 32 bits of a code after its first `shift` measured bits.
template <class Bits>
__device__ __forceinline__ unsigned leading_word(Bits code, unsigned shift) {
  if constexpr (sizeof(Bits) <= 4)
    return static_cast<unsigned>(code) << shift;
  else
    return static_cast<unsigned>((code << shift) >> (measured_bits<Bits> - 32));
}

/// The inverse of leading_word(), as far as the type has room: the code with this leading word after `shift` bits, and
/// zeros after it.
template <class Bits>
__device__ __forceinline__ Bits of_leading_word(unsigned word, unsigned shift) {
  if constexpr (sizeof(Bits) <= 4)
    return static_cast<Bits>(word >> shift);
  else
    return static_cast<Bits>(static_cast<Bits>(word) << (measured_bits<Bits> - 32)) >> shift;
}

/// The number of leading zeros among a code's measured bits; one fewer than all bits for zero.
template <class Bits>
__device__ __forceinline__ unsigned leading_zeros(Bits code) {
  if constexpr (sizeof(Bits) <= 4) {
    return static_cast<unsigned>(__clz(static_cast<int>(code | 1u)));
  } else if constexpr (sizeof(Bits) == 8) {
    return static_cast<unsigned>(__clzll(static_cast<long long>(code | 1u)));
  } else {
    const auto high = static_cast<std::uint64_t>(code >> 64);
    return high != 0 ? leading_zeros(high) : 64 + leading_zeros(static_cast<std::uint64_t>(code));
  }
}

/// A piece of the curve: the shares of codes before it and within it, in units of 2^-32.
struct breakpoint {
  unsigned before;
  unsigned within;
};
inline constexpr unsigned breakpoint_bits = 9;
inline constexpr unsigned breakpoints = 1u << breakpoint_bits;

/// Maps offsets monotonically to a logarithmic scale: every binade takes 2^26 values, within which numbers are mapped
/// linearly.
__device__ __forceinline__ unsigned logarithmic_scale(unsigned offset) {
  constexpr unsigned origin = 126u << 23;  // of the floating-point number 0.5
  return (max(__float_as_uint(__uint2float_rz(offset)), origin) - origin) << 3;
}

/// `buckets` intervals of [least, least + span]; codes outside fall into the first and the last. Zero buckets: unused.
template <class Bits>
struct even_buckets {
  Bits least;
  Bits span;
  unsigned shift;   ///< leading zeros of span
  unsigned factor;  ///< 2^32 times the number of buckets per unit of a leading word
  unsigned buckets;
  const breakpoint* curve;  ///< if not null, maps leading words to shares of codes
  bool logarithmic;         ///< whether the curve has a logarithmic scale
  float scale;              ///< if not zero, buckets are even in the codes' values: buckets per unit, and
  float origin;             ///< the (fractional) bucket of value zero; see valued_buckets
  unsigned least_exponent;

  even_buckets() = default;
  __device__ even_buckets(Bits least, Bits span, unsigned buckets)
      : least{least},
        span{span},
        shift{block::leading_zeros(span)},
        buckets{buckets},
        curve{nullptr},
        logarithmic{false},
        scale{0},
        origin{0},
        least_exponent{0} {
    const float units =
        __uint2float_ru(block::leading_word(span, shift) | 0xffu);  // at most some 2^-23 too large, and never too small
    factor = __float2uint_rd(__fdiv_rd(static_cast<float>(buckets) * 0x1p32f, units));
  }

  /// The same number of buckets, of which two at either end lie outside the range: the inner one for codes that the
  /// sample has just missed, the outermost for few codes far away, which would otherwise crowd the other codes of a
  /// bucket into one part of its range. Returns *this where four buckets cannot be spared.
  __device__ even_buckets with_separate_outsiders() const {
    constexpr unsigned enough = 128;
    if (buckets < enough) return *this;
    const unsigned two = block::leading_word(span, shift) / (buckets - 4) * 2;  // the width of two buckets
    const Bits margin = block::of_leading_word<Bits>(two, shift), greatest = static_cast<Bits>(least + span);
    const Bits below = least < margin ? least : margin, room = static_cast<Bits>(~greatest);
    return {static_cast<Bits>(least - below), static_cast<Bits>(span + below + (room < margin ? room : margin)),
            buckets};
  }

  /// Whether a code lies in the range.
  __device__ bool has(Bits code) const { return static_cast<Bits>(code - least) <= span; }

  /// The offset of a code in the range, as a leading word; codes outside are clamped.
  __device__ __forceinline__ unsigned offset(Bits code) const {
    const Bits distance = static_cast<Bits>((code > least ? code : least) - least);
    return block::leading_word(distance < span ? distance : span, shift);
  }

  __device__ __forceinline__ unsigned operator()(Bits code) const { return __umulhi(offset(code), factor); }

  /// The position of a code along the curve.
  __device__ __forceinline__ unsigned abscissa(Bits code) const {
    return logarithmic ? block::logarithmic_scale(offset(code)) : offset(code);
  }

  /// Whether bucket b cannot hold two different codes: buckets are no wider than one code, and no codes outside the
  /// range come here.
  __device__ bool all_equal(unsigned b) const {
    const unsigned width = measured_bits<Bits> - shift;
    return curve == nullptr && scale == 0 && b > 0 && b + 1 < buckets && width < 32 && factor >> width != 0;
  }
};

/// Buckets of about equally many codes, computed by the curve in shared memory.
template <class Bits>
struct curved_buckets {
  even_buckets<Bits> line;
  const breakpoint* curve;

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    const unsigned at = line.abscissa(code);
    const breakpoint piece = curve[at >> (32 - breakpoint_bits)];
    return __umulhi(piece.before + __umulhi(at << breakpoint_bits, piece.within), line.buckets);
  }

  /// Whether the curve rises at a code, so that it can tell codes from each other there.
  __device__ bool rises_at(Bits code) const { return curve[line.abscissa(code) >> (32 - breakpoint_bits)].within != 0; }
};

/// Whether codes of type Bits, and those made by Codec or already encoded before, may represent floating-point numbers.
template <class Bits>
inline constexpr bool may_be_numbers_v = sizeof(Bits) == sizeof(float) || sizeof(Bits) == sizeof(double);
template <class Bits, class Codec>
inline constexpr bool may_have_value_v =
    may_be_numbers_v<Bits> &&
    (std::is_same_v<Codec, key_codec<Bits>> || std::is_same_v<Codec, round_codec<key_codec<Bits>>>);

/// The codec that made the codes, if they may represent numbers.
template <class Bits, class Codec>
__device__ __forceinline__ key_codec<Bits> maker_of(const Codec& codec) {
  if constexpr (!may_have_value_v<Bits, Codec>)
    return {};
  else if constexpr (std::is_same_v<Codec, key_codec<Bits>>)
    return codec;
  else
    return codec.maker;
}

/// The values of floating-point codes, as far as buckets need them: a single-precision number that grows with the
/// value, made from the leading word alone by bit operations, which are cheaper than converting doubles. NaNs, which
/// are farther from zero than infinity, count as infinity. Doubles below a least exponent count as zero, and the others
/// are scaled down by a power of two.
template <class Bits>
class code_values {
  static constexpr bool is_wide = sizeof(Bits) > sizeof(float);
  static constexpr unsigned extra_bits = is_wide ? 3 : 0;  // of exponents, which single precision lacks
  static constexpr unsigned most = 0x7f7fffffu >> extra_bits;
  static constexpr unsigned sign = 1u << 31;

 public:
  __device__ code_values(const key_codec<Bits>& codec, unsigned least_exponent)
      : invert_{block::leading_word(codec.invert, 0)},
        zero_{block::leading_word(static_cast<Bits>(codec.encode(codec.flip) ^ codec.invert), 0)},
        greatest_{zero_ + block::leading_word(static_cast<Bits>((codec.flip - 1) & ~codec.bias), 0)},
        least_exponent_{least_exponent} {}

  __device__ __forceinline__ float operator()(Bits code) const {
    const int distance = distance_of(code);
    auto magnitude = static_cast<unsigned>(abs(distance));
    if constexpr (is_wide) magnitude = min(max(magnitude, least_exponent_) - least_exponent_, most) << extra_bits;
    return __uint_as_float(magnitude | (static_cast<unsigned>(distance) & sign));
  }

  /// A least exponent for which values as far from zero as this code's are well within single precision.
  __device__ unsigned least_exponent_for(Bits code) const {
    constexpr unsigned exponent_bits = 20, exponents_below = 192u << exponent_bits;
    const auto magnitude = static_cast<unsigned>(abs(distance_of(code)));
    return is_wide && magnitude > exponents_below ? (magnitude - exponents_below) >> exponent_bits << exponent_bits : 0;
  }

 private:
  /// The distance of a code from zero, in leading words; negative below zero.
  __device__ __forceinline__ int distance_of(Bits code) const {
    return static_cast<int>(min(block::leading_word(code, 0) ^ invert_, greatest_) - zero_);
  }

  unsigned invert_;
  unsigned zero_;      ///< leading word of zero's code in ascending order
  unsigned greatest_;  ///< likewise of infinity's code
  unsigned least_exponent_;
};

/// Buckets that divide the range of values of floating-point codes into equal parts, whatever widths these have in
/// terms of codes. Rounding preserves the order.
template <class Bits>
struct valued_buckets {
  code_values<Bits> value_of;
  float scale;  ///< negative in descending order
  float origin;
  unsigned last;

  __device__ valued_buckets(const key_codec<Bits>& codec, const even_buckets<Bits>& even)
      : value_of{codec, even.least_exponent}, scale{even.scale}, origin{even.origin}, last{even.buckets - 1} {}

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    return min(__float2uint_rz(__fmaf_rn(value_of(code), scale, origin)), last);  // never below zero
  }
};

/// Makes `even` a set of valued buckets from `least` to `greatest`; codes outside go to the first and the last bucket.
/// Returns false if these ends do not allow for that.
template <class Bits>
__device__ bool divide_values(even_buckets<Bits>& even, Bits least, Bits greatest, const key_codec<Bits>& codec) {
  const code_values<Bits> all{codec, 0};
  even.least_exponent = max(all.least_exponent_for(least), all.least_exponent_for(greatest));
  const code_values<Bits> value_of{codec, even.least_exponent};
  const float first = value_of(least), range = value_of(greatest) - first;
  even.scale = static_cast<float>(even.buckets) / range;
  even.origin = -first * even.scale;
  return isfinite(even.scale) && even.scale != 0 && isfinite(even.origin);
}

/// Stands in for even buckets where keys are no codes: never in use.
struct no_even_buckets {
  static constexpr unsigned buckets = 0;
  static constexpr const breakpoint* curve = nullptr;
  static constexpr float scale = 0;
  template <class Key>
  __device__ unsigned operator()(const Key&) const {
    return 0;
  }
  __device__ bool all_equal(unsigned) const { return false; }
};

}  // namespace gpu::inline v1::detail::device::block
