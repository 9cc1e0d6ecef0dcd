// Draws the next number of a counter in shared memory for each of a thread's items: with one atomic addition per item,
// or one for all lanes of a warp that use the same counter.
#pragma once

#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// A distinct number for each lane of the warp, all of which count: lanes with the same counter as the first lane share
/// one addition, the others add each for themselves.
__device__ inline unsigned claim_with_first(unsigned* counters, unsigned counter) {
  const unsigned lane = threadIdx.x % warp::threads;
  const bool together = counter == __shfl_sync(warp::all_lanes, counter, 0);
  const unsigned group = __ballot_sync(warp::all_lanes, together);
  unsigned claimed = 0;
  if (!together || lane == 0) claimed = atomicAdd(&counters[counter], together ? __popc(group) : 1u);
  const unsigned shared = __shfl_sync(warp::all_lanes, claimed, 0);
  return together ? shared + static_cast<unsigned>(__popc(group & warp::lanes_before())) : claimed;
}

/// Claims a number where lanes often use the same counters: those that do share one addition.
__device__ inline unsigned claim_together(unsigned* counters, unsigned counter) {
  const unsigned alike = __match_any_sync(warp::all_lanes, counter);
  const int leader = __ffs(static_cast<int>(alike)) - 1;
  const unsigned ahead = static_cast<unsigned>(__popc(alike & warp::lanes_before()));
  const unsigned first = ahead == 0 ? atomicAdd(&counters[counter], static_cast<unsigned>(__popc(alike))) : 0;
  return __shfl_sync(warp::all_lanes, first, leader) + ahead;
}

/// Calls take(i, number) for each of a thread's items, whose counter is counter(i); the number is below all that are
/// claimed from that counter later. `skewed`: few counters count most items; then all lanes with equal counters share
/// additions. Called by whole warps, all of whose items count. If not skewed, but the first items of half of the warp's
/// lanes agree, which suggests that the input has some order, the others probably do, too, and lanes that agree with
/// the first one share additions; otherwise there are no branches, so that the additions of all items overlap.
template <int Items, class Counter, class Take>
__device__ __forceinline__ void claim_each(unsigned* counters, bool skewed, Counter counter, Take take) {
  unsigned own[Items];
  bool alike = true;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    own[i] = counter(i);
    alike &= own[i] == own[0];
  }
  const auto each = [&](auto claim) {
#pragma unroll
    for (int i = 0; i < Items; ++i) own[i] = claim(i);
#pragma unroll
    for (int i = 0; i < Items; ++i) take(i, own[i]);
  };
  const unsigned common = __shfl_sync(warp::all_lanes, own[0], 0);
  if (skewed) {
    each([&](int i) { return block::claim_together(counters, own[i]); });
  } else if (__popc(__ballot_sync(warp::all_lanes, own[0] == common)) < warp::threads / 2) {
    each([&](int i) { return atomicAdd(&counters[own[i]], 1u); });
  } else if (!__all_sync(warp::all_lanes, alike && own[0] == common)) {
    each([&](int i) { return block::claim_with_first(counters, own[i]); });
  } else {
    const unsigned lane = threadIdx.x % warp::threads;
    constexpr unsigned all = static_cast<unsigned>(Items) * warp::threads;
    const unsigned first = __shfl_sync(warp::all_lanes, lane == 0 ? atomicAdd(&counters[own[0]], all) : 0, 0) + lane;
    each([&](int i) { return first + static_cast<unsigned>(i) * warp::threads; });
  }
}

}  // namespace gpu::inline v1::detail::device::block
