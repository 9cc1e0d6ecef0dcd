// Multiway selection: how many elements of each of many sorted sequences are among the first so many of their merge.
// Leischner, "GPU algorithms for comparison-based sorting and for merging based on multiway selection" (paper 001),
// section 5.2: the selection by pivots of its algorithm 3, made deterministic; equivalent elements are ordered by their
// sequences, which makes every pivot unique.
#pragma once

#include <cstddef>

#include "../order.cuh"
#include "../thread/interpolation.cuh"
#include "merge.cuh"

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

/// The least of all lanes' numbers, and the greatest.
template <class Number>
__device__ Number warp_least(Number number) {
  for (int mask = warp::threads / 2; mask > 0; mask /= 2) number = min(number, warp::shuffle_xor(number, mask));
  return number;
}
template <class Number>
__device__ Number warp_greatest(Number number) {
  for (int mask = warp::threads / 2; mask > 0; mask /= 2) number = max(number, warp::shuffle_xor(number, mask));
  return number;
}

/// The intervals of a selection by a warp, [cut, high] of the calling lane's sequences. Lane l has sequences
/// l, l + 32, …. The first cut[s] of every sequence s, `selected` in all, are before the wanted place or just beyond
/// it; the first high[s], `limit` in all, reach beyond.
struct selection {
  std::size_t cut[sequences_per_lane];
  std::size_t high[sequences_per_lane];
  std::size_t selected;
  std::size_t limit;

  __device__ static int sequence_of(int i) { return i * warp::threads + static_cast<int>(threadIdx.x) % warp::threads; }
};

/// Where a pivot was found; no sequence: it need not be an element.
struct pivot_place {
  int sequence = -1;
  std::size_t position = 0;
};

/// Takes a pivot for a bound of the selection: the lower one, if at most `slack` more elements than wanted precede it.
/// rank(i): how many precede it in the calling lane's i-th sequence. Returns whether it is the lower one.
template <class Rank>
__device__ __forceinline__ bool narrow(selection& found, pivot_place at, std::size_t wanted, std::size_t slack,
                                       Rank rank) {
  std::size_t ranks[sequences_per_lane];
  std::size_t before = 0;
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    ranks[i] = selection::sequence_of(i) == at.sequence ? at.position : found.cut[i];
    if (selection::sequence_of(i) != at.sequence && found.cut[i] < found.high[i]) ranks[i] = rank(i);
    before += ranks[i];
  }
  before = warp::sum(before);
  const bool lower = before <= wanted + slack;
  const bool itself = before < wanted && at.sequence >= 0;
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const std::size_t taken = itself && selection::sequence_of(i) == at.sequence ? 1 : 0;
    found.cut[i] = lower ? ranks[i] + taken : found.cut[i];
    found.high[i] = lower ? found.high[i] : ranks[i];
  }
  found.selected = lower ? before + (itself ? 1 : 0) : found.selected;
  found.limit = lower ? found.limit : before;
  return lower;
}

/// rank_in of codes, of which those at low and high are about low_key and high_key.
template <class Keys, class Key>
__device__ __forceinline__ std::size_t rank_by_value(const Keys& keys, std::size_t low, std::size_t high, Key low_key,
                                                     Key high_key, Key pivot) {
  const auto gap = [pivot](Key key) { return static_cast<Key>(key < pivot ? pivot - key : key - pivot); };
  return thread::interpolation_search(low, high, gap(low_key), gap(high_key), [&](std::size_t at) {
    const Key key = keys[at];
    return thread::sighting<Key>{!(key < pivot), gap(key)};
  });
}

inline constexpr int interpolations = 4;  ///< enough wherever keys lie evenly between two cuts

/// Narrows a selection by values between the least and the greatest key that it leaves open: where keys lie evenly, the
/// first of them hits within the square root of the elements. Returns a key that none before the cuts exceeds and none
/// behind them is less than.
template <class Key, class Value, class Codec>
__device__ __forceinline__ Key interpolate(const sequence_set<Key, Value>& set, selection& found, std::size_t wanted,
                                           std::size_t slack, Codec codec) {
  const auto keys = [&](int i) {
    return encoded_keys<Key, Codec>{set.items[selection::sequence_of(i)].data.keys, codec};
  };
  Key low[sequences_per_lane], high[sequences_per_lane];
  Key least = static_cast<Key>(~Key{0}), greatest = 0;
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const bool open = found.cut[i] < found.high[i];
    low[i] = open ? keys(i)[found.cut[i]] : least;
    high[i] = open ? keys(i)[found.high[i] - 1] : 0;
    least = min(least, low[i]);
    greatest = max(greatest, high[i]);
  }
  least = warp_least(least);
  greatest = warp_greatest(greatest);
#pragma unroll 1
  for (int round = 0; round < interpolations && found.selected + slack < wanted; ++round) {
    const double share =
        static_cast<double>(wanted - found.selected) / static_cast<double>(found.limit - found.selected);
    const Key pivot = static_cast<Key>(least + static_cast<Key>(static_cast<double>(greatest - least) * share));
    const bool lower = narrow(found, {}, wanted, slack, [&](int i) {
      return rank_by_value(keys(i), found.cut[i], found.high[i], low[i], high[i], pivot);
    });
    least = lower ? pivot : least;
    greatest = lower ? greatest : pivot;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      low[i] = lower ? pivot : low[i];
      high[i] = lower ? high[i] : pivot;
    }
  }
  return least;
}

/// Multiway selection: cuts that have `wanted` elements before them, or up to `slack` fewer or more. Whatever the
/// slack, cuts before later places are nowhere before those of earlier ones. Each step ranks the middle of the widest
/// interval in all sequences; that interval at least halves, so that any `less` ends after at most the sum of their
/// logarithms. Returns a key between those before the cuts and those behind, if any are.
template <class Key, class Value, class Less, class Codec>
__device__ __forceinline__ Key select(const sequence_set<Key, Value>& set, selection& found, std::size_t wanted,
                                      std::size_t slack, Less less, Codec codec) {
  Key between{};
  if constexpr (thread::interpolates_v<Key, Less>)
    if (slack > 0) between = interpolate(set, found, wanted, slack, codec);
  while (found.selected + slack < wanted) {  // [0, cut) are selected, [high, count) are not
    std::size_t widest = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      const std::size_t candidate = (found.high[i] - found.cut[i]) * max_sequences + selection::sequence_of(i);
      widest = candidate > widest ? candidate : widest;
    }
    pivot_place at{static_cast<int>(warp_greatest(widest) % max_sequences), 0};
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i)
      if (at.sequence / warp::threads == i)
        at.position = __shfl_sync(warp::all_lanes, found.cut[i] + (found.high[i] - found.cut[i]) / 2,
                                  at.sequence % warp::threads);
    const Key pivot = codec.encode(set.items[at.sequence].data.keys[at.position]);
    const bool lower = narrow(found, at, wanted, slack, [&](int i) {
      const int s = selection::sequence_of(i);
      return rank_in(encoded_keys<Key, Codec>{set.items[s].data.keys, codec}, found.cut[i], found.high[i], pivot,
                     s < at.sequence, less);
    });
    if (lower) between = pivot;
  }
  return between;
}

/// The least key of all sequences, or the greatest.
template <class Key, class Value, class Codec>
__device__ Key extreme_key(const sequence_set<Key, Value>& set, bool greatest, Codec codec) {
  Key found = greatest ? Key{0} : static_cast<Key>(~Key{0});
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const int s = selection::sequence_of(i);
    if (s >= set.count || set.items[s].count == 0) continue;
    const Key key = codec.encode(set.items[s].data.keys[greatest ? set.items[s].count - 1 : 0]);
    found = greatest ? max(found, key) : min(found, key);
  }
  return greatest ? warp_greatest(found) : warp_least(found);
}

/// Whether known cuts of a later tile lie before those of an earlier one, as only a `less` that is no strict weak order
/// makes them.
__device__ inline bool is_crossed(const selection& intervals) {
  bool crossed = false;
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) crossed |= intervals.high[i] < intervals.cut[i];
  return __any_sync(warp::all_lanes, crossed);
}

inline constexpr int selection_threads = 128;

/// Selects cuts before output tiles, cuts[t * set.count + s], a warp for each tile t from 0 to `tiles` inclusive that
/// is a multiple of `spacing`. Those of multiples of `served` are known and narrow the search between them; zero: none
/// are. Tiles have so many elements, give or take twice the slack. If asked for, bounds[t] is a key between those
/// before and behind.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(selection_threads)
    multiway_selection_kernel(const __grid_constant__ sequence_set<Key, Value> set, unsigned tile, unsigned slack,
                              std::size_t tiles, unsigned spacing, unsigned served, std::size_t* cuts, Key* bounds,
                              Less less, Codec codec) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  const std::size_t t = thread / warp::threads * spacing;
  if (t > tiles || (served > 0 && t % served == 0)) return;
  const std::size_t before = served > 0 ? t / served * served : 0;
  const std::size_t after = before + served;
  const auto searched = [&](bool between_known) {
    selection intervals{};
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      const int s = selection::sequence_of(i);
      if (s >= set.count) continue;
      if (between_known) intervals.cut[i] = cuts[before * set.count + s];
      intervals.high[i] = between_known && after <= tiles ? cuts[after * set.count + s] : set.items[s].count;
      if (t == tiles) intervals.cut[i] = set.items[s].count;
      intervals.selected += intervals.cut[i];
      intervals.limit += intervals.high[i];
    }
    intervals.selected = warp::sum(intervals.selected);
    intervals.limit = warp::sum(intervals.limit);
    return intervals;
  };
  selection found = searched(served > 0);
  if constexpr (!strict_weak_order_v<Less>)
    if (served > 0 && is_crossed(found)) found = searched(false);
  Key bound{};
  if (t > 0 && t < tiles) bound = select(set, found, t * tile, slack, less, codec);
  if constexpr (thread::interpolates_v<Key, Less>)
    if (bounds) {
      if (t == 0 || t == tiles) bound = extreme_key(set, t == tiles, codec);
      if (thread % warp::threads == 0) bounds[t] = bound;
    }
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const int s = selection::sequence_of(i);
    if (s < set.count) cuts[t * set.count + s] = found.cut[i];
  }
}

/// If there are many tiles, one of 128 has its cuts found first; they narrow the search for one of 8, and those for the
/// others, where the first pivot hits as a rule. One search in all sequences takes longer than three narrow ones, but
/// up to so many warps run side by side.
inline constexpr unsigned selection_spacings[] = {128, 8, 1};
inline constexpr std::size_t single_search_tiles = 8192;

/// Enqueues the selection of all cuts.
template <class Key, class Value, class Less, class Codec>
void select_cuts(const context& context, const sequence_set<Key, Value>& set, std::size_t tile, std::size_t slack,
                 std::size_t tiles, std::size_t* cuts, Key* bounds, Less less, Codec codec) {
  unsigned served = 0;
  for (const unsigned spacing : selection_spacings) {
    if (spacing > 1 && tiles <= single_search_tiles) continue;
    launch(context, {divide_up((tiles / spacing + 1) * warp::threads, selection_threads), selection_threads},
           multiway_selection_kernel<Key, Value, Less, Codec>, set, static_cast<unsigned>(tile),
           static_cast<unsigned>(slack), tiles, spacing, served, cuts, bounds, less, codec);
    served = spacing;
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
