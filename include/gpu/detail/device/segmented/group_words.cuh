// Sorts segments of wide codes by networks of 32-bit words, which take a third of the time: a word holds the leading
// bits from where the segment's codes differ, as many as there is room for, followed by the slot of its code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../block/even_buckets.cuh"
#include "../warp/shuffle.cuh"
#include "../warp/sort.cuh"
#include "counted_keys.cuh"
#include "group_stage.cuh"

namespace gpu::inline v1::detail::device {

/// The most codes for whose slots words have room: random codes hardly ever differ only in the bits left out.
inline constexpr unsigned most_word_slots = 256;

/// Finds the order of the codes of one segment per group of lanes, leaving those of equal keys in their order; false,
/// with nothing done, if words do not distinguish the keys of some segment. `count`: elements of the calling lane's
/// segment. Called by all lanes.
template <class Data, class Key, unsigned Items>
__device__ __forceinline__ bool order_by_words(group_stage<Key, Items>& shared, unsigned count, unsigned lanes) {
  using slots = typename group_stage<Key, Items>::slots;
  using part = decltype(code_parts<Data>::sorted(Key{}));
  const unsigned lane = threadIdx.x % warp::threads, in_group = lane & (lanes - 1), first = in_group * Items;
  const unsigned group = slots::of_lane(lane - in_group, 0), own = slots::of_lane(in_group, 0);  // own: within group
  const unsigned behind = 2 * lanes * thread_items<Key> - 1;  // the bits of a word that hold its code's slot
  const auto part_of = [&](unsigned word) { return code_parts<Data>::sorted(shared.codes[group + (word & behind)]); };
  const part any = part_of(0);
  part parts[Items], different{};
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    parts[i] = first + i < count ? part_of(own + i) : any;
    different |= parts[i] ^ any;
  }
#pragma unroll 1
  for (unsigned step = 1; step < lanes; step *= 2) different |= warp::shuffle_xor(different, static_cast<int>(step));
  const unsigned alike = block::leading_zeros(different);
  unsigned words[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    words[i] = (first + i < count ? block::leading_word(parts[i], alike) & ~behind : ~behind) | (own + i);
  warp::sort_lane(words);
  warp::merge_in_groups(words, lanes);
  bool astray = false;
  const unsigned next = __shfl_down_sync(warp::all_lanes, words[0], 1);
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    const unsigned word = words[i], following = i + 1 < Items ? words[i + 1] : next;
    if ((word ^ following) <= behind && first + i + 1 < count) astray |= part_of(following) < part_of(word);
  }
  if (__any_sync(warp::all_lanes, astray)) return false;
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    shared.order[slots::of_lane(lane, i)] = static_cast<std::uint16_t>(group + (words[i] & behind));
  return true;
}

}  // namespace gpu::inline v1::detail::device
