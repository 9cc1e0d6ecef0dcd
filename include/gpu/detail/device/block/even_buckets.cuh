// Buckets that are computed instead of searched. Where codes lie evenly in their range, buckets of equal width take one
// multiplication; where their density varies, as that of floating-point numbers does, a curve through the sample's
// distribution takes one look-up more; where it varies by powers, as in Zipf's law, the curve has a logarithmic scale.
// Dobosiewicz, "Sorting by distributive partitioning", 1978; Kraska, Beutel, Chi, Dean and Polyzotis, "The case for
// learned index structures", 2018 (a model of the distribution instead of a search).
#pragma once

#include <cstdint>

#include "../../keys/key.hpp"
#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// Bits of the word that a code is measured by: all of it, and at least 32.
template <class Bits>
inline constexpr unsigned measured_bits = sizeof(Bits) <= 4 ? 32 : 8 * sizeof(Bits);

/// The leading 32 bits of what is left of a code after `shift` of its measured bits.
template <class Bits>
__device__ __forceinline__ unsigned leading_word(Bits code, unsigned shift) {
  if constexpr (sizeof(Bits) <= 4)
    return static_cast<unsigned>(code) << shift;
  else
    return static_cast<unsigned>((code << shift) >> (measured_bits<Bits> - 32));
}

/// The number that has this leading word, or a part of it, and nothing behind.
template <class Bits>
__device__ __forceinline__ Bits of_leading_word(unsigned word, unsigned shift) {
  if constexpr (sizeof(Bits) <= 4)
    return static_cast<Bits>(word >> shift);
  else
    return static_cast<Bits>(static_cast<Bits>(word) << (measured_bits<Bits> - 32)) >> shift;
}

/// Leading zeros of a code among its measured bits; one fewer than all for zero.
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

/// A piece of the curve: the share of codes before it and in it, in 2^-32.
struct breakpoint {
  unsigned before;
  unsigned within;
};
inline constexpr unsigned breakpoint_bits = 9;
inline constexpr unsigned breakpoints = 1u << breakpoint_bits;

/// Stretches what is small, in order: every binade takes as much room, 2^26, in which numbers lie evenly.
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
  unsigned factor;  ///< 2^32 times the buckets per unit of a leading word
  unsigned buckets;
  const breakpoint* curve;  ///< if not null, the share of codes takes the place of their leading word
  bool logarithmic;         ///< the scale of the curve
  float scale;              ///< if not zero, the codes' values are what lies evenly: buckets per unit of them, and
  float origin;             ///< less than no bucket, where zero would lie; see valued_buckets
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
        __uint2float_ru(block::leading_word(span, shift) | 0xffu);  // some 2^-23 more at most, and never less
    factor = __float2uint_rd(__fdiv_rd(static_cast<float>(buckets) * 0x1p32f, units));
  }

  /// An equal number of buckets, of which two at either end lie outside the range: one for what a sample has just
  /// missed, and the outermost for few codes far away, which would crowd all others of a bucket in one part of its
  /// range. Returns *this where four buckets are not to be spared.
  __device__ even_buckets with_separate_outsiders() const {
    constexpr unsigned enough = 128;
    if (buckets < enough) return *this;
    const unsigned two = block::leading_word(span, shift) / (buckets - 4) * 2;  // buckets of so many in the range
    const Bits margin = block::of_leading_word<Bits>(two, shift), greatest = static_cast<Bits>(least + span);
    const Bits below = least < margin ? least : margin, room = static_cast<Bits>(~greatest);
    return {static_cast<Bits>(least - below), static_cast<Bits>(span + below + (room < margin ? room : margin)),
            buckets};
  }

  /// Whether a code lies in the range.
  __device__ bool has(Bits code) const { return static_cast<Bits>(code - least) <= span; }

  /// Where a code lies in the range, as a leading word.
  __device__ __forceinline__ unsigned offset(Bits code) const {
    const Bits distance = static_cast<Bits>((code > least ? code : least) - least);
    return block::leading_word(distance < span ? distance : span, shift);
  }

  __device__ __forceinline__ unsigned operator()(Bits code) const { return __umulhi(offset(code), factor); }

  /// Where a code lies along the curve.
  __device__ __forceinline__ unsigned abscissa(Bits code) const {
    return logarithmic ? block::logarithmic_scale(offset(code)) : offset(code);
  }

  /// Whether bucket b cannot hold two different codes: buckets are no wider than one, and no outsiders come here.
  __device__ bool all_equal(unsigned b) const {
    const unsigned width = measured_bits<Bits> - shift;
    return curve == nullptr && scale == 0 && b > 0 && b + 1 < buckets && width < 32 && factor >> width != 0;
  }
};

/// Buckets of equally many codes, by the curve in shared memory.
template <class Bits>
struct curved_buckets {
  even_buckets<Bits> line;
  const breakpoint* curve;

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    const unsigned at = line.abscissa(code);
    const breakpoint piece = curve[at >> (32 - breakpoint_bits)];
    return __umulhi(piece.before + __umulhi(at << breakpoint_bits, piece.within), line.buckets);
  }

  /// Whether the curve rises where a code lies, so that it tells codes from each other there.
  __device__ bool rises_at(Bits code) const { return curve[line.abscissa(code) >> (32 - breakpoint_bits)].within != 0; }
};

/// Whether codes of Bits, and those that Codec makes or that were made before, may stand for numbers to compute with.
template <class Bits>
inline constexpr bool may_be_numbers_v = sizeof(Bits) == sizeof(float) || sizeof(Bits) == sizeof(double);
template <class Bits, class Codec>
inline constexpr bool may_have_value_v =
    may_be_numbers_v<Bits> &&
    (std::is_same_v<Codec, key_codec<Bits>> || std::is_same_v<Codec, round_codec<key_codec<Bits>>>);

/// What has made the codes, as far as they may stand for numbers.
template <class Bits, class Codec>
__device__ __forceinline__ key_codec<Bits> maker_of(const Codec& codec) {
  if constexpr (!may_have_value_v<Bits, Codec>)
    return {};
  else if constexpr (std::is_same_v<Codec, key_codec<Bits>>)
    return codec;
  else
    return codec.maker;
}

/// What floating-point codes stand for, as far as buckets need it: a number of single precision that grows with the
/// value, from the leading word alone, as bits are cheaper to turn into one than doubles are. NaNs, farther from zero
/// than infinity, count as that. Of doubles those below a least exponent count as zero, and the others are so many
/// powers of two too small.
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

  /// A least exponent such that values as far from zero as that of a code are well within single precision.
  __device__ unsigned least_exponent_for(Bits code) const {
    constexpr unsigned exponent_bits = 20, exponents_below = 192u << exponent_bits;
    const auto magnitude = static_cast<unsigned>(abs(distance_of(code)));
    return is_wide && magnitude > exponents_below ? (magnitude - exponents_below) >> exponent_bits << exponent_bits : 0;
  }

 private:
  /// How many leading words lie between zero and a code.
  __device__ __forceinline__ int distance_of(Bits code) const {
    return static_cast<int>(min(block::leading_word(code, 0) ^ invert_, greatest_) - zero_);
  }

  unsigned invert_;
  unsigned zero_;      ///< leading word of zero's code in ascending order
  unsigned greatest_;  ///< and of infinity's
  unsigned least_exponent_;
};

/// Buckets that take equal parts of the range of values of floating-point codes, whatever they make of the codes'.
/// Rounding keeps the order.
template <class Bits>
struct valued_buckets {
  code_values<Bits> value_of;
  float scale;  ///< negative in descending order
  float origin;
  unsigned last;

  __device__ valued_buckets(const key_codec<Bits>& codec, const even_buckets<Bits>& even)
      : value_of{codec, even.least_exponent}, scale{even.scale}, origin{even.origin}, last{even.buckets - 1} {}

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    return min(__float2uint_rz(__fmaf_rn(value_of(code), scale, origin)), last);  // which is never below zero
  }
};

/// Makes `even` one of valued buckets from `least` to `greatest`, codes outside which go to the first and the last one;
/// false if these ends do not allow for that.
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

/// Stands for even buckets where keys are no codes: never in use.
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
