// Segments that groups of 2 to 32 threads of a warp sort together: each thread sorts its share by a network in its
// registers, then a bitonic network merges the shares of neighbours.
#pragma once

#include <cstddef>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "group_network.cuh"
#include "group_stage.cuh"
#include "group_words.cuh"
#include "lists.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int group_threads = 128;
/// Blocks per multiprocessor, by registers: what spills of wide codes costs more than a warp less.
constexpr int grouped_blocks(std::size_t key_bytes, unsigned items) {
  if (key_bytes == 8) return items > 24 ? 3 : 4;
  return key_bytes <= 4 ? items > 24 ? 5 : 6 : 4;
}

/// Sorts one segment per group of lanes, of up to Items for each of them. Called by all lanes.
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
  if constexpr (sizeof(Key) > sizeof(unsigned))
    if (lanes * Items <= most_word_places)
      sorted = device::sort_by_words<Data>(shared, shared.segments[lane].count(), lanes);
  if (!sorted) {
    register_code<Key> codes[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) codes[i] = shared.of_lane(lane, i);
    thread::sort_by_merges(codes);
    device::merge_in_groups(codes, lanes);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) shared.of_lane(lane, i) = codes[i];
  }
  __syncwarp();
  device::with_lanes<most_lanes>(lanes,
                                 [&](auto l) { device::groups_from_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
}

/// Sorts all segments that are listed for groups whose threads have so many Items; of the binned classes the
/// overflowing ones alone.
template <class Key, unsigned Items, class Data, class Codec>
__global__ void __launch_bounds__(group_threads, device::grouped_blocks(sizeof(Key), Items))
    grouped_segments_kernel(Data data, const __grid_constant__ group_lists groups, Codec codec) {
  await_predecessors();
  using stage = group_stage<Key, Items>;
  constexpr unsigned warps_per_block = group_threads / warp::threads, list = Items == thread_items<Key> ? 0 : 1;
  __shared__ stage stages[warps_per_block];
  const unsigned warp = threadIdx.x / warp::threads, lane = threadIdx.x % warp::threads;
  const std::size_t warps = std::size_t{gridDim.x} * warps_per_block;
  std::size_t work = std::size_t{blockIdx.x} * warps_per_block + warp, first = 0;
#pragma unroll 1
  for (unsigned c = 0; c < stage::classes; ++c) {
    const unsigned lanes = 2u << c, at_once = warp::threads / lanes;
    const bool rest = c >= first_binned<Key>;
    const unsigned listed = rest ? groups.claims->overflowing[c - first_binned<Key>] : groups.listed(2 * c + list);
    const std::size_t jobs = (listed + std::size_t{at_once} - 1) / at_once;
#pragma unroll 1
    for (; work < first + jobs; work += warps) {
      const auto own = static_cast<unsigned>((work - first) * at_once + lane / lanes);
      const auto segment = [&] {
        return rest ? groups.overflowing[c - first_binned<Key>][own] : groups.number(2 * c + list, own);
      };
      device::sort_groups(stages[warp], data, own < listed ? segment() : listed_segment{0, 0}, lanes, codec);
    }
    first += jobs;
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
