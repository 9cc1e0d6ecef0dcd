// Multiway selection: finds how many elements of each of many sorted sequences are among the first elements of their
// merge, for a given number of these. Leischner, "GPU algorithms for comparison-based sorting and for merging based on
// multiway selection" (paper 001), section 5.2: the selection by pivots of its algorithm 3, made deterministic;
// equivalent elements are ordered by their sequences, which makes every pivot unique.
#pragma once

#include <cstddef>

#include "../order.cuh"
#include "../thread/interpolation.cuh"
#include "../tuning/merging.hpp"
#include "selection.cuh"
#include "selection_by_value.cuh"

namespace gpu::inline v1::detail::device {

/// How many keys precede the pivot, if keys[0, low) do and none from `high` on does; keys equivalent to it precede it
/// if `ties`.
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

/// Multiway selection: finds cuts that have `wanted` elements before them, or up to `slack` fewer or more. Whatever the
/// slack, no cut for a later position lies before that for an earlier one. Each step ranks the middle of the widest
/// interval in all sequences; that interval at least halves, so that the search ends for any `less`, after at most as
/// many steps as the sum of the intervals' logarithms. Returns a key between those before the cuts and those behind, if
/// there are any.
template <class Searchers, class Key, class Value, class Less, class Codec>
__device__ __forceinline__ Key select(const sequence_set<Key, Value>& set, selection<Searchers>& found,
                                      std::size_t wanted, std::size_t slack, key_range<Key> range, Less less,
                                      Codec codec) {
  Key between{};
  if constexpr (thread::interpolates_v<Key, Less>)
    if (slack > 0) between = device::interpolate(set, found, range, wanted, slack, codec);
  while (found.selected + slack < wanted) {  // [0, cut) are selected, [high, count) are not
    pivot_position at = device::widest_interval(found);
    at.position = device::begin_of(found, at.sequence) + at.position / 2;
    const Key pivot = codec.encode(set.items[at.sequence].data.keys[at.position]);
    const bool lower = device::narrow(found, at, wanted, slack, [&](std::size_t(&ranks)[Searchers::per_lane]) {
#pragma unroll
      for (int i = 0; i < Searchers::per_lane; ++i) {
        const int s = Searchers::sequence_of(i);
        if (s == at.sequence) continue;
        ranks[i] = device::rank_in(encoded_keys<Key, Codec>{set.items[s].data.keys, codec}, found.cut[i], found.high[i],
                                   pivot, s < at.sequence, less);
      }
    });
    if (lower) between = pivot;
  }
  return between;
}

/// Whether known cuts of a later tile lie before those of an earlier one, which happens only if `less` is no strict
/// weak order.
template <class Searchers>
__device__ bool is_crossed(const selection<Searchers>& intervals) {
  bool crossed = false;
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) crossed |= intervals.high[i] < intervals.cut[i];
  return Searchers::any(crossed);
}

/// Selects the cuts before output tiles, cuts[t * set.count + s]; a group of lanes handles each t from 0 to `tiles`
/// inclusive that is a multiple of `spacing`. The cuts of multiples of `served` are known and narrow the search between
/// them; zero: none are. Tiles have `tile` elements, give or take twice the slack. Unless `bounds` is null, bounds[t]
/// becomes a key between those before the cuts and those behind.
template <class Searchers, class Key, class Less, class Codec>
__global__ void __launch_bounds__(selection_threads)
    multiway_selection_kernel(const __grid_constant__ sequence_set<Key, no_value> set, unsigned tile, unsigned slack,
                              std::size_t tiles, unsigned spacing, unsigned served, std::size_t* cuts, Key* bounds,
                              Less less, Codec codec) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  const std::size_t t = thread / Searchers::lanes * spacing;
  if (t > tiles || (served > 0 && t % served == 0)) return;
  const std::size_t before = served > 0 ? t / served * served : 0;
  const std::size_t after = before + served;
  const auto searched = [&](bool between_known) {
    selection<Searchers> intervals{};
#pragma unroll
    for (int i = 0; i < Searchers::per_lane; ++i) {
      const int s = Searchers::sequence_of(i);
      if (s >= set.count) continue;
      if (between_known) intervals.cut[i] = cuts[before * set.count + s];
      intervals.high[i] = between_known && after <= tiles ? cuts[after * set.count + s] : set.items[s].count;
      if (t == tiles) intervals.cut[i] = set.items[s].count;
      intervals.selected += intervals.cut[i];
      intervals.limit += intervals.high[i];
    }
    intervals.selected = Searchers::sum(intervals.selected);
    intervals.limit = Searchers::sum(intervals.limit);
    return intervals;
  };
  selection<Searchers> found = searched(served > 0);
  if constexpr (!strict_weak_order_v<Less>)
    if (served > 0 && device::is_crossed(found)) found = searched(false);
  key_range<Key> range{};
  if constexpr (thread::interpolates_v<Key, Less>)
    if (slack > 0)
      range = served > 0 && after <= tiles ? key_range<Key>{bounds[before], bounds[after]}
                                           : device::open_range(set, found, codec);
  Key bound{};
  if (t > 0 && t < tiles) bound = device::select(set, found, t * tile, slack, range, less, codec);
  if constexpr (thread::interpolates_v<Key, Less>)
    if (bounds) {
      if (t == 0 || t == tiles) bound = device::extreme_key<Searchers>(set, t == tiles, codec);
      if (Searchers::lane() == 0) bounds[t] = bound;
    }
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) {
    const int s = Searchers::sequence_of(i);
    if (s < set.count) cuts[t * set.count + s] = found.cut[i];
  }
}

/// Enqueues the selection of all cuts, of keys alone.
template <class Searchers, class Key, class Less, class Codec>
void select_cuts_by(const context& context, const sequence_set<Key, no_value>& set, std::size_t tile, std::size_t slack,
                    std::size_t tiles, std::size_t* cuts, Key* bounds, Less less, Codec codec) {
  unsigned served = 0;
  for (const unsigned spacing : selection_spacings) {
    if (spacing > 1 && tiles <= single_search_tiles) continue;
    device::launch(context,
                   {device::divide_up((tiles / spacing + 1) * Searchers::lanes, selection_threads), selection_threads},
                   multiway_selection_kernel<Searchers, Key, Less, Codec>, set, static_cast<unsigned>(tile),
                   static_cast<unsigned>(slack), tiles, spacing, served, cuts, bounds, less, codec);
    served = spacing;
  }
}

/// Selects cuts: of codes by as few lanes per cut as the number of sequences needs, of other keys by whole warps.
template <class Key, class Less, class Codec>
void select_cuts_of_keys(const context& context, const sequence_set<Key, no_value>& set, std::size_t tile,
                         std::size_t slack, std::size_t tiles, std::size_t* cuts, Key* bounds, Less less, Codec codec) {
  using eight = searchers<8, 1>;
  using sixteen = searchers<16, 1>;
  auto select = select_cuts_by<searchers<warp::threads, sequences_per_lane>, Key, Less, Codec>;
  if constexpr (thread::interpolates_v<Key, Less>) {
    if (set.count <= eight::most_sequences)
      select = select_cuts_by<eight, Key, Less, Codec>;
    else if (set.count <= sixteen::most_sequences)
      select = select_cuts_by<sixteen, Key, Less, Codec>;
  }
  select(context, set, tile, slack, tiles, cuts, bounds, less, codec);
}

/// Selects cuts of sequences of elements by their keys, whatever their values.
template <class Key, class Value, class Less, class Codec>
void select_cuts(const context& context, const sequence_set<Key, Value>& set, std::size_t tile, std::size_t slack,
                 std::size_t tiles, std::size_t* cuts, Key* bounds, Less less, Codec codec) {
  sequence_set<Key, no_value> keys{};
  keys.count = set.count;
  for (int s = 0; s < set.count; ++s) keys.items[s] = {{set.items[s].data.keys}, set.items[s].count};
  device::select_cuts_of_keys(context, keys, tile, slack, tiles, cuts, bounds, less, codec);
}

/// Sets *contradiction if cuts before a later tile lie before those of an earlier one.
template <class Cut>
__global__ void __launch_bounds__(selection_threads)
    multiway_check_kernel(const Cut* cuts, std::size_t cuts_count, int sequences, unsigned* contradiction) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  if (i + sequences < cuts_count && cuts[i] > cuts[i + sequences]) *contradiction = 1;
}

}  // namespace gpu::inline v1::detail::device
