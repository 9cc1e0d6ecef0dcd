// Lists of segments by their length, which kernels make and others work through: the host knows how long each can get,
// from the number of elements and of segments, and nothing else. Segments that overlap, which nobody can tell, cost
// order: once more elements than there are have been listed, no segment is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../segments.hpp"
#include "../distribution/subproblems.cuh"
#include "../launching/scratch.cuh"
#include "../warp/shuffle.cuh"
#include "long_lists.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Segments that 2, 4, 8, 16 or 32 threads sort together, a list for each.
inline constexpr unsigned group_classes = 5;

/// A segment of up to longest_group elements.
struct listed_segment {
  static constexpr unsigned count_bits = 11;
  std::uint64_t packed;

  listed_segment() = default;
  __device__ explicit listed_segment(std::uint64_t bits) : packed{bits} {}
  __device__ listed_segment(std::size_t begin, unsigned count) : packed{std::uint64_t{begin} << count_bits | count} {}
  __device__ std::size_t begin() const { return packed >> count_bits; }
  __device__ unsigned count() const { return static_cast<unsigned>(packed) & ((1u << count_bits) - 1); }
};

/// Classes that blocks sort by bins before groups do, the last ones: fewer of narrow codes, whose networks take less.
inline constexpr unsigned most_binned = 3;
template <class Key>
inline constexpr unsigned binned_classes = sizeof(Key) == 8   ? 3
                                           : sizeof(Key) == 4 ? 2
                                                              : 0;
template <class Key>
inline constexpr unsigned first_binned = group_classes - binned_classes<Key>;

/// What all lists have claimed. Zero before.
struct segment_claims {
  unsigned long long elements;
  unsigned groups[group_classes];
  unsigned overflowing[most_binned];
};

/// Lists for a warp's groups of threads.
struct group_lists {
  segment_claims* claims;
  listed_segment* of[group_classes];
  listed_segment* overflowing[most_binned];  ///< those of the last classes that bins cannot sort

  /// So many of the classes are binned.
  group_lists(carver& carve, std::size_t n, std::size_t segments, std::size_t items, unsigned binned)
      : claims{carve.take<segment_claims>(1)} {
    for (unsigned c = 0; c < group_classes; ++c) {
      const std::size_t most = n / ((items << c) + 1), room = most < segments ? most : segments;
      of[c] = carve.take<listed_segment>(room);
      if (c + binned >= group_classes) overflowing[c + binned - group_classes] = carve.take<listed_segment>(room);
    }
  }
};

/// An odd round, so that a base case lies where it shall end.
inline constexpr unsigned in_place_round = 1;

/// The smallest class for so many elements, more than one thread sorts.
template <unsigned Items>
__device__ __forceinline__ unsigned group_class(unsigned count) {
  return 31 - static_cast<unsigned>(__clz(static_cast<int>((count + Items - 1) / Items - 1)));
}

/// Adds the lane to those that take a slot of `counter`: one addition for all of them. Called by all lanes.
__device__ __forceinline__ unsigned take_slot(bool takes, unsigned* counter) {
  const unsigned takers = __ballot_sync(warp::all_lanes, takes);
  if (takers == 0) return 0;
  const int leader = __ffs(static_cast<int>(takers)) - 1;
  unsigned first = 0;
  if (static_cast<int>(threadIdx.x % warp::threads) == leader)
    first = atomicAdd(counter, static_cast<unsigned>(__popc(takers)));
  return __shfl_sync(warp::all_lanes, first, leader) + static_cast<unsigned>(__popc(takers & warp::lanes_before()));
}

/// Whether there is room for the listed segments of a warp, `all` elements, as there is while no two overlap. Called by
/// all lanes.
__device__ __forceinline__ bool claim_elements(segment_claims& claims, unsigned long long all, std::size_t n) {
  unsigned long long before = 0;
  if (threadIdx.x % warp::threads == 0) {
    before = *static_cast<volatile unsigned long long*>(&claims.elements);
    if (before <= n) before = atomicAdd(&claims.elements, all);
  }
  return __shfl_sync(warp::all_lanes, before, 0) + all <= n;
}

/// Lists the calling lane's segment, if it has one that is longer than Items, of n elements in all. Called by all
/// lanes.
template <unsigned Items>
__device__ __forceinline__ void list_segments(bool listed, std::size_t begin, std::size_t count, std::size_t n,
                                              const group_lists& groups, const long_lists& others) {
  if (!__any_sync(warp::all_lanes, listed)) return;
  if (!device::claim_elements(*groups.claims, warp::sum(listed ? std::uint64_t{count} : std::uint64_t{0}), n)) return;
  const bool grouped = listed && count <= std::size_t{Items} * warp::threads;
  const unsigned own_class = grouped ? device::group_class<Items>(static_cast<unsigned>(count)) : group_classes;
  for (unsigned c = 0; c < group_classes; ++c) {
    const unsigned slot = device::take_slot(own_class == c, &groups.claims->groups[c]);
    if (own_class == c) groups.of[c][slot] = {begin, static_cast<unsigned>(count)};
  }
  const bool is_base_case = listed && !grouped && count <= others.longest_base_case;
  const bool is_divided = listed && !grouped && !is_base_case;
  const unsigned base_case_slot = device::take_slot(is_base_case, others.base_case_count);
  if (is_base_case) others.base_cases[base_case_slot] = {begin, count, in_place_round, false, false, false};
  const unsigned segment_slot = device::take_slot(is_divided, &others.totals->subproblems);
  if (is_divided) {
    others.segments[segment_slot].begin = begin;
    others.segments[segment_slot].count = count;
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
