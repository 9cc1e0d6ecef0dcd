// Multiway selection: how many elements of each of many sorted sequences are among the first so many of their merge.
// Leischner, "GPU algorithms for comparison-based sorting and for merging based on multiway selection" (paper 001),
// section 5.2: the selection by pivots of its algorithm 3, made deterministic; equivalent elements are ordered by their
// sequences, which makes every pivot unique.
#pragma once

#include <cstddef>

#include "merge.cuh"
#include "order.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A sorted sequence of a multiway merge.
template <class Key, class Value>
struct sequence {
  const_columns<Key, Value> data;
  std::size_t count;
};

/// What one launch merges: two sequences per lane of a warp, and few enough to travel as kernel parameters.
inline constexpr int sequences_per_lane = 2;
inline constexpr int max_sequences = sequences_per_lane * warp::threads;

template <class Key, class Value>
struct sequence_set {
  sequence<Key, Value> items[max_sequences];
  int count;
};

__device__ inline std::size_t warp_sum(std::size_t value) {
  for (int mask = warp::threads / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(warp::all_lanes, value, mask);
  return value;
}

__device__ inline std::size_t warp_max(std::size_t value) {
  for (int mask = warp::threads / 2; mask > 0; mask /= 2) {
    const std::size_t other = __shfl_xor_sync(warp::all_lanes, value, mask);
    value = other > value ? other : value;
  }
  return value;
}

/// How many of keys[low, high) and before precede the pivot; those equivalent to it do if `ties`.
template <class Keys, class Key, class Less>
__device__ std::size_t rank_in(const Keys& keys, std::size_t low, std::size_t high, const Key& pivot, bool ties,
                               Less less) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool precedes = ties ? !less(pivot, keys[middle]) : less(keys[middle], pivot);
    if (precedes)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Multiway selection by a warp: narrows the intervals [cut, high] of the calling lane's sequences such that the
/// `wanted` first elements of the merge are the first cut[s] of every sequence s. Lane l has sequences l, l + 32, ….
/// Each step ranks the middle of the widest interval in all sequences; that interval at least halves, so that any
/// `less` ends after at most the sum of their logarithms.
template <class Key, class Value, class Less, class Codec>
__device__ void select(const sequence_set<Key, Value>& set, std::size_t wanted, std::size_t (&cut)[sequences_per_lane],
                       std::size_t (&high)[sequences_per_lane], Less less, Codec codec) {
  const int lane = static_cast<int>(threadIdx.x) % warp::threads;
  std::size_t selected = 0;
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) selected += cut[i];
  selected = warp_sum(selected);
  while (selected < wanted) {  // [0, cut) are selected, [high, count) are not
    std::size_t widest = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      const std::size_t candidate = (high[i] - cut[i]) * max_sequences + (i * warp::threads + lane);
      widest = candidate > widest ? candidate : widest;
    }
    const int chosen = static_cast<int>(warp_max(widest) % max_sequences);
    std::size_t position = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i)
      if (chosen / warp::threads == i)
        position = __shfl_sync(warp::all_lanes, cut[i] + (high[i] - cut[i]) / 2, chosen % warp::threads);
    const Key pivot = codec.encode(set.items[chosen].data.keys[position]);

    std::size_t rank[sequences_per_lane];
    std::size_t before = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      const int s = i * warp::threads + lane;
      rank[i] = s == chosen ? position : cut[i];
      if (s != chosen && cut[i] < high[i])
        rank[i] =
            rank_in(encoded_keys<Key, Codec>{set.items[s].data.keys, codec}, cut[i], high[i], pivot, s < chosen, less);
      before += rank[i];
    }
    before = warp_sum(before);
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      if (before > wanted)
        high[i] = rank[i];
      else
        cut[i] = rank[i] + (before < wanted && i * warp::threads + lane == chosen ? 1 : 0);
    }
    if (before <= wanted) selected = before < wanted ? before + 1 : before;
  }
}

inline constexpr int selection_threads = 128;

/// If there are many tiles, one of 32 has its cuts found first; they narrow the search for the others. One search in
/// all sequences takes longer than two narrow ones, but up to so many warps run side by side.
inline constexpr std::size_t coarse_spacing = 32;
inline constexpr std::size_t single_search_tiles = 8192;

/// Selects the cuts before output tiles, cuts[t * set.count + s], a warp for each tile t from 0 to `tiles` inclusive:
/// if Coarse, for the multiples of `spacing`, else for the tiles between, when these have been served.
template <bool Coarse, class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(selection_threads)
    multiway_selection_kernel(const __grid_constant__ sequence_set<Key, Value> set, unsigned tile, std::size_t tiles,
                              std::size_t spacing, std::size_t* cuts, Less less, Codec codec) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  const std::size_t t = thread / warp::threads * (Coarse ? spacing : 1);
  const int lane = static_cast<int>(thread % warp::threads);
  if (t > tiles || (!Coarse && t % spacing == 0)) return;
  const std::size_t before = t / spacing * spacing;
  const std::size_t after = before + spacing;
  std::size_t cut[sequences_per_lane] = {};
  std::size_t high[sequences_per_lane] = {};
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const int s = i * warp::threads + lane;
    if (s >= set.count) continue;
    if (!Coarse) cut[i] = cuts[before * set.count + s];
    high[i] = !Coarse && after <= tiles ? cuts[after * set.count + s] : set.items[s].count;
    if (t == tiles) cut[i] = set.items[s].count;
  }
  if (t < tiles) select(set, t * tile, cut, high, less, codec);
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const int s = i * warp::threads + lane;
    if (s < set.count) cuts[t * set.count + s] = cut[i];
  }
}

/// Sets *contradiction if cuts before a later tile lie before those of an earlier one.
template <class Cut>
__global__ void __launch_bounds__(selection_threads)
    multiway_check_kernel(const Cut* cuts, std::size_t cuts_count, int sequences, unsigned* contradiction) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  if (i + sequences < cuts_count && cuts[i] > cuts[i + sequences]) *contradiction = 1;
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
