// Multiway selection among numbers, where pivots are computed: by interpolation where numbers lie evenly, by the
// position in one sequence where sequences are alike; equal numbers need none. A search takes a few reads instead of
// twenty.
#pragma once

#include <cstddef>

#include "../thread/interpolation.cuh"
#include "../tuning/merging.hpp"
#include "selection.cuh"

namespace gpu::inline v1::detail::device {

/// Keys between two others, both included.
template <class Key>
struct key_range {
  Key least;
  Key greatest;
};

/// The range of the keys that a selection leaves open.
template <class Searchers, class Key, class Value, class Codec>
__device__ __forceinline__ key_range<Key> open_range(const sequence_set<Key, Value>& set,
                                                     const selection<Searchers>& found, Codec codec) {
  key_range<Key> range{static_cast<Key>(~Key{0}), 0};
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) {
    if (found.cut[i] >= found.high[i]) continue;
    const Key* const keys = set.items[Searchers::sequence_of(i)].data.keys;
    range.least = min(range.least, codec.encode(keys[found.cut[i]]));
    range.greatest = max(range.greatest, codec.encode(keys[found.high[i] - 1]));
  }
  return {Searchers::least(range.least), Searchers::greatest(range.greatest)};
}

/// Makes a code, which need not be an element, a bound of the selection, as narrow() does, and of the range. Codes of a
/// sequence are expected to be divided at the fraction below / (below + above). Returns by how many elements the code
/// has missed the wanted position.
template <class Searchers, class Key, class Value, class Codec>
__device__ __forceinline__ std::size_t narrow_by_code(const sequence_set<Key, Value>& set, selection<Searchers>& found,
                                                      key_range<Key>& range, Key pivot, Key below, Key above,
                                                      std::size_t wanted, std::size_t slack, Codec codec) {
  constexpr int count = Searchers::per_lane;
  const bool lower = device::narrow(found, {}, wanted, slack, [&](std::size_t(&ranks)[count]) {
    thread::search_interval<Key> intervals[count];
#pragma unroll
    for (int i = 0; i < count; ++i) intervals[i] = {found.cut[i], found.high[i], below, above};
    const auto look = [&](int i, std::size_t at) { return set.items[Searchers::sequence_of(i)].data.keys[at]; };
    thread::interpolation_search<2>(intervals, look, [&](Key key) {
      const Key code = codec.encode(key);
      return thread::probe_result<Key>{!(code < pivot), static_cast<Key>(code < pivot ? pivot - code : code - pivot)};
    });
#pragma unroll
    for (int i = 0; i < count; ++i) ranks[i] = intervals[i].low;
  });
  range.least = lower ? pivot : range.least;
  range.greatest = static_cast<Key>(lower ? range.greatest : pivot - 1);
  return lower ? max(wanted, found.selected) - found.selected : found.limit - wanted;
}

/// Narrows a selection by two codes of the widest interval, on either side of the position that divides it as the
/// wanted position divides all intervals together. Suits sequences that are alike, however their codes lie.
template <class Searchers, class Key, class Value, class Codec>
__device__ __forceinline__ void bracket(const sequence_set<Key, Value>& set, selection<Searchers>& found,
                                        key_range<Key>& range, std::size_t wanted, std::size_t slack, Codec codec) {
  constexpr float whole = 1 << 24;
  const pivot_position widest = device::widest_interval(found);
  const Key* const keys = set.items[widest.sequence].data.keys + device::begin_of(found, widest.sequence);
  const float length = static_cast<float>(widest.position);
  const float share = static_cast<float>(wanted - found.selected) / static_cast<float>(found.limit - found.selected);
  const auto margin = static_cast<std::size_t>(2 * sqrtf(length));
  const auto middle = min(static_cast<std::size_t>(share * length), widest.position - 1);
  const Key low = codec.encode(keys[max(middle, margin) - margin]);
  const Key high = codec.encode(keys[min(middle + margin, widest.position - 1)]);
  const Key below = static_cast<Key>(share * whole), above = static_cast<Key>(whole) - below;
  if (low > range.least) device::narrow_by_code(set, found, range, low, below, above, wanted, slack, codec);
  if (found.selected + slack < wanted && high < range.greatest)  // all that equal `high` stay below
    device::narrow_by_code(set, found, range, static_cast<Key>(high + 1), below, above, wanted, slack, codec);
}

/// Ends a selection among equal codes: takes those of earlier sequences first.
template <class Searchers>
__device__ __forceinline__ void take_in_order(selection<Searchers>& found, std::size_t wanted) {
  std::size_t missing = wanted - found.selected;
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) {
    const std::size_t width = found.high[i] - found.cut[i];
    const std::size_t end = Searchers::inclusive_sum(width);
    found.cut[i] += min(width, max(missing, end - width) - (end - width));
    missing -= min(missing, Searchers::shuffle(end, Searchers::lanes - 1));
  }
  found.selected = wanted;
}

/// Narrows a selection by values in the range of the keys that it leaves open: where keys lie evenly, the first value
/// misses the wanted position by no more than about the square root of the number of elements. Returns a key that none
/// before the cuts exceeds and that none behind them is less than.
template <class Searchers, class Key, class Value, class Codec>
__device__ __forceinline__ Key interpolate(const sequence_set<Key, Value>& set, selection<Searchers>& found,
                                           key_range<Key> range, std::size_t wanted, std::size_t slack, Codec codec) {
#pragma unroll 1
  for (int round = 0; round < interpolations && range.least < range.greatest && found.selected + slack < wanted;
       ++round) {
    const std::size_t open = found.limit - found.selected;
    const double share = static_cast<double>(wanted - found.selected) / static_cast<double>(open);
    const Key span = static_cast<Key>(range.greatest - range.least);
    const Key below = max(static_cast<Key>(static_cast<double>(span) * share), Key{1});
    const std::size_t missed = device::narrow_by_code(set, found, range, static_cast<Key>(range.least + below), below,
                                                      static_cast<Key>(span - below), wanted, slack, codec);
    const float by_chance = 4 * sqrtf(static_cast<float>(open));  // eight deviations, at least, of keys that lie evenly
    if (missed > slack && static_cast<float>(missed) > by_chance)
      device::bracket(set, found, range, wanted, slack, codec);
  }
  if (range.least == range.greatest && found.selected + slack < wanted) device::take_in_order(found, wanted);
  return range.least;
}

/// The least key of all sequences, or the greatest.
template <class Searchers, class Key, class Value, class Codec>
__device__ Key extreme_key(const sequence_set<Key, Value>& set, bool greatest, Codec codec) {
  Key found = greatest ? Key{0} : static_cast<Key>(~Key{0});
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) {
    const int s = Searchers::sequence_of(i);
    if (s >= set.count || set.items[s].count == 0) continue;
    const Key key = codec.encode(set.items[s].data.keys[greatest ? set.items[s].count - 1 : 0]);
    found = greatest ? max(found, key) : min(found, key);
  }
  return greatest ? Searchers::greatest(found) : Searchers::least(found);
}

}  // namespace gpu::inline v1::detail::device
