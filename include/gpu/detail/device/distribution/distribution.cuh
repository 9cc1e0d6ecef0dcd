// What the rounds of two-phase quicksort and of sample sort have in common: lists of subproblems and base cases, and
// finding buckets. They differ in how elements find their positions.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/classifier.cuh"
#include "../block/distribute.cuh"
#include "../block/even_buckets.cuh"
#include "../block/splitters.cuh"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../order.cuh"
#include "../tuning/local_sorts.hpp"
#include "../tuning/merging.hpp"
#include "subproblems.cuh"
#include "tile_cursor.cuh"

namespace gpu::inline v1::detail::device {

/// Whether keys are codes, which are ordered as integers and may be distributed to even buckets.
template <class Key, class Less>
inline constexpr bool are_codes_v = std::is_same_v<Less, code_less>;

template <class Key, class Less>
using even_of = std::conditional_t<are_codes_v<Key, Less>, block::even_buckets<Key>, block::no_even_buckets>;

template <class Key, class Less>
using worklist_of = keyed_worklist<Key, even_of<Key, Less>>;

/// Whether base cases are sorted by bins, the local sort of codes without values.
template <class Key, class Value, class Less>
inline constexpr bool sorted_by_bins_v = are_codes_v<Key, Less> && !has_value_v<Value>;

/// Tile of base cases that are sorted by merging. Codes are if their bins are too full, so that a base case of codes
/// must fit in it.
template <class Key, class Value, class Less>
inline constexpr tile_shape merged_base_case_v =
    sorted_by_bins_v<Key, Value, Less> ? device::merge_bins_tile(sizeof(Key))
    : are_codes_v<Key, Less>           ? device::merge_tile(sizeof(Key), value_bytes_v<Value>)
                                       : device::merge_base_case_tile(sizeof(Key), value_bytes_v<Value>);

template <class Key, class Value, class Less>
inline constexpr int merged_base_case_blocks_v =
    are_codes_v<Key, Less> ? 0 : device::merge_base_case_blocks(sizeof(Key), value_bytes_v<Value>);

/// The longest subsequence that is a base case: a tile, or several where records are so large that a tile holds few.
template <class Key, class Value, class Less>
constexpr std::size_t longest_base_case() {
  constexpr std::size_t least = 1024;
  constexpr std::size_t tile =
      sorted_by_bins_v<Key, Value, Less> ? bin_tile(sizeof(Key)).size() : merged_base_case_v<Key, Value, Less>.size();
  return tile < least ? least : tile;
}

/// Whether bucket b of a subproblem holds only equivalent keys and needs no more sorting.
__device__ inline bool all_equal(const worklist& worklist, const subproblem& divided, unsigned b) {
  if (divided.equal == equal_buckets::none || b + 1 >= divided.buckets) return false;
  return divided.equal == equal_buckets::inner ? b > 0 : worklist.repeated[divided.first_bucket + b + 1] != 0;
}

/// Adds joined buckets of a subproblem, of which b is the first, to the lists: as a subproblem of the next round or as
/// base cases.
__device__ inline void add_part(const worklist& worklist, unsigned round, const subproblem& divided, std::size_t begin,
                                std::size_t count, unsigned b) {
  const distribution_plan& plan = worklist.plan;
  if (count > plan.joined_base_case && device::all_equal(worklist, divided, b))
    worklist.add_all_equal(round, begin, count);
  else if (count > (divided.has_heavy ? plan.longest_with_heavy : plan.longest_base_case) && round + 1 < plan.rounds)
    worklist.add_subproblem(round + 1, begin, count);
  else
    worklist.add_base_case(round, begin, count, divided.repeats);
}

/// What finds the buckets of a tile range's keys. Called by every thread of the block.
template <class Classifier, class Worklist>
__device__ Classifier classify(typename Classifier::storage& shared, const Worklist& parts, const tile_range& part) {
  const unsigned first = part.of.first_bucket;
  return {shared, parts.even[part.subproblem_number], {parts.trees + first, parts.repeated + first, part.of.buckets}};
}

/// Stands for buckets that are searched, not computed.
struct searched_buckets {};

/// Initialises the lists with all n elements, as a subproblem of the first round or, if there are no rounds, as a base
/// case. Leaves them empty if subproblems are to be given, or if *unwanted is not zero. One block.
template <class Word>
__global__ void begin_distribution_kernel(worklist worklist, const Word* unwanted) {
  await_predecessors();
  for (unsigned round = threadIdx.x; round <= worklist.plan.rounds; round += blockDim.x) worklist.totals[round] = {};
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      worklist.base_case_count[i] = worklist.base_cases_taken[i] = 0;
      worklist.lists.clear(i);
    }
    *worklist.broken = no_round;
  }
  __syncthreads();
  if (threadIdx.x > 0 || worklist.plan.subproblems_are_given() || (unwanted != nullptr && *unwanted != 0)) return;
  if (worklist.plan.rounds > 0)
    worklist.add_subproblem(0, 0, worklist.plan.n);
  else
    worklist.add_base_case(1, 0, worklist.plan.n);
}

template <class Word = unsigned>
void begin_distribution(const context& context, const worklist& parts, const Word* unwanted = nullptr) {
  device::launch_early(context, shape{1, 32}, begin_distribution_kernel<Word>, parts, unwanted);
}

}  // namespace gpu::inline v1::detail::device
