// Searches by one thread in sorted sequences of numbers whose reads are expensive: interpolation probes where the
// number should be if numbers are spread evenly, and takes four reads where halving takes ten. Perl, Itai and Avni,
// "Interpolation search: a log log n search", 1978.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"

namespace gpu::inline v1::detail::device::thread {

/// Whether keys in this order can be used as numbers.
template <class Key, class Less>
inline constexpr bool interpolates_v = std::is_same_v<Less, code_less> && (sizeof(Key) == 4 || sizeof(Key) == 8);

/// The result of a probe: whether its position is behind the wanted one, and how far the number there is from the
/// wanted one.
template <class Number>
struct probe_result {
  bool behind;
  Number gap;
};

/// The interval that contains the wanted position: `low`, `high` or between them; the numbers at its ends are about
/// low_gap and high_gap away from the wanted one. Narrowing it takes no branches, so that reads for several searches
/// overlap.
template <class Number>
struct search_interval {
  std::size_t low;
  std::size_t high;
  Number low_gap;
  Number high_gap;
  int misses = 0;

  /// Whether interpolation pays off: not in short intervals, a few sectors of memory, where halving costs no more, nor
  /// where numbers are not spread evenly.
  __device__ bool is_worth_computing() const {
    constexpr std::size_t few = 32;
    constexpr int most_misses = 2;
    return high - low > few && misses < most_misses;
  }

  /// Where the wanted position is expected, and two positions on either side of it, as far away as random deviations
  /// may have moved it.
  struct expectation {
    std::size_t position;
    std::size_t first;
    std::size_t second;
  };
  __device__ __forceinline__ expectation expected() const {
    const auto length = static_cast<float>(high - low);
    const float range = static_cast<float>(low_gap) + static_cast<float>(high_gap);
    const float share = range > 0 ? __fdividef(static_cast<float>(low_gap), range) : 0.5f;
    const float variance = length * share * (1 - share);
    const std::size_t position = min(low + static_cast<std::size_t>(share * length), high - 1);
    const auto margin = static_cast<std::size_t>(2 * variance * rsqrtf(variance + 1)) + 2;
    return {position, max(position, low + margin) - margin, min(position + margin, high - 1)};
  }

  /// Narrows the interval by a probe at one position.
  __device__ __forceinline__ void divide(std::size_t at, probe_result<Number> seen) {
    low = seen.behind ? low : at + 1;
    low_gap = seen.behind ? low_gap : seen.gap;
    high = seen.behind ? at : high;
    high_gap = seen.behind ? seen.gap : high_gap;
  }

  /// Narrows the interval by two probes on either side of the expected position.
  __device__ __forceinline__ void narrow(const expectation& at, probe_result<Number> left, probe_result<Number> right) {
    const std::size_t length = high - low;
    low = !right.behind ? at.second + 1 : !left.behind ? at.first + 1 : low;
    low_gap = !right.behind ? right.gap : !left.behind ? left.gap : low_gap;
    high = !right.behind ? high : !left.behind ? at.second : at.first;
    high_gap = !right.behind ? high_gap : !left.behind ? right.gap : left.gap;
    if (high - low > length / 4) ++misses;
  }

  /// Three positions that divide an interval of length at least one into quarters.
  struct quarters {
    std::size_t first;
    std::size_t second;
    std::size_t third;
  };
  __device__ __forceinline__ quarters divided() const {
    const std::size_t length = high - low;
    return {low + length / 4, low + length / 2, high - 1 - length / 4};
  }

  /// Narrows the interval by whether these positions are behind the wanted one.
  __device__ __forceinline__ void quarter(bool first, bool second, bool third) {
    const quarters at = divided();
    high = first ? at.first : second ? at.second : third ? at.third : high;
    low = first ? low : second ? at.first + 1 : third ? at.second + 1 : at.third + 1;
  }
};

/// Probes once where each wanted position is expected: while it is far off, one read narrows as much as two would.
template <int Count, class Number, class Look, class See>
__device__ __forceinline__ void look_once(search_interval<Number> (&intervals)[Count], Look look, See see) {
  std::size_t at[Count] = {};
  decltype(look(0, std::size_t{0})) seen[Count] = {};
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (!intervals[i].is_worth_computing()) continue;
    at[i] = intervals[i].expected().position;
    seen[i] = look(i, at[i]);
  }
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (intervals[i].is_worth_computing()) intervals[i].divide(at[i], see(seen[i]));
}

/// Probes on either side of where each wanted position is expected; returns whether to do so again.
template <int Count, class Number, class Look, class See>
__device__ __forceinline__ bool interpolate_once(search_interval<Number> (&intervals)[Count], Look look, See see) {
  typename search_interval<Number>::expectation at[Count];
  decltype(look(0, std::size_t{0})) left[Count] = {}, right[Count] = {};
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (!intervals[i].is_worth_computing()) continue;
    at[i] = intervals[i].expected();
    left[i] = look(i, at[i].first), right[i] = look(i, at[i].second);
  }
  bool again = false;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (!intervals[i].is_worth_computing()) continue;
    intervals[i].narrow(at[i], see(left[i]), see(right[i]));
    again |= intervals[i].is_worth_computing();
  }
  return again;
}

/// Quarters all non-empty intervals by three simultaneous reads, as latency is what counts; returns whether any is
/// still non-empty.
template <int Count, class Number, class Look, class See>
__device__ __forceinline__ bool quarter_once(search_interval<Number> (&intervals)[Count], Look look, See see) {
  decltype(look(0, std::size_t{0})) first[Count] = {}, second[Count] = {}, third[Count] = {};
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (intervals[i].low == intervals[i].high) continue;
    const auto at = intervals[i].divided();
    first[i] = look(i, at.first), second[i] = look(i, at.second), third[i] = look(i, at.third);
  }
  bool again = false;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (intervals[i].low == intervals[i].high) continue;
    intervals[i].quarter(see(first[i]).behind, see(second[i]).behind, see(third[i]).behind);
    again |= intervals[i].low < intervals[i].high;
  }
  return again;
}

/// Searches several sequences in step, so that their reads overlap. Leaves in `low` the first position of each interval
/// that is behind the wanted position, or the interval's end. look(i, position) reads in sequence i; see(what it read)
/// is a probe_result. Interpolates until two steps have missed, which indicates that numbers are not spread evenly,
/// then quarters: O(log(high - low)). The first `Looks` steps probe once each: among 2^27 random numbers these are some
/// 4000, 70 and 9 positions off, less than the distance between two probes would be.
template <int Looks, int Count, class Number, class Look, class See>
__device__ __forceinline__ void interpolation_search(search_interval<Number> (&intervals)[Count], Look look, See see) {
#pragma unroll
  for (int i = 0; i < Looks; ++i) thread::look_once(intervals, look, see);
  while (thread::interpolate_once(intervals, look, see)) continue;
  while (thread::quarter_once(intervals, look, see)) continue;
}

}  // namespace gpu::inline v1::detail::device::thread
