// Exchanging elements between the threads of a warp.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../../config.hpp"

namespace gpu::inline v1::detail::device::warp {

inline constexpr int threads = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// Elements of at most this size are exchanged by shuffles; for larger ones shared memory takes fewer instructions.
inline constexpr std::size_t shuffle_bytes = 16;

/// move_word applied to all words of an element.
template <class T, class MoveWord>
__device__ __forceinline__ T move_words(const T& element, MoveWord move_word) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int words = static_cast<int>((sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned));
  unsigned buffer[words] = {};
  std::memcpy(buffer, __builtin_addressof(element), sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) buffer[i] = move_word(buffer[i]);
  T other;
  std::memcpy(__builtin_addressof(other), buffer, sizeof(T));
  return other;
}

/// The `element` of another thread of the warp: of lane `from`; of the lane whose index is ours exclusive-or `mask`; of
/// the lane before or after ours (our own where there is none). All 32 threads call.
template <class T>
__device__ __forceinline__ T shuffle(const T& element, unsigned from) {
  return warp::move_words(element, [&](unsigned word) { return __shfl_sync(all_lanes, word, static_cast<int>(from)); });
}
template <class T>
__device__ __forceinline__ T shuffle_xor(const T& element, int mask) {
  return warp::move_words(element, [&](unsigned word) { return __shfl_xor_sync(all_lanes, word, mask); });
}
template <class T>
__device__ __forceinline__ T shuffle_up(const T& element) {
  return warp::move_words(element, [](unsigned word) { return __shfl_up_sync(all_lanes, word, 1); });
}
template <class T>
__device__ __forceinline__ T shuffle_down(const T& element) {
  return warp::move_words(element, [](unsigned word) { return __shfl_down_sync(all_lanes, word, 1); });
}

/// The sum of the numbers of the calling lane and of those before it. All 32 threads call.
template <class Number>
__device__ __forceinline__ Number inclusive_sum(Number number) {
  for (int distance = 1; distance < threads; distance *= 2) {
    const Number before = __shfl_up_sync(all_lanes, number, distance);
    if (threadIdx.x % threads >= static_cast<unsigned>(distance)) number += before;
  }
  return number;
}

/// The reduction of a warp's elements by operation(), in every thread. All 32 threads call.
template <class T, class Operation>
__device__ __forceinline__ T reduce(T element, Operation operation) {
  for (int mask = threads / 2; mask > 0; mask /= 2) element = operation(element, warp::shuffle_xor(element, mask));
  return element;
}

/// The least and the greatest number of a warp, in every thread. All 32 threads call.
__device__ __forceinline__ unsigned minimum(unsigned number) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(all_lanes, number);
#else
  return warp::reduce(number, [](unsigned left, unsigned right) { return min(left, right); });
#endif
}
__device__ __forceinline__ unsigned maximum(unsigned number) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, number);
#else
  return warp::reduce(number, [](unsigned left, unsigned right) { return max(left, right); });
#endif
}

/// The bitwise or of a warp's numbers, in every thread. All 32 threads call.
template <class Number>
__device__ __forceinline__ Number any_bits(Number number) {
  return warp::reduce(number, [](Number left, Number right) { return left | right; });
}

/// A mask of the lanes before the calling one.
__device__ __forceinline__ unsigned lanes_before() { return (1u << threadIdx.x % threads) - 1; }

/// A mask of the lanes up to and including the calling one.
__device__ __forceinline__ unsigned lanes_up_to_here() { return ~0u >> (threads - 1 - threadIdx.x % threads); }

/// The sum of a warp's numbers, in every thread. All 32 threads call.
template <class Number>
__device__ __forceinline__ Number sum(Number number) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<Number, unsigned>)
    return __reduce_add_sync(all_lanes, number);
  else
#endif
    return warp::reduce(number, [](Number left, Number right) { return left + right; });
}

}  // namespace gpu::inline v1::detail::device::warp
