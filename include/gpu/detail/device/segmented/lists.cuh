// Lists of segments by length, which some kernels fill and others work through. The host only knows how long each can
// get, from the numbers of elements and segments. Overlapping segments, which are not detected, may be left unsorted: a
// full list takes no more, nor do the lists of long segments once they have more elements than there are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../calls/segments.hpp"
#include "../distribution/subproblems.cuh"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../warp/shuffle.cuh"
#include "long_lists.hpp"

namespace gpu::inline v1::detail::device {

/// Classes of listed segments by length: class c has those that take up to 2 << c threads of thread_items elements. The
/// first ones are for groups of a warp's threads.
inline constexpr unsigned group_classes = 5;
inline constexpr unsigned most_classes = 9;
/// Number of classes of a key type; blocks sort those beyond the groups' classes by bins.
template <class Key>
inline constexpr bool has_segment_bins_v = sizeof(Key) == 4 || sizeof(Key) == 8;
template <class Key>
inline constexpr unsigned classes_of = has_segment_bins_v<Key> ? most_classes : group_classes;
/// The first class that blocks sort by bins, and groups afterwards where bins are too full: with narrow codes, networks
/// are faster than bins up to longer segments.
template <class Key>
inline constexpr unsigned first_binned = sizeof(Key) == 4   ? 3
                                         : sizeof(Key) == 8 ? 2
                                                            : group_classes;
inline constexpr unsigned most_binned_groups = 4;

/// The longest segment of a class.
template <class Key>
GPUPAR_HOST_DEVICE constexpr unsigned longest_of_class(unsigned c) {
  return 2 * thread_items<Key> << c;
}

/// Up to this many elements, launches take longer than the kernels' work.
inline constexpr std::size_t few_for_classes = std::size_t{1} << 18;
/// The classes for which segments are listed, a bit for each; with few elements, some also serve for those before them.
template <class Key>
constexpr unsigned listed_classes(std::size_t n) {
  constexpr unsigned all = ~(~0u << classes_of<Key>), unbinned = ~(~0u << first_binned<Key>);
  constexpr unsigned lasts = 1u << (group_classes - 1) | 1u << (classes_of<Key> - 1);
  return n <= few_for_classes ? unbinned | lasts : all;
}
/// The longest segment that is too short for class c, given the classes for which segments are listed.
template <class Key>
constexpr unsigned too_short_for(unsigned c, unsigned classes) {
  const auto before = static_cast<unsigned>(std::bit_width(classes & ((1u << c) - 1)));
  return before > 0 ? longest_of_class<Key>(before - 1) : thread_items<Key>;
}

/// Elements per thread of a group for the shorter segments of a class.
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

/// Every class has two lists, which grow towards each other: in some classes the second one has the shorter segments.
inline constexpr unsigned most_lists = 2 * most_classes;
inline constexpr unsigned no_list = most_lists;
static_assert(most_lists <= warp::threads);

/// What all lists have claimed. Begins as zeros.
struct segment_claims {
  unsigned long long elements;  ///< of segments that a warp does not sort
  unsigned listed[most_lists];
  unsigned overflowing[most_binned_groups];
  unsigned taken[most_classes];  ///< segments of the first list that blocks have taken
};

/// A list for each class.
struct group_lists {
  segment_claims* claims;
  listed_segment* of[most_classes];
  unsigned room[most_classes];
  listed_segment* overflowing[most_binned_groups];  ///< segments of groups' classes that bins cannot sort
  unsigned classes;  ///< a bit for each class in use; the others' segments are listed in the next class in use

  template <class Key>
  group_lists(carver& carve, std::size_t n, std::size_t segments, Key)
      : claims{carve.take<segment_claims>(1)}, classes{listed_classes<Key>(n)} {
    for (unsigned c = 0; c < classes_of<Key>; ++c) {
      const std::size_t most = has(c) ? n / (too_short_for<Key>(c, classes) + 1) : 0;
      room[c] = static_cast<unsigned>(most < segments ? most : segments);
      of[c] = carve.take<listed_segment>(room[c]);
      if (first_binned<Key> <= c && c < group_classes)
        overflowing[c - first_binned<Key>] = carve.take<listed_segment>(room[c]);
    }
  }

  [[nodiscard]] bool has(unsigned c) const { return (classes >> c & 1) != 0; }

  /// To be called before the first kernel of a call: kernels start early behind other kernels, but not behind this.
  void clear(const context& context) const { device::set_zero(context, claims, sizeof(*claims)); }

  /// Number i of a list.
  __device__ __forceinline__ listed_segment& number(unsigned list, unsigned i) const {
    const unsigned c = list / 2;
    return of[c][list % 2 != 0 ? room[c] - 1 - i : i];
  }
  /// Segments in a list.
  __device__ __forceinline__ unsigned listed(unsigned list) const { return min(claims->listed[list], room[list / 2]); }
};

/// An odd round: the base case already lies where it must end up.
inline constexpr unsigned in_place_round = 1;

/// The smallest class for `count` elements, which are more than one thread sorts.
template <unsigned Items>
__device__ __forceinline__ unsigned class_for(unsigned count) {
  return 31 - static_cast<unsigned>(__clz(static_cast<int>((count + Items - 1) / Items - 1)));
}

/// Claims room for the listed segments of a warp, of `all` elements; false if there is none, which happens only if
/// segments overlap. Called by all lanes.
__device__ __forceinline__ bool claim_elements(segment_claims& claims, unsigned long long all, std::size_t n) {
  unsigned long long before = 0;
  if (threadIdx.x % warp::threads == 0) {
    before = *static_cast<volatile unsigned long long*>(&claims.elements);
    if (before <= n) before = atomicAdd(&claims.elements, all);
  }
  return __shfl_sync(warp::all_lanes, before, 0) + all <= n;
}

/// Lists a segment that belongs to no class, or that its class cannot sort, for a block or for all blocks. Called by
/// the lanes that have one.
__device__ __forceinline__ void hand_on(const long_lists& others, std::size_t begin, std::size_t count) {
  if (count <= others.longest_base_case) {
    others.base_cases[atomicAdd(others.base_case_count, 1u)] = {begin, count, in_place_round, false, repetition::often,
                                                                false};
  } else {
    subproblem& added = others.segments[atomicAdd(&others.totals->subproblems, 1u)];
    added.begin = begin;
    added.count = count;
  }
}

/// The list for a segment of `count` elements, or no_list.
template <class Key>
__device__ __forceinline__ unsigned list_for(std::size_t count, unsigned classes) {
  const unsigned last = 31 - static_cast<unsigned>(__clz(static_cast<int>(classes)));
  if (count <= thread_items<Key> || count > longest_of_class<Key>(last)) return no_list;
  const unsigned least = device::class_for<thread_items<Key>>(static_cast<unsigned>(count));
  const unsigned c = least + static_cast<unsigned>(__ffs(static_cast<int>(classes >> least))) - 1;
  return 2 * c + (c < first_binned<Key> && count <= 2 * fewer_items<Key> << c ? 1 : 0);
}

/// Lists those of a warp's segments that are too long for a thread, of n elements in all; each lane has Sets segments,
/// 32 apart. One atomic instruction claims the slots in all lists, with a lane for each. Called by all lanes.
template <class Key, unsigned Sets>
__device__ __forceinline__ void list_segments(const std::size_t* begins, const std::size_t* counts, std::size_t n,
                                              const group_lists& groups, const long_lists& others) {
  const unsigned lane = threadIdx.x % warp::threads;
  const auto count_of = [&](unsigned set) { return counts[set * warp::threads + lane]; };
  unsigned list[Sets];
  std::uint64_t claimed = 0;
#pragma unroll
  for (unsigned s = 0; s < Sets; ++s) {
    list[s] = device::list_for<Key>(count_of(s), groups.classes);
    if (count_of(s) > longest_group<Key>) claimed += count_of(s);
  }
  if (__any_sync(warp::all_lanes, claimed > 0)) {
    const bool room = device::claim_elements(*groups.claims, warp::sum(claimed), n);
#pragma unroll
    for (unsigned s = 0; s < Sets; ++s) {
      if (count_of(s) <= longest_group<Key>) continue;
      if (!room) list[s] = no_list;
      if (room && list[s] == no_list) device::hand_on(others, begins[s * warp::threads + lane], count_of(s));
    }
  }
  const auto first_from = [&](unsigned least) {  // the first list, from `least` on, that some segment is for
    unsigned first = no_list;
#pragma unroll
    for (unsigned s = 0; s < Sets; ++s)
      if (list[s] >= least) first = min(first, list[s]);
    return warp::minimum(first);
  };
  unsigned slots = 0;  // of the list that has the lane's number
  for (unsigned l = first_from(0); l < no_list; l = first_from(l + 1)) {
    unsigned all = 0;
#pragma unroll
    for (unsigned s = 0; s < Sets; ++s) all += __popc(__ballot_sync(warp::all_lanes, list[s] == l));
    if (lane == l) slots = all;
  }
  if (slots > 0) slots = atomicAdd(&groups.claims->listed[lane], slots);
  for (unsigned l = first_from(0); l < no_list; l = first_from(l + 1)) {
    unsigned first = __shfl_sync(warp::all_lanes, slots, l);
#pragma unroll
    for (unsigned s = 0; s < Sets; ++s) {
      const unsigned takers = __ballot_sync(warp::all_lanes, list[s] == l);
      const unsigned slot = first + __popc(takers & warp::lanes_before());
      if (list[s] == l && slot < groups.room[l / 2])
        groups.number(l, slot) = {begins[s * warp::threads + lane], static_cast<unsigned>(count_of(s))};
      first += __popc(takers);
    }
  }
}

}  // namespace gpu::inline v1::detail::device
