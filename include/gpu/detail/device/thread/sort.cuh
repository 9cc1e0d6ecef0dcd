// Sorting in the registers of one thread.
#pragma once

#include "../columns.cuh"
#include "merge_network.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::thread {

/// Exchanges two elements if the second precedes the first.
template <class Key, class Value, class Less>
__device__ __forceinline__ void order_pair(Key& first_key, Value& first_value, Key& second_key, Value& second_value,
                                           Less less) {
  if (less(second_key, first_key)) {
    const Key key = first_key;
    first_key = second_key;
    second_key = key;
    if constexpr (has_value_v<Value>) {
      const Value value = first_value;
      first_value = second_value;
      second_value = value;
    }
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
      if (!Guarded || i + 1 < count) order_pair(keys[i], values[i], keys[i + 1], values[i + 1], less);
}

/// Stable sort of the first `count` elements by odd-even transposition: O(count * Items) comparisons at fixed places,
/// so that all stays in registers. Loops over the rounds are not unrolled: the code of one suffices.
template <int Items, class Key, class Value, class Less>
__device__ __forceinline__ void sort(Key (&keys)[Items], Value (&values)[Items], int count, Less less) {
  if (count >= Items) {
#pragma unroll 1
    for (int round = 0; round < Items; round += 2) transpose_neighbours<false>(keys, values, Items, less);
  } else {
#pragma unroll 1
    for (int round = 0; round < count; round += 2) transpose_neighbours<true>(keys, values, count, less);
  }
}

/// Sorts all elements by odd-even merges: fewer exchanges than odd-even transposition takes, each with code of its own.
/// Not stable.
template <int Items, class Key, class Value, class Less>
__device__ __forceinline__ void sort_unstably(Key (&keys)[Items], Value (&values)[Items], Less less) {
  sort_by<Items>([&](int i, int j) { order_pair(keys[i], values[i], keys[j], values[j], less); });
}

}  // namespace detail::device::thread
}  // namespace v1
}  // namespace gpu
