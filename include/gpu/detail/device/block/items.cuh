// Which elements of a tile a thread holds, and where a tile lies in shared memory.
#pragma once

#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// Elements of a tile are held warp by warp: item i of a thread is element item_index<Items>(i), so that loads are
/// coalesced and the order within a warp is (item, lane).
__device__ __forceinline__ unsigned first_index(unsigned items) {
  return threadIdx.x / 32 * (32 * items) + threadIdx.x % 32;
}
template <int Items>
__device__ __forceinline__ unsigned item_index(int i) {
  return block::first_index(Items) + static_cast<unsigned>(i) * 32;
}

/// A thread's items of a tile in the layout above, where each thread has `items` and the tile `count` elements in all.
struct own_items {
  unsigned first;  ///< the index of the first one
  int left;        ///< item i, 32 * i elements after it, exists if 32 * i < left

  __device__ __forceinline__ own_items(unsigned items, unsigned count)
      : first{block::first_index(items)},
        left{min(static_cast<int>(32 * items - threadIdx.x % 32), static_cast<int>(count - first))} {}
};

/// Calls act(i) for items [0, Items) of a thread, Stride elements apart. MayBeFew: threads may have few of them; items
/// are then visited in groups of four, and groups after the first only while some thread of the warp has items in them,
/// so that few items take little time. act(i) may be called for items beyond left(). All threads of a warp call.
template <int Items, bool MayBeFew, int Stride = 32, class Left, class Act>
__device__ __forceinline__ void for_items(Left left, Act act) {
  constexpr int group = MayBeFew ? 4 : Items;
#pragma unroll
  for (int first = 0; first < Items; first += group) {
    // A vote, so that the branch is uniform: ranks need all predicates.
    if (first > 0 && !__any_sync(warp::all_lanes, first * Stride < left())) break;
#pragma unroll
    for (int i = first; i < first + group && i < Items; ++i) act(i);
  }
}

/// The index in shared memory of a position of a tile: one slot after each thread's Items is unused, to avoid bank
/// conflicts.
template <int Items>
__device__ __forceinline__ unsigned padded(unsigned position) {
  return position + position / Items;
}

}  // namespace gpu::inline v1::detail::device::block
