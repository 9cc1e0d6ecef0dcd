// Which elements of a tile a thread holds, and where a tile lies in shared memory.
#pragma once

#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// Elements of a tile are held warp by warp: item i of a thread is element item_index(i), so that loads are coalesced
/// and the order within a warp is (item, lane).
template <int Items>
__device__ __forceinline__ unsigned item_index(int i) {
  return threadIdx.x / 32 * (32 * Items) + static_cast<unsigned>(i) * 32 + threadIdx.x % 32;
}

/// Where a position of a tile is in shared memory: one slot is unused after each thread's Items, against bank
/// conflicts.
template <int Items>
__device__ __forceinline__ unsigned padded(unsigned position) {
  return position + position / Items;
}

}  // namespace gpu::inline v1::detail::device::block
