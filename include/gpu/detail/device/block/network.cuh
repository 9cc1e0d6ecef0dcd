// The bitonic network over any number of elements of global memory by one block: for the rare subsequence that no block
// can hold, where there is no second array either.
#pragma once

#include <cstddef>

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Sorts keys[0, n) in place by less(Key, Key); not stable; O(n log^2 n). A comparator that is no strict weak order
/// costs order, never elements. Called by every thread; synchronises before and after.
template <class Key, class Pointer, class Less>
__device__ void sort_by_network(Pointer keys, std::size_t n, Less less) {
  __syncthreads();
  for (std::size_t run = 1; run < n; run *= 2)
    for (std::size_t group = 2 * run; group > 1; group /= 2) {
      const std::size_t half = group / 2;
      // A group that n cuts short still needs all comparators of its lower half.
      for (std::size_t i = threadIdx.x; i < (n + group - 1) / group * half; i += blockDim.x) {
        const std::size_t low = i / half * group + i % half;
        const std::size_t high = group == 2 * run ? low ^ (group - 1) : low + half;
        if (high >= n) continue;
        const Key lower = keys[low], upper = keys[high];
        if (!less(upper, lower)) continue;
        keys[low] = upper;
        keys[high] = lower;
      }
      __syncthreads();
    }
}

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
