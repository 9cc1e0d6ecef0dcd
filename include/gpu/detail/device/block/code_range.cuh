// The range of a tile's codes, and the position of a code in it.
#pragma once

#include <bit>

#include "even_buckets.cuh"
#include "extremes.cuh"

namespace gpu::inline v1::detail::device::block {

template <unsigned Power>
inline constexpr unsigned log_of = std::countr_zero(Power);

template <class Bits>
struct code_range {
  Bits least;
  unsigned shift;  ///< leading zeros of the difference between the greatest and the least code
  unsigned span;   ///< the 32 bits of the difference after these: the offset of the greatest code

  __device__ code_range(Bits least, Bits difference)
      : least{least}, shift{block::leading_zeros(difference)}, span{block::leading_word(difference, shift)} {}

  __device__ bool all_equal() const { return span == 0; }
  /// The offset of a code of the range from the least one, as a leading word.
  __device__ __forceinline__ unsigned offset(Bits code) const {
    return block::leading_word(static_cast<Bits>(code - least), shift);
  }
  /// Whether most codes, judged by one per thread, are in the lowest sixteenth of the range, so that bins are better
  /// the narrower the lower they are. The threshold is more than half, so that many copies of the least code alone do
  /// not reach it. Synchronises.
  template <int Threads>
  __device__ __forceinline__ bool most_are_low(Bits code) const {
    return __syncthreads_count(offset(code) < 1u << 28) > Threads / 8 * 5;
  }
  /// The bin of a code of the range, where each binade of the range has equally many bins and the highest binade has
  /// the last ones. The least code has a bin of its own, unless the range is as wide as a code.
  template <unsigned Bins>
  __device__ __forceinline__ unsigned logarithmic_bin(Bits code) const {
    constexpr unsigned width = measured_bits<Bits>;
    static_assert((Bins & (Bins - 1)) == 0 && Bins >= 2 * width);
    const unsigned highest = width - shift - (shift == 0 ? 1 : 0);  // the last binade; 0 is the least code's
    const unsigned binade_bits = 32 - static_cast<unsigned>(__clz(static_cast<int>(highest)));
    const unsigned bits = log_of<Bins> - binade_bits;  // of the bin's number in its binade
    const auto above = static_cast<Bits>(code - least);
    if (above == 0) return 0;
    const unsigned zeros = block::leading_zeros(above), last = (1u << binade_bits) - 1;
    return (last - (zeros - shift)) << bits | (block::leading_word(above, zeros) << 1) >> (32 - bits);
  }
};

template <class Bits, int Threads>
struct code_range_storage {
  extremes_storage<unsigned, Threads> words;
  extremes_storage<Bits, Threads> codes;
};

/// The range of all codes of all threads, in every thread, precise enough for `Bins` bins: for wide codes the leading
/// words suffice, unless they hardly differ. Synchronises, but not at the end.
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
