// The range of a tile's codes, and where in it a code lies.
#pragma once

#include "even_buckets.cuh"
#include "extremes.cuh"

namespace gpu::inline v1::detail::device::block {

template <class Bits>
struct code_range {
  Bits least;
  unsigned shift;  ///< leading zeros of the greatest code less the least
  unsigned span;   ///< 32 bits of it from there on: the place of the greatest code

  __device__ code_range(Bits least, Bits difference)
      : least{least}, shift{block::leading_zeros(difference)}, span{block::leading_word(difference, shift)} {}

  __device__ bool all_equal() const { return span == 0; }
  /// Of one of the codes, as a leading word.
  __device__ __forceinline__ unsigned place(Bits code) const {
    return block::leading_word(static_cast<Bits>(code - least), shift);
  }
};

template <class Bits, int Threads>
struct code_range_storage {
  extremes_storage<unsigned, Threads> words;
  extremes_storage<Bits, Threads> codes;
};

/// Over all codes of all threads, for every thread, closely enough for so many bins: of wide codes the leading words
/// tell it, unless they hardly differ. Synchronises, not at the end.
template <int Threads, unsigned Bins, class Bits, int Items>
__device__ code_range<Bits> range_of_codes(const Bits (&codes)[Items], code_range_storage<Bits, Threads>& shared) {
  constexpr unsigned enough = 8 * Bins;
  constexpr unsigned below = measured_bits<Bits> - 32;
  unsigned words[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) words[i] = block::leading_word(codes[i], 0);
  const auto leading = block::extremes<Threads>(words, shared.words);
  const unsigned span = leading.greatest - leading.least;
  if (sizeof(Bits) <= 4 || span >= enough) {
    constexpr Bits lower = static_cast<Bits>((Bits{1} << below) - 1);
    return {static_cast<Bits>(static_cast<Bits>(leading.least) << below),
            static_cast<Bits>(static_cast<Bits>(span) << below | lower)};
  }
  const auto exact = block::extremes<Threads>(codes, shared.codes);
  return {exact.least, static_cast<Bits>(exact.greatest - exact.least)};
}

}  // namespace gpu::inline v1::detail::device::block
