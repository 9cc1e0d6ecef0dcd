// Which digits of a sample's codes differ, and about how many different prefixes of each length there are: linear
// counting. Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting algorithm for database
// applications", 1990.
#pragma once

#include <cmath>
#include <cstdint>

#include "../warp/shuffle.cuh"
#include "digit_ranks.cuh"
#include "repetition.cuh"

namespace gpu::inline v1::detail::device::block {

/// A mask of the digits in which a sample differs from `one`, which is the same for all threads; returned to every
/// thread. `differing`: in shared memory, zero before. Synchronises before and after.
template <int Items, class Bits>
__device__ unsigned differing_digits(const Bits (&sample)[Items], Bits one, unsigned& differing) {
  Bits bits = 0;
#pragma unroll
  for (int i = 0; i < Items; ++i) bits |= static_cast<Bits>(sample[i] ^ one);
  unsigned digits = 0;
#pragma unroll
  for (unsigned d = 0; d < sizeof(Bits); ++d)
    digits |= static_cast<unsigned>(__any_sync(warp::all_lanes, static_cast<std::uint8_t>(bits >> digit_bits * d) != 0))
              << d;
  __syncthreads();
  if (threadIdx.x % warp::threads == 0) atomicOr(&differing, digits);
  __syncthreads();
  return differing;
}

/// A hash of a code without its last `digits` digits.
template <class Bits>
__device__ __forceinline__ unsigned prefix_hash(Bits code, unsigned digits) {
  return static_cast<unsigned>(block::hash_of(static_cast<Bits>(code >> (digit_bits * digits))) >> 32);
}

/// Counts the different prefixes of codes of Digits digits, one counter for each number of last digits left out.
template <unsigned Digits>
struct distinct_prefixes {
  static constexpr unsigned log_bits = 15, words = (1u << log_bits) / 32;
  unsigned seen[Digits][words];  ///< a bit for each hash
  unsigned count[Digits];        ///< of bits set

  /// Counts the prefixes of a sample: bit d of `digits` set means without the last d digits. Called once, by all
  /// threads of a block; synchronises before and after.
  template <int Items, class Bits>
  __device__ void add(const Bits (&sample)[Items], unsigned digits) {
    static_assert(Digits == sizeof(Bits));
    __syncthreads();
    for (unsigned rest = digits; rest != 0; rest &= rest - 1)
      for (unsigned w = threadIdx.x; w < words; w += blockDim.x) seen[__ffs(static_cast<int>(rest)) - 1][w] = 0;
    if (threadIdx.x < Digits) count[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned rest = digits; rest != 0; rest &= rest - 1) {
      const unsigned d = static_cast<unsigned>(__ffs(static_cast<int>(rest))) - 1;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        const unsigned bit = block::prefix_hash(sample[i], d) >> (32 - log_bits), mask = 1u << bit % 32;
        unsigned& word = seen[d][bit / 32];
        if ((word & mask) == 0) atomicOr(&word, mask);  // rarely taken for frequent prefixes
      }
    }
    __syncthreads();
    for (unsigned rest = digits; rest != 0; rest &= rest - 1) {
      const unsigned d = static_cast<unsigned>(__ffs(static_cast<int>(rest))) - 1;
      unsigned bits = 0;
      for (unsigned w = threadIdx.x; w < words; w += blockDim.x) bits += static_cast<unsigned>(__popc(seen[d][w]));
      bits = warp::sum(bits);
      if (threadIdx.x % warp::threads == 0) atomicAdd(&count[d], bits);
    }
    __syncthreads();
  }

  /// An estimate of the number of different prefixes without the last `digits` digits.
  [[nodiscard]] __device__ float without(unsigned digits) const {
    constexpr auto bits = static_cast<float>(1u << log_bits);
    return -bits * logf(1 - static_cast<float>(count[digits]) / bits);
  }
};

}  // namespace gpu::inline v1::detail::device::block
