// Ranks of a tile's elements within their digits, stable or in any order. For stable ranks every warp counts its digits
// first, so that the block knows the sums before any element has a rank. Adinets and Merrill, "Onesweep: a faster least
// significant digit radix sort for GPUs", 2022.
#pragma once

#include "../thread/packed.cuh"
#include "../warp/shuffle.cuh"
#include "distribute.cuh"
#include "items.cuh"

namespace gpu::inline v1::detail::device::block {

inline constexpr int digit_bits = 8;
inline constexpr int slot_bits = 16;  ///< of a slot in a tile
inline constexpr unsigned radix_digits = 1u << digit_bits;

/// Shared memory of digit_starts().
template <class Number>
struct digit_sums {
  Number of[radix_digits / warp::threads];  ///< sums over `warp::threads` digits each
};

/// The number of elements with digits smaller than threadIdx.x % radix_digits, the thread's own digit, of which there
/// are `count`. Computed by the whole groups of radix_digits threads, whose threads are `active`. Synchronises the
/// block.
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

struct in_any_order {};

/// For blocks of Threads threads. MayBeFew: threads may have fewer items than Items.
template <int Threads, bool MayBeFew>
class digit_ranks {
  static constexpr unsigned warps = Threads / warp::threads;
  static constexpr unsigned groups = Threads / radix_digits;  ///< of threads, one per digit, with warps of their own
  static constexpr unsigned grouped = warps / groups;
  static_assert(groups > 0 && warps % groups == 0);

 public:
  struct storage {
    digit_sums<unsigned> starts;
    unsigned sums[groups][radix_digits];
    unsigned counts[warps][radix_digits];  ///< per warp; then the slots of its next elements
  };

  unsigned sum = 0;    ///< elements of digit threadIdx.x in the tile, if there is such a digit
  unsigned start = 0;  ///< how many elements have smaller digits

  /// Stable ranks: sets `slots` to the slots of the thread's items in the order of their digits, digit_of(i, which),
  /// which is computed twice per item. Items from left() on, counted in elements of the tile from the thread's first
  /// one, are absent, and their slots are unspecified; left() is called often, as a call is cheaper than a register.
  /// publish(sum) is called by thread d as soon as the tile's elements of digit d are counted. Synchronises.
  template <int Items, class Left, class Digit, class Publish>
  __device__ __forceinline__ digit_ranks(storage& shared, thread::packed<Items, slot_bits>& slots, Left left,
                                         unsigned which, Digit digit_of, Publish publish) {
    static_assert(Threads * Items <= 1 << slot_bits);
    unsigned* const counts = shared.counts[threadIdx.x / warp::threads];
#pragma unroll
    for (unsigned d = 0; d < radix_digits; d += warp::threads) counts[d + threadIdx.x % warp::threads] = 0;
    __syncwarp();
    const auto count = [&](int i) { atomicAdd(&counts[digit_of(i, which)], 1u); };
    if (__all_sync(warp::all_lanes, is_there(Items - 1, left))) {  // a branch for each costs more than it saves
#pragma unroll
      for (int i = 0; i < Items; ++i) count(i);
    } else {
      block::for_items<Items, MayBeFew>(left, [&](int i) {
        if (is_there(i, left)) count(i);
      });
    }
    line_up(shared, publish);
    which = thread::forgotten(which);
    block::for_items<Items, MayBeFew>(
        left, [&](int i) { slots.set(i, next_slot(counts, thread::forgotten(digit_of(i, which)))); });
  }

  /// Like the above, with elements of a digit in any order. claim(sum) is called like publish(sum).
  template <int Items, class Left, class Digit, class Claim>
  __device__ __forceinline__ digit_ranks(in_any_order, storage& shared, thread::packed<Items, slot_bits>& slots,
                                         Left left, unsigned which, Digit digit_of, Claim claim) {
    unsigned* const counts = shared.counts[0];
    const bool own = threadIdx.x < radix_digits;
    if (own) counts[threadIdx.x] = 0;
    __syncthreads();
    block::for_items<Items, MayBeFew>(
        left, [&](int i) { slots.set(i, is_there(i, left) ? atomicAdd(&counts[digit_of(i, which)], 1u) : 0); });
    __syncthreads();
    if (own) claim(sum = counts[threadIdx.x]);
    start = block::digit_starts(shared.starts, own, sum);
    if (own) counts[threadIdx.x] = start;
    __syncthreads();
    which = thread::forgotten(which);
    block::for_items<Items, MayBeFew>(left,
                                      [&](int i) { slots.add(i, counts[thread::forgotten(digit_of(i, which))]); });
  }

 private:
  template <class Left>
  __device__ __forceinline__ static bool is_there(int item, Left left) {
    return item * static_cast<int>(warp::threads) < left();
  }

  /// Turns the warps' counts into the slots of their first elements. Synchronises.
  template <class Publish>
  __device__ __forceinline__ void line_up(storage& shared, Publish publish) {
    const unsigned digit = threadIdx.x % radix_digits, group = threadIdx.x / radix_digits;
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
      for (unsigned g = 0; g < groups; ++g) {
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

  /// The slot of the caller's element: lanes with the same digit get consecutive slots. All 32 threads call.
  __device__ __forceinline__ static unsigned next_slot(unsigned* slots, unsigned digit) {
    const unsigned others = block::lanes_of_others<digit_bits>(digit);
    const unsigned first = slots[digit];
    __syncwarp();
    const auto ahead = static_cast<unsigned>(__popc(~others & warp::lanes_before()));
    if (ahead == 0) slots[digit] = first + warp::threads - static_cast<unsigned>(__popc(others));
    __syncwarp();
    return first + ahead;
  }
};

}  // namespace gpu::inline v1::detail::device::block
