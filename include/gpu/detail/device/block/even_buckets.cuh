// Buckets that are computed instead of searched. Where codes lie evenly in their range, buckets of equal width take one
// multiplication; where their density varies, as that of floating-point numbers does, a curve through the sample's
// distribution takes one look-up more; where it varies by powers, as in Zipf's law, the curve has a logarithmic scale.
// Dobosiewicz, "Sorting by distributive partitioning", 1978; Kraska, Beutel, Chi, Dean and Polyzotis, "The case for
// learned index structures", 2018 (a model of the distribution instead of a search).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../key.hpp"
#include "../columns.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

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
struct knot {
  unsigned before;
  unsigned within;
};
inline constexpr unsigned knot_bits = 9;
inline constexpr unsigned knots = 1u << knot_bits;

/// Stretches what is small, in order: every binade takes as much room, 2^26, in which numbers lie evenly.
__device__ __forceinline__ unsigned logarithmic_scale(unsigned place) {
  constexpr unsigned origin = 126u << 23;  // of the floating-point number 0.5
  return (max(__float_as_uint(__uint2float_rz(place)), origin) - origin) << 3;
}

/// `buckets` intervals of [least, least + span]; codes outside fall into the first and the last. Zero buckets: unused.
template <class Bits>
struct even_buckets {
  Bits least;
  Bits span;
  unsigned shift;   ///< leading zeros of span
  unsigned factor;  ///< 2^32 times the buckets per unit of a leading word
  unsigned buckets;
  const knot* curve;  ///< if not null, the share of codes takes the place of their leading word
  bool logarithmic;   ///< the scale of the curve
  double scale;       ///< if not zero, the codes' values are what lies evenly: buckets per unit of them

  even_buckets() = default;
  __device__ even_buckets(Bits least, Bits span, unsigned buckets)
      : least{least},
        span{span},
        shift{leading_zeros(span)},
        buckets{buckets},
        curve{nullptr},
        logarithmic{false},
        scale{0} {
    const std::uint64_t units = std::uint64_t{leading_word(span, shift)} + 1;
    factor = static_cast<unsigned>((std::uint64_t{buckets} << 32) / units);
  }

  /// Where a code lies in the range, as a leading word.
  __device__ __forceinline__ unsigned place(Bits code) const {
    const Bits distance = static_cast<Bits>((code > least ? code : least) - least);
    return leading_word(distance < span ? distance : span, shift);
  }

  __device__ __forceinline__ unsigned operator()(Bits code) const { return __umulhi(place(code), factor); }

  /// Where a code lies along the curve.
  __device__ __forceinline__ unsigned abscissa(Bits code) const {
    return logarithmic ? logarithmic_scale(place(code)) : place(code);
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
  const knot* curve;

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    const unsigned at = line.abscissa(code);
    const knot piece = curve[at >> (32 - knot_bits)];
    return __umulhi(piece.before + __umulhi(at << knot_bits, piece.within), line.buckets);
  }
};

/// The floating-point number of so many bytes; void where there is none to compute with.
template <std::size_t Bytes>
using number_of_size = std::conditional_t<Bytes == 4, float, std::conditional_t<Bytes == 8, double, void>>;

/// Whether codes made by Codec may stand for numbers to compute with.
template <class Bits, class Codec>
inline constexpr bool may_have_value_v =
    std::is_same_v<Codec, key_codec<Bits>> && !std::is_void_v<number_of_size<sizeof(Bits)>>;

/// The number that a code stands for.
template <class Bits>
__device__ __forceinline__ number_of_size<sizeof(Bits)> value_of(Bits code, const key_codec<Bits>& codec) {
  const Bits bits = codec.decode(code);
  if constexpr (sizeof(Bits) == 4)
    return __uint_as_float(bits);
  else
    return __longlong_as_double(static_cast<long long>(bits));
}

/// Buckets that take equal parts of the range of values of floating-point codes, whatever they make of the codes'.
/// Rounding keeps the order, and what is no number goes last, as its codes do.
template <class Bits>
struct valued_buckets {
  using number = number_of_size<sizeof(Bits)>;
  key_codec<Bits> codec;
  number origin;  ///< the value of the least code
  number scale;   ///< negative in descending order
  unsigned last;

  __device__ valued_buckets(const key_codec<Bits>& codec, const even_buckets<Bits>& even)
      : codec{codec},
        origin{value_of(even.least, codec)},
        scale{static_cast<number>(even.scale)},
        last{even.buckets - 1} {}

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    const number place = (value_of(code, codec) - origin) * scale;
    return place >= 0 ? static_cast<unsigned>(min(place, static_cast<number>(last))) : place < 0 ? 0 : last;
  }
};

/// The same for keys that are no codes: never in use.
struct no_even_buckets {
  static constexpr unsigned buckets = 0;
  static constexpr const knot* curve = nullptr;
  static constexpr double scale = 0;
  template <class Key>
  __device__ unsigned operator()(const Key&) const {
    return 0;
  }
  __device__ bool all_equal(unsigned) const { return false; }
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
