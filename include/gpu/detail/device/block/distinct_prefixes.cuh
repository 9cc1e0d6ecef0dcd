// How many different prefixes the codes of a sample have, of each number of digits: linear counting. Whang,
// Vander-Zanden and Taylor, "A linear-time probabilistic counting algorithm for database applications", 1990.
#pragma once

#include <cmath>

#include "../warp/shuffle.cuh"
#include "digit_ranks.cuh"
#include "repetition.cuh"

namespace gpu::inline v1::detail::device::block {

/// A hash of a code without its last `digits`.
template <class Bits>
__device__ __forceinline__ unsigned prefix_hash(Bits code, unsigned digits) {
  return static_cast<unsigned>(block::hash_of(static_cast<Bits>(code >> (digit_bits * digits))) >> 32);
}

/// Prefixes of codes of this many digits, without so many of the last.
template <unsigned Digits>
struct distinct_prefixes {
  static constexpr unsigned log_bits = 15, words = (1u << log_bits) / 32;
  unsigned seen[Digits][words];  ///< a bit for each hash
  unsigned count[Digits];        ///< of these bits

  /// Looks at a sample, without these digits, a bit for each. Called once, by all threads of a block; synchronises
  /// before and after.
  template <int Items, class Bits>
  __device__ void add(const Bits (&sample)[Items], unsigned digits) {
    static_assert(Digits == sizeof(Bits));
    __syncthreads();
    for (unsigned i = threadIdx.x; i < Digits * words; i += blockDim.x) seen[i / words][i % words] = 0;
    if (threadIdx.x < Digits) count[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned rest = digits; rest != 0; rest &= rest - 1) {
      const unsigned d = static_cast<unsigned>(__ffs(static_cast<int>(rest))) - 1;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        const unsigned bit = block::prefix_hash(sample[i], d) >> (32 - log_bits), mask = 1u << bit % 32;
        unsigned& word = seen[d][bit / 32];
        if ((word & mask) == 0) atomicOr(&word, mask);  // few find that a frequent one is new
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

  /// About how many different prefixes there are without the last `digits`.
  [[nodiscard]] __device__ float without(unsigned digits) const {
    constexpr auto bits = static_cast<float>(1u << log_bits);
    return -bits * logf(1 - static_cast<float>(count[digits]) / bits);
  }
};

}  // namespace gpu::inline v1::detail::device::block
