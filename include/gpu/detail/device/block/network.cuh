// The bitonic network over elements in place: its comparators by number, and the whole network by threads that wait for
// each other, for the rare subsequence that no block can hold and for which there is no second array.
#pragma once

#include <cstddef>

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// Comparator `index` of the step of the network that works within groups of `group` positions.
template <class Compare, class Swap>
__device__ void indexed_exchange(std::size_t index, std::size_t n, std::size_t group, bool flip, Compare& compare,
                                 Swap& swap) {
  const std::size_t half = group / 2;
  const std::size_t low = index / half * group + index % half;
  const std::size_t high = flip ? low ^ (group - 1) : low + half;
  if (high < n && compare(high, low)) swap(low, high);
}

/// Sorts keys[0, n) in place by less(Key, Key); not stable; O(n log^2 n) work, shared by all calling threads. If the
/// comparator is no strict weak order, the result may be unordered, but no element is lost. `thread` of `threads`: the
/// caller's number; barrier() waits for all of them, before and after every step.
template <class Key, class Pointer, class Less, class Barrier>
__device__ void sort_by_network(Pointer keys, std::size_t n, Less less, unsigned thread, unsigned threads,
                                const Barrier& barrier) {
  const auto precedes = [&](std::size_t i, std::size_t j) {
    return less(static_cast<Key>(keys[i]), static_cast<Key>(keys[j]));
  };
  const auto swap = [&](std::size_t i, std::size_t j) {
    const Key held = keys[i];
    keys[i] = static_cast<Key>(keys[j]);
    keys[j] = held;
  };
  barrier();
  for (std::size_t run = 1; run < n; run *= 2)
    for (std::size_t group = 2 * run; group > 1; group /= 2) {
      // A group that n cuts short still needs all comparators of its lower half.
      for (std::size_t i = thread; i < divide_up(n, group) * (group / 2); i += threads)
        block::indexed_exchange(i, n, group, group == 2 * run, precedes, swap);
      barrier();
    }
}

}  // namespace gpu::inline v1::detail::device::block
