// Segments that groups of 2 to 32 threads of a warp sort together: each thread sorts its share by a network in its
// registers, then a bitonic network merges the shares of neighbours.
#pragma once

#include <cstddef>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../warp/shuffle.cuh"
#include "../warp/sort.cuh"
#include "group_stage.cuh"
#include "group_words.cuh"
#include "lists.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int group_threads = 128;
/// Blocks per multiprocessor, by registers: spilling wide codes costs more than one warp less.
constexpr int grouped_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 7 : 4; }

/// Sorts one segment per group of lanes, of up to Items elements per lane. Called by all lanes.
template <class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void sort_groups(group_stage<Key, Items>& shared, Data data, const listed_segment& own,
                                            unsigned lanes, Codec codec) {
  using stage = group_stage<Key, Items>;
  constexpr unsigned most_lanes = 1u << stage::classes;
  const unsigned lane = threadIdx.x % warp::threads;
  shared.segments[lane] = own;
  __syncwarp();
  device::with_lanes<most_lanes>(lanes,
                                 [&](auto l) { device::groups_to_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
  bool sorted = false;
  if constexpr (stage::has_order)
    if (lanes * Items <= most_word_slots)
      sorted = device::order_by_words<Data>(shared, shared.segments[lane].count(), lanes);
  if (!sorted) {
    using slots = typename stage::slots;
    register_code<Key> codes[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) codes[i] = shared.codes[slots::of_lane(lane, i)];
    warp::sort_lane(codes);
    warp::merge_in_groups(codes, lanes);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      shared.codes[slots::of_lane(lane, i)] = codes[i];
      if constexpr (stage::has_order)
        shared.order[slots::of_lane(lane, i)] = static_cast<std::uint16_t>(slots::of_lane(lane, i));
    }
  }
  __syncwarp();
  device::with_lanes<most_lanes>(lanes,
                                 [&](auto l) { device::groups_from_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
}

/// A warp's share of the work of all warps.
struct group_work {
  std::size_t next;   ///< number of its next piece
  std::size_t step;   ///< to the one after that
  std::size_t first;  ///< number of the current list's first piece
};

/// Sorts the segments that are listed for groups whose threads have Items elements each; of the binned classes only the
/// overflowing ones. Called by all lanes.
template <class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void sort_listed_groups(group_stage<Key, Items>& shared, Data data,
                                                   const group_lists& groups, group_work& work, Codec codec) {
  constexpr unsigned list = Items == thread_items<Key> ? 0 : 1;
#pragma unroll 1
  for (unsigned c = 0; c < group_stage<Key, Items>::classes; ++c) {
    const unsigned lanes = 2u << c, at_once = warp::threads / lanes;
    const bool rest = c >= first_binned<Key>;
    const unsigned listed = rest ? groups.claims->overflowing[c - first_binned<Key>] : groups.listed(2 * c + list);
    const std::size_t jobs = (listed + std::size_t{at_once} - 1) / at_once;
#pragma unroll 1
    for (; work.next < work.first + jobs; work.next += work.step) {
      const auto own = static_cast<unsigned>((work.next - work.first) * at_once + threadIdx.x % warp::threads / lanes);
      const auto segment = [&] {
        return rest ? groups.overflowing[c - first_binned<Key>][own] : groups.number(2 * c + list, own);
      };
      device::sort_groups(shared, data, own < listed ? segment() : listed_segment{0, 0}, lanes, codec);
    }
    work.first += jobs;
  }
}

/// Sorts all segments that are listed for groups, starting with the groups whose threads have more elements.
template <class Key, class Data, class Codec>
__global__ void __launch_bounds__(group_threads, device::grouped_blocks(sizeof(Key)))
    grouped_segments_kernel(Data data, const __grid_constant__ group_lists groups, Codec codec) {
  await_predecessors();
  constexpr unsigned warps = group_threads / warp::threads;
  union stage {
    group_stage<Key, thread_items<Key>> of_longer;
    group_stage<Key, fewer_items<Key>> of_shorter;
  };
  __shared__ stage stages[warps];
  stage& shared = stages[threadIdx.x / warp::threads];
  group_work work{std::size_t{blockIdx.x} * warps + threadIdx.x / warp::threads, std::size_t{gridDim.x} * warps, 0};
  device::sort_listed_groups(shared.of_longer, data, groups, work, codec);
  device::sort_listed_groups(shared.of_shorter, data, groups, work, codec);
}

}  // namespace gpu::inline v1::detail::device
