// Segments of wide codes by networks of words, of 32 bits, which take a third of the time: a word has what tells the
// codes of a segment apart, as far as there is room for it, before where its code lies.
#pragma once

#include <cstddef>

#include "../block/even_buckets.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "counted_keys.cuh"
#include "group_network.cuh"
#include "group_stage.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Words have room for the places of so many codes: of random ones, hardly any differ in what is left out.
inline constexpr unsigned most_word_places = 256;

/// Brings the codes of one segment per group of lanes in order, in shared memory, those of equal keys as they are;
/// false, and nothing is done, if words do not tell the keys of some segment apart. `count`: of the calling lane's
/// segment. Called by all lanes.
template <class Data, class Key, unsigned Items>
__device__ __forceinline__ bool sort_by_words(group_stage<Key, Items>& shared, unsigned count, unsigned lanes) {
  using part = decltype(code_parts<Data>::sorted(Key{}));
  const unsigned lane = threadIdx.x % warp::threads, in_group = lane & (lanes - 1), first = in_group * Items;
  const unsigned places = lanes * thread_items<Key> - 1;  // the bits of a word that have the place
  const auto code_at = [&](unsigned word) -> Key& {
    const unsigned place = word & places;
    return shared.of_lane(lane - in_group + place / Items, place % Items);
  };
  const auto part_of = [&](unsigned i) { return code_parts<Data>::sorted(shared.of_lane(lane, i)); };
  const part any = code_parts<Data>::sorted(code_at(0));
  part different{};
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    if (first + i < count) different |= part_of(i) ^ any;
#pragma unroll 1
  for (unsigned step = 1; step < lanes; step *= 2) different |= warp::shuffle_xor(different, static_cast<int>(step));
  const unsigned alike = block::leading_zeros(different);
  __syncwarp();  // what has been read is read again: registers have no room for it
  unsigned words[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    words[i] = first + i < count ? (block::leading_word(part_of(i), alike) & ~places) | (first + i) : ~0u;
  thread::sort_by_merges(words);
  device::merge_in_groups(words, lanes);
  bool astray = false;
  const unsigned next = __shfl_down_sync(warp::all_lanes, words[0], 1);
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    const unsigned word = words[i], following = i + 1 < Items ? words[i + 1] : next;
    if ((word ^ following) <= places && first + i + 1 < count)
      astray |= code_parts<Data>::sorted(code_at(following)) < code_parts<Data>::sorted(code_at(word));
  }
  if (__any_sync(warp::all_lanes, astray)) return false;
  Key codes[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    if (first + i < count) codes[i] = code_at(words[i]);
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    if (first + i < count) shared.of_lane(lane, i) = codes[i];
  return true;
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
