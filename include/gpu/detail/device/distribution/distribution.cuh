// What two-phase quicksort and sample sort do alike in their rounds: keep lists of segments and leaves, and find
// buckets. How elements find their places is where they differ.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../key.hpp"
#include "../block/classifier.cuh"
#include "../block/distribute.cuh"
#include "../block/even_buckets.cuh"
#include "../block/splitters.cuh"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../order.cuh"
#include "../tuning.hpp"
#include "segments.cuh"
#include "tile_cursor.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Codes, whose order is that of numbers, may be distributed to even buckets.
template <class Key, class Less>
inline constexpr bool are_codes_v = std::is_same_v<Less, code_less>;

template <class Key, class Less>
using even_of = std::conditional_t<are_codes_v<Key, Less>, block::even_buckets<Key>, block::no_even_buckets>;

template <class Key, class Less>
using division_of = division<Key, even_of<Key, Less>>;

/// Codes without values have a local sort of their own.
template <class Key, class Value, class Less>
inline constexpr bool sorted_by_bins_v = are_codes_v<Key, Less> && !has_value_v<Value>;

/// Tiles of leaves that are sorted by merging. Codes are, where bins are too crowded: a leaf of theirs must fit.
template <class Key, class Value, class Less>
inline constexpr tile_shape merged_leaf_v =
    sorted_by_bins_v<Key, Value, Less> ? device::merge_bins_tile(sizeof(Key))
    : are_codes_v<Key, Less>           ? device::merge_tile(sizeof(Key), value_bytes_v<Value>)
                                       : device::merge_leaf_tile(sizeof(Key), value_bytes_v<Value>);

template <class Key, class Value, class Less>
inline constexpr int merged_leaf_blocks_v =
    are_codes_v<Key, Less> ? 0 : device::merge_leaf_blocks(sizeof(Key), value_bytes_v<Value>);

/// Subsequences up to this are leaves. Where records are so large that a tile holds few, a leaf is several tiles.
template <class Key, class Value, class Less>
constexpr std::size_t longest_leaf() {
  constexpr std::size_t least = 1024;
  constexpr std::size_t tile =
      sorted_by_bins_v<Key, Value, Less> ? bin_tile(sizeof(Key)).size() : merged_leaf_v<Key, Value, Less>.size();
  return tile < least ? least : tile;
}

/// The splitters that a round chose for a segment.
template <class Division>
__device__ block::splitters<typename Division::key> splitters_of(const Division& division, const segment& divided) {
  return {division.trees + divided.first_bucket, division.repeated + divided.first_bucket, divided.buckets};
}

/// Whether a bucket of a segment needs no more sorting.
template <class Division>
__device__ bool all_equal(const Division& division, unsigned segment_number, const segment& divided, unsigned b) {
  const auto& even = division.even[segment_number];
  return even.buckets > 0 ? even.all_equal(b) : device::splitters_of(division, divided).all_equal(b);
}

/// What becomes of a segment's buckets that have been joined, of which b is the first: a segment of the next round, or
/// leaves.
template <class Division>
__device__ void add_part(const Division& division, unsigned round, unsigned segment_number, const segment& divided,
                         std::size_t begin, std::size_t count, unsigned b) {
  const division_plan& plan = division.plan;
  if (plan.equal_is_sorted && count > plan.joined_leaf && device::all_equal(division, segment_number, divided, b))
    division.add_ordered(round, begin, count);
  else if (count > plan.longest_leaf && round + 1 < plan.rounds)
    division.add_segment(round + 1, begin, count);
  else
    division.add_leaf_of(divided, round, begin, count);
}

/// Finds the buckets of a job's keys. Called by every thread of the block.
template <class Classifier, class Division>
__device__ Classifier classify(typename Classifier::storage& shared, const Division& parts, const job& part) {
  return {shared, parts.even[part.segment_number], device::splitters_of(parts, part.of)};
}

/// Stands for buckets that are searched, not computed.
struct searched_buckets {};

/// What has to hold for work to be done, which only the device will know. Without a word it is done.
struct condition {
  enum state : unsigned char { zero, not_zero };

  const unsigned* word = nullptr;
  state wanted = zero;
  const unsigned* unless = nullptr;  ///< if not null, another word that has to be zero

  __device__ bool holds() const {
    return (word == nullptr || (*word == 0) == (wanted == zero)) && (unless == nullptr || *unless == 0);
  }
};

/// Makes lists of all n elements: a segment for the first round, or a leaf if there is none; or of none of them if the
/// condition does not hold, or if they are to be given. One block.
template <class Division>
__global__ void begin_division_kernel(Division division, condition wanted) {
  await_predecessors();
  for (unsigned round = threadIdx.x; round <= division.plan.rounds; round += blockDim.x) division.totals[round] = {};
  if (threadIdx.x == 0) {
    *division.leaf_count = *division.crowded_count = 0;
    *division.broken = no_round;
  }
  __syncthreads();
  if (threadIdx.x > 0 || division.plan.segments_are_given() || !wanted.holds()) return;
  if (division.plan.rounds > 0)
    division.add_segment(0, 0, division.plan.n);
  else
    division.add_leaf(1, 0, division.plan.n);
}

template <class Division>
void begin_division(const context& context, const Division& parts, condition wanted = {}) {
  device::launch_early(context, shape{1, 32}, begin_division_kernel<Division>, parts, wanted);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
