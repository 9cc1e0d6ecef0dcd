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

/// Classes of listed segments by their lengths: class c has those that take up to 2 << c threads of thread_items
/// elements. Those of the first ones are for the groups of a warp's threads.
inline constexpr unsigned group_classes = 5;
inline constexpr unsigned most_classes = 9;
/// Classes that there are for keys of a type, without groups in the last ones: blocks sort them by bins.
template <class Key>
inline constexpr bool has_segment_bins_v = sizeof(Key) == 4 || sizeof(Key) == 8;
template <class Key>
inline constexpr unsigned listed_classes = has_segment_bins_v<Key> ? most_classes : group_classes;
/// The first class that blocks sort by bins, groups afterwards if these are too full: networks of narrow codes take
/// less than bins for longer.
template <class Key>
inline constexpr unsigned first_binned = sizeof(Key) == 4   ? 3
                                         : sizeof(Key) == 8 ? 1
                                                            : group_classes;
inline constexpr unsigned most_binned_groups = 4;

/// The longest segment of a class.
template <class Key>
GPUPAR_HOST_DEVICE constexpr unsigned longest_of_class(unsigned c) {
  return 2 * thread_items<Key> << c;
}
/// Elements that a thread of a group has of the shorter ones of a class.
template <class Key>
inline constexpr unsigned fewer_items = thread_items<Key> * 3 / 4;

/// A segment of a class.
struct listed_segment {
  static constexpr unsigned count_bits = 15;
  std::uint64_t packed;

  listed_segment() = default;
  __device__ explicit listed_segment(std::uint64_t bits) : packed{bits} {}
  __device__ listed_segment(std::size_t begin, unsigned count) : packed{std::uint64_t{begin} << count_bits | count} {}
  __device__ std::size_t begin() const { return packed >> count_bits; }
  __device__ unsigned count() const { return static_cast<unsigned>(packed) & ((1u << count_bits) - 1); }
};

/// What all lists have claimed. Zero before.
struct segment_claims {
  unsigned long long elements;
  unsigned listed[most_classes][2];  ///< from the front and, of the shorter ones of a class, from the back
  unsigned overflowing[most_binned_groups];
  unsigned taken[most_classes];  ///< by blocks, of the first list
};

/// A list for each class.
struct group_lists {
  segment_claims* claims;
  listed_segment* of[most_classes];
  unsigned room[most_classes];
  listed_segment* overflowing[most_binned_groups];  ///< those of classes for groups that bins cannot sort
  unsigned classes;  ///< listed ones: others need more shared memory than the device has for a block

  template <class Key>
  group_lists(carver& carve, std::size_t n, std::size_t segments, Key)
      : claims{carve.take<segment_claims>(1)}, classes{listed_classes<Key>} {
    for (unsigned c = 0; c < listed_classes<Key>; ++c) {
      const std::size_t most = n / (longest_of_class<Key>(c) / 2 + 1);
      room[c] = static_cast<unsigned>(most < segments ? most : segments);
      of[c] = carve.take<listed_segment>(room[c]);
      if (first_binned<Key> <= c && c < group_classes)
        overflowing[c - first_binned<Key>] = carve.take<listed_segment>(room[c]);
    }
  }

  /// Number i of those that are listed from the front, or from the back.
  __device__ __forceinline__ listed_segment& number(unsigned c, bool from_back, unsigned i) const {
    return of[c][from_back ? room[c] - 1 - i : i];
  }
};

/// An odd round, so that a base case lies where it shall end.
inline constexpr unsigned in_place_round = 1;

/// The smallest class for so many elements, more than one thread sorts.
template <unsigned Items>
__device__ __forceinline__ unsigned class_for(unsigned count) {
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

/// A segment that no class is for, or that its class cannot sort, for a block or for all. Called by lanes that have
/// one.
__device__ __forceinline__ void hand_on(const long_lists& others, std::size_t begin, std::size_t count) {
  if (count <= others.longest_base_case) {
    others.base_cases[atomicAdd(others.base_case_count, 1u)] = {begin, count, in_place_round, false, true, false};
  } else {
    subproblem& added = others.segments[atomicAdd(&others.totals->subproblems, 1u)];
    added.begin = begin;
    added.count = count;
  }
}

/// Lists the calling lane's segment, if it has one that is too long for a thread, of n elements in all. Called by all
/// lanes.
template <class Key>
__device__ __forceinline__ void list_segments(bool listed, std::size_t begin, std::size_t count, std::size_t n,
                                              const group_lists& groups, const long_lists& others) {
  if (!__any_sync(warp::all_lanes, listed)) return;
  if (!device::claim_elements(*groups.claims, warp::sum(listed ? std::uint64_t{count} : std::uint64_t{0}), n)) return;
  const bool has_class = listed && count <= longest_of_class<Key>(groups.classes - 1);
  unsigned own_class = 0, shorter = 0;
  if (has_class) {
    own_class = device::class_for<thread_items<Key>>(static_cast<unsigned>(count));
    shorter = own_class < first_binned<Key> && count <= 2 * fewer_items<Key> << own_class;
  }
  for (unsigned rest = __ballot_sync(warp::all_lanes, has_class); rest != 0;) {
    const int leader = __ffs(static_cast<int>(rest)) - 1;
    const unsigned c = __shfl_sync(warp::all_lanes, own_class, leader);
    const unsigned back = __shfl_sync(warp::all_lanes, shorter, leader);
    const bool alike = has_class && own_class == c && shorter == back;
    const unsigned slot = device::take_slot(alike, &groups.claims->listed[c][back]);
    if (alike) groups.number(c, back != 0, slot) = {begin, static_cast<unsigned>(count)};
    rest &= ~__ballot_sync(warp::all_lanes, alike);
  }
  if (listed && !has_class) device::hand_on(others, begin, count);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
