// The state of a multiway selection: an interval of every sequence in which its cut lies, spread over the lanes that
// search together; and how a pivot narrows these intervals.
#pragma once

#include <cstddef>

#include "../tuning/merging.hpp"
#include "../warp/group.cuh"
#include "merge.cuh"

namespace gpu::inline v1::detail::device {

/// A sorted sequence of a multiway merge.
template <class Key, class Value>
struct sequence {
  const_columns<Key, Value> data;
  std::size_t count;
};

/// What one launch merges: two sequences per lane of a warp, and few enough to travel as kernel parameters.
inline constexpr int max_sequences = sequences_per_lane * warp::threads;

template <class Key, class Value>
struct sequence_set {
  sequence<Key, Value> items[max_sequences];
  int count;
};

/// A group of Lanes lanes that search for a cut together; lane l has sequences l, l + Lanes, ….
template <int Lanes, int PerLane>
struct searchers : warp::group<Lanes> {
  static constexpr int lanes = Lanes;
  static constexpr int per_lane = PerLane;
  static constexpr int most_sequences = Lanes * PerLane;
  __device__ static int sequence_of(int i) { return i * Lanes + searchers::lane(); }
};

/// The intervals of a selection, [cut, high] of the calling lane's sequences. The first cut[s] of every sequence s,
/// `selected` in all, are before the wanted position or just beyond it; the first high[s], `limit` in all, reach
/// beyond.
template <class Searchers>
struct selection {
  std::size_t cut[Searchers::per_lane];
  std::size_t high[Searchers::per_lane];
  std::size_t selected;
  std::size_t limit;
};

/// Where a pivot was found; sequence -1: nowhere, as it need not be an element.
struct pivot_position {
  int sequence = -1;
  std::size_t position = 0;
};

/// Makes a pivot a bound of the selection: the lower one if at most `slack` more elements than wanted precede it, else
/// the upper one. rank(ranks): sets how many elements precede it in each of the calling lane's sequences; for the
/// pivot's own, anything. Returns whether it has become the lower one.
template <class Searchers, class Rank>
__device__ __forceinline__ bool narrow(selection<Searchers>& found, pivot_position at, std::size_t wanted,
                                       std::size_t slack, Rank rank) {
  std::size_t ranks[Searchers::per_lane];
  rank(ranks);
  std::size_t before = 0;
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) {
    if (Searchers::sequence_of(i) == at.sequence) ranks[i] = at.position;
    before += ranks[i];
  }
  before = Searchers::sum(before);
  const bool lower = before <= wanted + slack;
  const bool itself = before < wanted && at.sequence >= 0;
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i) {
    const std::size_t taken = itself && Searchers::sequence_of(i) == at.sequence ? 1 : 0;
    found.cut[i] = lower ? ranks[i] + taken : found.cut[i];
    found.high[i] = lower ? found.high[i] : ranks[i];
  }
  found.selected = lower ? before + (itself ? 1 : 0) : found.selected;
  found.limit = lower ? found.limit : before;
  return lower;
}

/// The sequence with the widest interval; `position` is the number of elements in the interval.
template <class Searchers>
__device__ __forceinline__ pivot_position widest_interval(const selection<Searchers>& found) {
  std::size_t widest = 0;
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i)
    widest = max(widest, (found.high[i] - found.cut[i]) * Searchers::most_sequences + Searchers::sequence_of(i));
  widest = Searchers::greatest(widest);
  return {static_cast<int>(widest % Searchers::most_sequences), widest / Searchers::most_sequences};
}

/// Where the interval of any sequence begins.
template <class Searchers>
__device__ __forceinline__ std::size_t begin_of(const selection<Searchers>& found, int sequence) {
  std::size_t begin = 0;
#pragma unroll
  for (int i = 0; i < Searchers::per_lane; ++i)
    if (sequence / Searchers::lanes == i) begin = Searchers::shuffle(found.cut[i], sequence % Searchers::lanes);
  return begin;
}

}  // namespace gpu::inline v1::detail::device
