// Sorting in the registers of one thread.
#pragma once

#include <cuda/std/utility>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "merge_network.cuh"

namespace gpu::inline v1::detail::device::thread {

/// Whether elements are codes alone: equal ones are indistinguishable, and the greatest code may stand in for absent
/// elements.
template <class Value, class Less>
inline constexpr bool codes_alone_v = std::is_same_v<Less, code_less> && !has_value_v<Value>;

/// Exchanges two elements if the second precedes the first.
template <class Key, class Value, class Less>
__device__ __forceinline__ void order_pair(Key& first_key, Value& first_value, Key& second_key, Value& second_value,
                                           Less less) {
  if constexpr (codes_alone_v<Value, Less>) {
    thread::order_numbers(first_key, second_key);
  } else if (less(second_key, first_key)) {
    ::cuda::std::swap(first_key, second_key);
    if constexpr (has_value_v<Value>) ::cuda::std::swap(first_value, second_value);
  }
}

/// One round of odd-even transposition: the pairs that begin at an even position, then those at an odd one.
/// Guarded: only among the first `count` elements; others are neither moved nor compared.
template <bool Guarded, int Items, class Key, class Value, class Less>
__device__ __forceinline__ void transpose_neighbours(Key (&keys)[Items], Value (&values)[Items], int count, Less less) {
#pragma unroll
  for (int parity = 0; parity < 2; ++parity)
#pragma unroll
    for (int i = parity; i + 1 < Items; i += 2)
      if (!Guarded || i + 1 < count) thread::order_pair(keys[i], values[i], keys[i + 1], values[i + 1], less);
}

/// Stable sort of the first `count` elements by odd-even transposition: O(count * Items) comparisons at fixed
/// positions, so that everything stays in registers. The loop over the rounds is not unrolled, to keep the code small.
template <bool Guarded, int Items, class Key, class Value, class Less>
__device__ __forceinline__ void sort_stably(Key (&keys)[Items], Value (&values)[Items], int count, Less less) {
#pragma unroll 1
  for (int round = 0; round < (Guarded ? count : Items); round += 2)
    thread::transpose_neighbours<Guarded>(keys, values, count, less);
}

/// Sorts all elements by odd-even merges: fewer exchanges than odd-even transposition takes, but more code, as all are
/// unrolled. Not stable.
template <int Items, class Key, class Value, class Less>
__device__ __forceinline__ void sort_unstably(Key (&keys)[Items], Value (&values)[Items], Less less) {
  thread::sort_by<Items>([&](int i, int j) { thread::order_pair(keys[i], values[i], keys[j], values[j], less); });
}

/// Sorts the first `count` elements, at least one. Registers beyond are overwritten: comparisons need no branch if
/// every register holds an element.
template <int Items, class Key, class Value, class Less>
__device__ __forceinline__ void sort_unstably(Key (&keys)[Items], Value (&values)[Items], int count, Less less) {
#pragma unroll
  for (int i = 1; i < Items; ++i)
    if (i >= count) keys[i] = keys[0];
  thread::sort_by<Items>([&](int i, int j) {
    const bool precedes = less(keys[j], keys[i]);
    if ((j < count) & precedes) {
      ::cuda::std::swap(keys[i], keys[j]);
      if constexpr (has_value_v<Value>) ::cuda::std::swap(values[i], values[j]);
    }
  });
}

}  // namespace gpu::inline v1::detail::device::thread
