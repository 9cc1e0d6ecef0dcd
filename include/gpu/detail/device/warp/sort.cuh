// Sorting in the registers of a warp: each lane sorts its own codes, then bitonic merges join the lanes by shuffles.
// Batcher, "Sorting networks and their applications", 1968.
#pragma once

#include <type_traits>

#include "../thread/merge_network.cuh"
#include "shuffle.cuh"

namespace gpu::inline v1::detail::device::warp {

/// Orders two codes, in comparator i of a step. Half of the comparators compute the greater of two words as their sum
/// less the lesser: the multiply-add unit is otherwise idle, and a multiprocessor's throughput of minima and maxima is
/// the limit.
template <class Code>
__device__ __forceinline__ void order_codes(int i, Code& first, Code& second) {
  if constexpr (std::is_same_v<Code, unsigned>) {
    if ((i + i / 2 + i / 4) % 2 == 0) {
      const unsigned one = gridDim.y;  // always 1, but unknown to the compiler, which must multiply
      const unsigned sum = first * one + second;
      first = second < first ? second : first;
      second = sum - first;
      return;
    }
  }
  thread::order_numbers(first, second);
}

/// Sorts the calling lane's codes.
template <int Items, class Code>
__device__ __forceinline__ void sort_lane(Code (&codes)[Items]) {
  thread::sort_by<Items>([&](int i, int j) { warp::order_codes(i, codes[i], codes[j]); });
}

/// The code that a lane of a pair keeps: the lower lane the lesser, the other one the greater.
template <class Code>
__device__ __forceinline__ Code kept(bool lower, const Code& own, const Code& other) {
  return (other < own) == lower ? other : own;
}

/// Sorts the lane's bitonic sequence by half-cleaners, down to sequences of one or three codes.
template <int Items, class Code>
__device__ __forceinline__ void clean(Code (&codes)[Items]) {
  constexpr int odd = Items % 3 == 0 ? 3 : 1;
#pragma unroll
  for (int step = Items / 2; step >= odd; step /= 2)
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i / step % 2 == 0) warp::order_codes(i, codes[i], codes[i + step]);
  if constexpr (odd == 3)
#pragma unroll
    for (int first = 0; first < Items; first += odd) {
      thread::order_numbers(codes[first], codes[first + 1]);
      thread::order_numbers(codes[first + 1], codes[first + 2]);
      thread::order_numbers(codes[first], codes[first + 1]);
    }
}

/// Merges the lanes' sorted codes in groups of `lanes` lanes, a power of two. Called by all lanes.
template <int Items, class Code>
__device__ __forceinline__ void merge_in_groups(Code (&codes)[Items], unsigned lanes) {
  const unsigned lane = threadIdx.x % threads;
#pragma unroll 1
  for (unsigned run = 1; run < lanes; run *= 2) {
    const bool first_half = (lane & run) == 0;
    const int across = static_cast<int>(2 * run - 1);
#pragma unroll
    for (int i = 0; i < Items / 2; ++i) {  // the whole other half, backwards
      const Code low = warp::shuffle_xor(codes[i], across), high = warp::shuffle_xor(codes[Items - 1 - i], across);
      codes[i] = warp::kept(first_half, codes[i], high);
      codes[Items - 1 - i] = warp::kept(first_half, codes[Items - 1 - i], low);
    }
#pragma unroll 1
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      const bool lower = (lane & distance) == 0;
#pragma unroll
      for (int i = 0; i < Items; ++i)
        codes[i] = warp::kept(lower, codes[i], warp::shuffle_xor(codes[i], static_cast<int>(distance)));
    }
    warp::clean(codes);
  }
}

}  // namespace gpu::inline v1::detail::device::warp
