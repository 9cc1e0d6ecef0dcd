// Buckets of equal width: where codes lie evenly in their range, the bucket of a code is one multiplication away, and
// no splitter has to be looked up. Dobosiewicz, "Sorting by distributive partitioning", 1978.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// `buckets` intervals of [least, least + span]; codes outside fall into the first and the last. Zero buckets: unused.
template <class Bits>
struct even_buckets {
  Bits least;
  Bits span;
  unsigned shift;   ///< leading zeros of span
  unsigned factor;  ///< 2^32 times the buckets per unit of a leading word
  unsigned buckets;

  even_buckets() = default;
  __device__ even_buckets(Bits least, Bits span, unsigned buckets)
      : least{least}, span{span}, shift{leading_zeros(span)}, buckets{buckets} {
    const std::uint64_t units = std::uint64_t{leading_word(span, shift)} + 1;
    factor = static_cast<unsigned>((std::uint64_t{buckets} << 32) / units);
  }

  __device__ __forceinline__ unsigned operator()(Bits code) const {
    const Bits distance = static_cast<Bits>((code > least ? code : least) - least);
    return __umulhi(leading_word(distance < span ? distance : span, shift), factor);
  }

  /// Whether bucket b cannot hold two different codes: buckets are no wider than one, and no outsiders come here.
  __device__ bool all_equal(unsigned b) const {
    const unsigned width = measured_bits<Bits> - shift;
    return b > 0 && b + 1 < buckets && width < 32 && factor >> width != 0;
  }
};

/// The same for keys that are no codes: never in use.
struct no_even_buckets {
  static constexpr unsigned buckets = 0;
  template <class Key>
  __device__ unsigned operator()(const Key&) const {
    return 0;
  }
  __device__ bool all_equal(unsigned) const { return false; }
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
