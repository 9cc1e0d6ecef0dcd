// Stable ranks of a tile's elements among those of its digits. Every warp counts its digits first, so that the block
// knows the sums before any element has a rank. Adinets and Merrill, "Onesweep: a faster least significant digit radix
// sort for GPUs", 2022.
#pragma once

#include "../warp/shuffle.cuh"
#include "distribute.cuh"

namespace gpu::inline v1::detail::device::block {

inline constexpr unsigned radix_digits = 256;

/// Shared memory of digit_starts().
template <class Number>
struct digit_sums {
  Number of[radix_digits / warp::threads];  ///< so many digits
};

/// How many elements have smaller digits than threadIdx.x % radix_digits, of which there are `count`: for each thread
/// of the whole groups of so many threads, which are `active`. Synchronises the block.
template <class Number>
__device__ __forceinline__ Number digit_starts(digit_sums<Number>& shared, bool active, Number count) {
  const unsigned digit = threadIdx.x % radix_digits;
  Number up_to_here = 0;
  if (active) {
    up_to_here = warp::inclusive_sum(count);
    if (threadIdx.x < radix_digits && threadIdx.x % warp::threads == warp::threads - 1)
      shared.of[digit / warp::threads] = up_to_here;
  }
  __syncthreads();
  Number before = up_to_here - count;
#pragma unroll
  for (unsigned w = 0; w < radix_digits / warp::threads; ++w) before += w < digit / warp::threads ? shared.of[w] : 0;
  return before;
}

/// Of blocks of up to Threads, a multiple of radix_digits, or of exactly as many.
template <int Threads>
class digit_ranks {
  static constexpr unsigned most_warps = Threads / warp::threads;
  static constexpr unsigned most_groups = Threads / radix_digits;  ///< of threads, one per digit, with warps of theirs
  static constexpr unsigned grouped = most_warps / most_groups;
  static_assert(most_groups > 0 && most_warps % most_groups == 0);

 public:
  struct storage {
    digit_sums<unsigned> starts;
    unsigned sums[most_groups][radix_digits];
    unsigned counts[most_warps][radix_digits];  ///< of a warp; then the slot of its next element of the digit
  };
  /// What blocks of so many threads need of it.
  static constexpr std::size_t bytes(int threads) {
    return sizeof(storage) -
           (most_warps - static_cast<unsigned>(threads / warp::threads)) * radix_digits * sizeof(unsigned);
  }

  unsigned sum = 0;    ///< the tile's elements of digit threadIdx.x, if there is one
  unsigned start = 0;  ///< how many elements have smaller digits

  /// The thread's digits become slots of their elements in the order of digits. publish(sum) is called by thread d as
  /// soon as the tile's elements of digit d are counted. Synchronises.
  template <int Items, class Publish>
  __device__ __forceinline__ digit_ranks(storage& shared, unsigned (&digit)[Items], Publish publish) {
    unsigned* const counts = shared.counts[threadIdx.x / warp::threads];
#pragma unroll
    for (unsigned d = 0; d < radix_digits; d += warp::threads) counts[d + threadIdx.x % warp::threads] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Items; ++i) atomicAdd(&counts[digit[i]], 1u);
    line_up(shared, publish);
#pragma unroll
    for (int i = 0; i < Items; ++i) asm volatile("" : "+r"(digit[i]));  // what lanes are alike is not found before
#pragma unroll
    for (int i = 0; i < Items; ++i) digit[i] = next_slot(counts, digit[i]);
  }

 private:
  /// The warps' counts become the slots of their first elements. Synchronises.
  template <class Publish>
  __device__ __forceinline__ void line_up(storage& shared, Publish publish) {
    const unsigned digit = threadIdx.x % radix_digits, group = threadIdx.x / radix_digits;
    const unsigned groups = blockDim.x / (grouped * warp::threads);
    const bool active = group < groups;
    unsigned before[grouped];  // elements of the digit in the group's warps before
    unsigned own = 0, others = 0;
    __syncthreads();
    if (active) {
#pragma unroll
      for (unsigned w = 0; w < grouped; ++w) {
        before[w] = own;
        own += shared.counts[group * grouped + w][digit];
      }
      shared.sums[group][digit] = own;
    }
    __syncthreads();
    if (active) {
#pragma unroll
      for (unsigned g = 0; g < most_groups; ++g) {
        if (g >= groups) break;
        const unsigned sum_of_group = shared.sums[g][digit];
        others += g < group ? sum_of_group : 0;
        sum += sum_of_group;
      }
      if (group == 0) publish(sum);
    }
    start = block::digit_starts(shared.starts, active, sum);
    if (active) {
#pragma unroll
      for (unsigned w = 0; w < grouped; ++w) shared.counts[group * grouped + w][digit] = start + others + before[w];
    }
    __syncthreads();
  }

  /// The slot of the caller's element: lanes that meet in a digit follow each other. All 32 threads call.
  __device__ __forceinline__ static unsigned next_slot(unsigned* slots, unsigned digit) {
    const unsigned alike = block::lanes_alike<8>(warp::all_lanes, digit);
    const unsigned first = slots[digit];
    __syncwarp();
    const auto ahead = static_cast<unsigned>(__popc(alike & warp::lanes_before()));
    if (ahead == 0) slots[digit] = first + static_cast<unsigned>(__popc(alike));
    __syncwarp();
    return first + ahead;
  }
};

}  // namespace gpu::inline v1::detail::device::block
