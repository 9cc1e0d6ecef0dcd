// The bookkeeping of distribution sorts on the device, shared by two-phase quicksort and sample sort: which
// subsequences (subproblems) a round still has to divide, and which (base cases) are short enough for one block.
// Everything stays in device memory; the host knows only how many rounds there are and how long each list can get, both
// from n alone.
//
// Terms: each round divides every subproblem, a subsequence that is too long for one block, into buckets, between
// splitters or of equal width. Blocks count and move a subproblem in tile ranges of one or a few tiles. Neighbouring
// buckets that are short enough together make a base case, which one block sorts alone; a longer bucket is a subproblem
// of the next round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../block/even_buckets.cuh"
#include "../block/splitters.cuh"
#include "../columns.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/distribution.hpp"
#include "base_case_lists.cuh"
#include "plan.cuh"

namespace gpu::inline v1::detail::device {

/// How often keys occur: seldom more than once, several times each, or so often that base cases have few different
/// ones.
enum class repetition : unsigned char { seldom, several_times, often };

/// Which buckets hold equivalent keys and nothing else, for certain: none; all but the outermost; or those of splitters
/// that are repeated.
enum class equal_buckets : unsigned char { none, inner, repeated };

/// A subsequence to divide; all members but the first two are set when its round begins.
struct subproblem {
  std::size_t begin;
  std::size_t count;
  std::size_t first_entry;
  unsigned buckets;
  unsigned first_bucket;
  unsigned tile_ranges;
  unsigned first_tile_range;
  repetition repeats;
  bool has_heavy;  ///< whether keys lie evenly except for heavy ones, if buckets are meant to be base cases
  equal_buckets equal;
};

/// A subsequence of any length for one block. The moves of `round` have brought it to the scratch buffer if the round
/// is even, else to its destination. `all_equal`: its keys are equivalent and only have to be copied to the
/// destination. `gathered`: it has not been moved; `count` holds the number of its elements, fewer than 2^16, and above
/// these bits the number of its subproblem_part: see elements() and source().
struct base_case {
  std::size_t begin;
  std::size_t count : 53;
  std::size_t round : 7;
  std::size_t all_equal : 1;
  repetition repeats : 2;
  std::size_t gathered : 1;

  static constexpr unsigned source_shift = 16;
  [[nodiscard]] __device__ std::size_t elements() const {
    return gathered ? count & ((1u << source_shift) - 1) : count;
  }
  [[nodiscard]] __device__ std::size_t source() const { return count >> source_shift; }
};

/// Neighbouring buckets of a subproblem of the gathered round: their elements are spread over all tiles of the
/// subproblem.
struct subproblem_part {
  unsigned subproblem_number;
  std::uint16_t first;
  std::uint16_t last;

  __device__ subproblem_part(unsigned subproblem_number, unsigned first, unsigned end)
      : subproblem_number{subproblem_number},
        first{static_cast<std::uint16_t>(first)},
        last{static_cast<std::uint16_t>(end - 1)} {}
};

/// What the round's subproblems have claimed.
struct round_totals {
  unsigned long long entries;
  unsigned subproblems;
  unsigned tile_ranges;
  unsigned buckets;
  unsigned begun;       ///< tile ranges whose counting has begun
  unsigned gathered;    ///< base cases of the gathered round that are gathered
  unsigned moved;       ///< parts of subproblems that it moves
  unsigned base_cases;  ///< made by it and the rounds before
};

/// The plan and its lists in device memory, for keys of any type. Passed to kernels by value.
struct worklist {
  distribution_plan plan;
  subproblem* subproblems[2];  ///< of even and of odd rounds
  unsigned* subproblem_of;     ///< of each tile range
  base_case* base_cases;
  subproblem_part* sources;    ///< of gathered base cases
  subproblem_part* moved;      ///< what the gathered round moves
  unsigned* base_case_count;   ///< and a second count, of those that come once these have been sorted
  unsigned* base_cases_taken;  ///< by blocks that take them in turn; and a second count, as above
  round_totals* totals;        ///< of each round
  std::uint8_t* repeated;      ///< whether splitters are
  base_case_lists lists;
  unsigned* broken;        ///< the first round whose moves did not keep to the counts, or no_round; see break_off()
  unsigned most_gathered;  ///< most tile ranges that a base case is gathered from

  worklist(carver& carve, const distribution_plan& plan, std::size_t key_bytes, bool are_codes)
      : plan{plan},
        subproblems{carve.take<subproblem>(plan.subproblem_limit()), carve.take<subproblem>(plan.subproblem_limit())},
        subproblem_of{carve.take<unsigned>(plan.tile_range_limit())},
        base_cases{carve.take<base_case>(plan.base_case_limit())},
        sources{carve.take<subproblem_part>(plan.gathers() ? plan.gathered_limit() : 0)},
        moved{carve.take<subproblem_part>(plan.gathers() ? plan.moved_limit() : 0)},
        base_case_count{carve.take<unsigned>(2)},
        base_cases_taken{carve.take<unsigned>(2)},
        totals{carve.take<round_totals>(plan.rounds + 1)},
        repeated{carve.take<std::uint8_t>(plan.bucket_limit())},
        lists{carve, are_codes ? plan.base_case_limit() : 0},
        broken{carve.take<unsigned>(1)},
        most_gathered{device::most_gathered(key_bytes)} {}

  /// Switches to the second counts, for base cases that come once those before have been sorted.
  void begin_others() {
    ++base_case_count, ++base_cases_taken;
    lists.begin_others();
  }

  __device__ subproblem* subproblems_of(unsigned round) const { return round % 2 ? subproblems[1] : subproblems[0]; }

  __device__ void add_subproblem(unsigned round, std::size_t begin, std::size_t count) const {
    subproblem& added = subproblems_of(round)[atomicAdd(&totals[round].subproblems, 1u)];
    added.begin = begin;
    added.count = count;
  }

  /// Adds a base case that lies where the round has moved it.
  __device__ void add_base_case(unsigned round, std::size_t begin, std::size_t count,
                                repetition repeats = repetition::seldom) const {
    base_cases[atomicAdd(base_case_count, 1u)] = {begin, count, plan.label(round), false, repeats, false};
  }

  /// Adds a base case that shall begin at `begin`, to be gathered from a part of a subproblem.
  __device__ void add_gathered(std::size_t begin, std::size_t count, subproblem_part source) const {
    const unsigned number = atomicAdd(&totals[plan.gathered_round].gathered, 1u);
    sources[number] = source;
    const std::size_t numbered = count | std::size_t{number} << base_case::source_shift;
    base_cases[atomicAdd(base_case_count, 1u)] = {begin, numbered,           plan.label(plan.gathered_round),
                                                  false, repetition::seldom, true};
  }

  /// Called if the caller's comparator contradicts itself: elements have not gone to where they were counted, and what
  /// the round has written is incomplete. The array that it read from is complete. So no later round moves anything,
  /// and base cases are sorted from that array: they are in no order among each other, but no element is lost.
  __device__ void break_off(unsigned round) const { atomicMin(broken, plan.label(round)); }

  /// Adds equivalent keys as several base cases, for several blocks to copy to their destination.
  __device__ void add_all_equal(unsigned round, std::size_t begin, std::size_t count) const {
    const std::size_t part = 8 * plan.longest_base_case;
    base_case* added = base_cases + atomicAdd(base_case_count, static_cast<unsigned>(divide_up(count, part)));
    for (std::size_t done = 0; done < count; done += part)
      *added++ = {begin + done, min(part, count - done), plan.label(round), true, repetition::often, false};
  }

  /// Claims room in the lists for a subproblem whose number of buckets is known.
  __device__ void claim(subproblem& claimed, unsigned round) const {
    round_totals& total = totals[round];
    const unsigned buckets = claimed.buckets;
    const auto tile_ranges = static_cast<unsigned>(divide_up(claimed.count, plan.piece_of(round)));
    const unsigned first_bucket = atomicAdd(&total.buckets, buckets);
    const unsigned first_tile_range = atomicAdd(&total.tile_ranges, tile_ranges);
    const auto first_entry = atomicAdd(&total.entries, static_cast<unsigned long long>(buckets) * tile_ranges);
    claimed.tile_ranges = tile_ranges;  // all three atomics are in flight before one is waited for
    claimed.first_bucket = first_bucket;
    claimed.first_tile_range = first_tile_range;
    claimed.first_entry = first_entry;
  }
};

/// A worklist with what divides the subproblems of a round.
/// Even: block::even_buckets of codes, block::no_even_buckets for keys that are compared by a caller's comparator.
template <class Key, class Even>
struct keyed_worklist : worklist {
  using key = Key;

  Even* even;                 ///< of each subproblem
  block::breakpoint* curves;  ///< of the first round's subproblem, two to choose from
  Key* trees;

  keyed_worklist(carver& carve, const distribution_plan& plan)
      : worklist{carve, plan, sizeof(Key), !std::is_same_v<Even, block::no_even_buckets>},
        even{carve.take<Even>(plan.subproblem_limit())},
        curves{carve.take<block::breakpoint>(2 * block::breakpoints)},
        trees{carve.take<Key>(plan.bucket_limit())} {
    static_assert(block::max_buckets<Key> <= offset_threads);
  }
};

/// A part of a subproblem, for one block.
struct tile_range {
  unsigned subproblem_number;
  const subproblem& of;
  unsigned index;  ///< among the subproblem's tile ranges
  std::size_t begin;
  std::size_t end;

  __device__ tile_range(const worklist& worklist, unsigned round, unsigned number)
      : subproblem_number{worklist.subproblem_of[number]},
        of{worklist.subproblems_of(round)[subproblem_number]},
        index{number - of.first_tile_range},
        begin{of.begin + index * worklist.plan.piece_of(round)},
        end{min(begin + worklist.plan.piece_of(round), of.begin + of.count)} {}

  [[nodiscard]] __device__ unsigned count() const { return static_cast<unsigned>(end - begin); }

  /// The tile range's counter for bucket b in a matrix per subproblem with a row per bucket.
  __device__ std::size_t entry(unsigned b) const { return of.first_entry + std::size_t{b} * of.tile_ranges + index; }
  /// The tile range's counter for bucket 0 in one with a row per tile range.
  __device__ std::size_t first_of_row() const { return of.first_entry + std::size_t{index} * of.buckets; }
};

/// Shared memory of the division of one subproblem.
struct bucket_starts {
  std::size_t start[offset_threads + 1];  ///< relative to the subproblem's begin; and its end
  std::uint16_t jump[2][offset_threads];
  bool begins_base_case[offset_threads];
};

/// Whether the calling thread's bucket begins a base case: bucket 0 does and, if bucket b does, so does its `next`.
/// List ranking by doubling: after k steps the first 2^k of these buckets are known, and `jump` leads 2^k of them
/// ahead. Called by every thread; synchronises.
__device__ inline bool begins_base_case(bucket_starts& shared, unsigned buckets, unsigned next) {
  const unsigned b = threadIdx.x;
  if (b < buckets) {
    shared.jump[0][b] = static_cast<std::uint16_t>(next);
    shared.begins_base_case[b] = b == 0;
  }
  __syncthreads();
  for (unsigned known = 1, now = 0; known < buckets; known *= 2, now ^= 1) {
    const unsigned to = b < buckets ? shared.jump[now][b] : buckets;
    const bool begins = b < buckets && shared.begins_base_case[b];
    __syncthreads();
    if (begins && to < buckets) shared.begins_base_case[to] = true;
    if (b < buckets) shared.jump[now ^ 1][b] = to < buckets ? shared.jump[now][to] : static_cast<std::uint16_t>(to);
    __syncthreads();
  }
  return b < buckets && shared.begins_base_case[b];
}

/// Joins neighbouring buckets of a divided subproblem, whose starts are known, as many as together have at most
/// plan.joined_base_case elements. Calls add(begin, count, first, end) for buckets [first, end) that have been joined,
/// to make a subproblem of the next round or base cases of them, unless they are empty. Called by every thread, of
/// which there are offset_threads; synchronises before and within.
template <class Add>
__device__ void divide(const worklist& worklist, const subproblem& divided, bucket_starts& shared, Add add) {
  const unsigned b = threadIdx.x;
  const auto span = [&](unsigned end) { return shared.start[end] - shared.start[b]; };
  __syncthreads();
  unsigned next = b + 1;  // buckets [b, next) would join
  if (b < divided.buckets)
    for (unsigned step = offset_threads / 2; step > 0; step /= 2)
      if (next + step <= divided.buckets && span(next + step) <= worklist.plan.joined_base_case) next += step;
  if (!device::begins_base_case(shared, divided.buckets, next)) return;
  if (span(next) > 0) add(divided.begin + shared.start[b], span(next), b, next);
}

}  // namespace gpu::inline v1::detail::device
