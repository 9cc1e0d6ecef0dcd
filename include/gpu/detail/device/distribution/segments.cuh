// The bookkeeping of distribution sorts on the device, shared by two-phase quicksort and sample sort: which
// subsequences (segments) a round still has to divide, and which (leaves) are short enough for one block. Everything
// stays in device memory; the host knows only how many rounds there are and how long each list can get, both from n
// alone.
//
// With T the longest leaf, e <= T the elements of a leaf that evenly lying codes make, and j in [e, T] the elements up
// to which neighbouring buckets join in one leaf: a round's segments are disjoint and longer than T, hence
//   segments <= n / T;   jobs (pieces of segments) <= n / piece + n / T;
//   buckets  <= 6 n / e, as a segment of m elements gets at most 3 m / e + 1 or 4 m / T + 2;
//   entries  (counters) <= buckets times jobs, of all segments together;
//   leaves   <= 4 n / j + 2 rounds n / T + n / 8 T + 8: of neighbouring leaves any two hold more than j together, but
//   where a longer bucket, a segment's end, or 8 T equivalent elements lie between them; an element is in one leaf.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../block/even_buckets.cuh"
#include "../columns.cuh"
#include "../scratch.cuh"
#include "../tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A subsequence to divide; all but the first two numbers are claimed when its round begins.
struct segment {
  std::size_t begin;
  std::size_t count;
  std::size_t first_entry;
  unsigned buckets;
  unsigned first_bucket;
  unsigned jobs;
  unsigned first_job;
  bool repeats;  ///< whether keys occur several times each
};

/// A subsequence for one block, of any length, which the moves of `round` have brought to the scratch buffer, if the
/// round is even, or to where it shall end; `ordered` ones, of equivalent keys, are only brought there. `repeats`: keys
/// occur several times each.
struct leaf {
  std::size_t begin;
  std::size_t count : 55;
  std::size_t round : 7;
  std::size_t ordered : 1;
  std::size_t repeats : 1;
};

/// Stands for a round that never comes.
inline constexpr unsigned no_round = ~0u;

/// What the round's segments have claimed.
struct round_totals {
  unsigned long long entries;
  unsigned segments;
  unsigned jobs;
  unsigned buckets;
  unsigned begun;  ///< jobs whose counting has begun
};

/// How n elements are going to be divided: a function of n and of the tuning.
struct division_plan {
  std::size_t n;
  std::size_t longest_leaf;
  std::size_t even_leaf;    ///< what evenly lying codes are cut to: chance rarely makes more than the longest of it
  std::size_t joined_leaf;  ///< what neighbouring buckets are joined to, at most
  std::size_t piece;        ///< elements of a job
  unsigned most_buckets;    ///< of a segment
  unsigned rounds;

  /// The rounds that evenly cut segments need, and one that mends what chance and heavy keys made uneven. most_tiles:
  /// of a job, where there are plenty.
  division_plan(std::size_t n, std::size_t longest_leaf, std::size_t tile, std::size_t most_tiles,
                unsigned most_buckets)
      : n{n},
        longest_leaf{longest_leaf},
        even_leaf{longest_leaf - longest_leaf / 12},
        joined_leaf{longest_leaf},
        piece{tile},
        most_buckets{most_buckets},
        rounds{0} {
    if (n <= longest_leaf) return;
    for (std::size_t leaves = divide_up(2 * n, longest_leaf); leaves > 1; leaves = divide_up(leaves, most_buckets))
      ++rounds;
    while (this->most_buckets > 8 && enough_buckets(n, this->most_buckets / 4)) this->most_buckets /= 2;
    ++rounds;
    occupy_all(most_tiles);
  }

  /// Whether `rounds` rounds with so many buckets each leave no more than half a leaf of evenly cut elements.
  bool enough_buckets(std::size_t count, unsigned buckets) const {
    for (unsigned round = 0; round < rounds; ++round) count = divide_up(count, buckets);
    return 2 * count <= longest_leaf;
  }

  /// Jobs and leaves of few elements where there are not enough for all multiprocessors, as many jobs as a round or
  /// several of all multiprocessors take otherwise, jobs of several tiles where there are plenty. Where each tile keeps
  /// counts, no tile has so few elements that they would take a notable part of the scratch.
  void occupy_all(std::size_t most_tiles) {
    constexpr std::size_t enough_jobs = 256, many_jobs = 1024;
    constexpr std::size_t enough_leaves = 512, least_leaf = 1024;
    const std::size_t tile = piece;
    const std::size_t tiles = n / (many_jobs * tile);
    if (tiles > 1) {
      piece *= tiles > most_tiles ? most_tiles : tiles;
    } else {
      const std::size_t shares = enough_jobs * divide_up(n, enough_jobs * tile);
      piece = divide_up(n, shares * 32) * 32;
      const std::size_t least = most_tiles > 1 ? divide_up(tile, 8) : divide_up(tile * most_buckets, 512);
      if (piece < least) piece = least;
    }
    const std::size_t leaf = divide_up(n, enough_leaves);
    if (leaf < even_leaf && least_leaf < even_leaf) joined_leaf = even_leaf = leaf < least_leaf ? least_leaf : leaf;
  }

  /// A power of two: so many that, with the rounds to come doing alike, leaves of half the longest come out.
  __device__ unsigned buckets(std::size_t count, unsigned round) const {
    const unsigned wanted = root(2.0f * static_cast<float>(count) / static_cast<float>(longest_leaf), round);
    unsigned buckets = 4;
    while (buckets < wanted && buckets < most_buckets) buckets *= 2;
    return buckets;
  }

  /// For evenly lying codes, at most `density` times as dense anywhere as on the average.
  __device__ unsigned even_buckets(std::size_t count, unsigned round, float density) const {
    const unsigned wanted = root(density * static_cast<float>(count) / static_cast<float>(even_leaf), round);
    return min(max(wanted, 2u), most_buckets);
  }

  std::size_t segment_limit() const { return n / longest_leaf + 1; }
  std::size_t segments_in(unsigned round) const { return round == 0 ? 1 : segment_limit(); }
  std::size_t job_limit() const { return divide_up(n, piece) + n / longest_leaf; }
  std::size_t bucket_limit() const { return 6 * (n / even_leaf + 1); }
  std::size_t entry_limit() const {
    const std::size_t buckets = bucket_limit() < most_buckets ? bucket_limit() : most_buckets;
    return bucket_limit() + buckets * (n / piece + 1);
  }
  std::size_t leaf_limit() const { return 4 * (n / joined_leaf + 1) + (2 * rounds + 1) * (n / longest_leaf + 1) + 8; }

 private:
  /// `parts` as the product of the buckets of this round and of those to come but the mending one.
  __device__ unsigned root(float parts, unsigned round) const {
    const unsigned rounds_left = round + 2 < rounds ? rounds - 1 - round : 1;
    return static_cast<unsigned>(ceilf(powf(parts, 1.0f / static_cast<float>(rounds_left))));
  }
};

/// The plan, its lists in device memory, and the splitters of a round. Passed to kernels by value.
/// Even: block::even_buckets of codes, block::no_even_buckets for keys that are compared by a caller's comparator.
template <class Key, class Even>
struct division {
  using key = Key;
  using even_buckets = Even;

  division_plan plan;
  segment* segments[2];  ///< of even and of odd rounds
  unsigned* segment_of;  ///< each job's
  leaf* leaves;
  unsigned* leaf_count;
  round_totals* totals;  ///< of each round
  Even* even;            ///< of each segment
  block::knot* curves;   ///< of the first round's segment, two to choose from
  Key* trees;
  std::uint8_t* repeated;
  unsigned* crowded;  ///< leaves that need another sort than the first one tried
  unsigned* crowded_count;
  unsigned* broken;  ///< the first round whose moves did not keep to the counts, or no_round; see break_off()

  division(carver& carve, const division_plan& plan)
      : plan{plan},
        segments{carve.take<segment>(plan.segment_limit()), carve.take<segment>(plan.segment_limit())},
        segment_of{carve.take<unsigned>(plan.job_limit())},
        leaves{carve.take<leaf>(plan.leaf_limit())},
        leaf_count{carve.take<unsigned>(1)},
        totals{carve.take<round_totals>(plan.rounds + 1)},
        even{carve.take<Even>(plan.segment_limit())},
        curves{carve.take<block::knot>(2 * block::knots)},
        trees{carve.take<Key>(plan.bucket_limit())},
        repeated{carve.take<std::uint8_t>(plan.bucket_limit())},
        crowded{carve.take<unsigned>(plan.leaf_limit())},
        crowded_count{carve.take<unsigned>(1)},
        broken{carve.take<unsigned>(1)} {}

  __device__ segment* segments_of(unsigned round) const { return round % 2 ? segments[1] : segments[0]; }

  __device__ void add_segment(unsigned round, std::size_t begin, std::size_t count) const {
    segment& added = segments_of(round)[atomicAdd(&totals[round].segments, 1u)];
    added.begin = begin;
    added.count = count;
  }

  /// A leaf that a round makes lies where that round has moved it.
  __device__ void add_leaf(unsigned round, std::size_t begin, std::size_t count, bool repeats) const {
    leaves[atomicAdd(leaf_count, 1u)] = {begin, count, round, false, repeats};
  }

  /// The caller's comparator contradicts itself: elements have not gone where they were counted, and what the round has
  /// written is not all of them. Where it read from they are. So no later round moves anything, and leaves are sorted
  /// from there: in no order together, but complete.
  __device__ void break_off(unsigned round) const { atomicMin(broken, round); }

  /// Equivalent keys: several leaves, for several blocks to bring home.
  __device__ void add_ordered(unsigned round, std::size_t begin, std::size_t count) const {
    const std::size_t part = 8 * plan.longest_leaf;
    leaf* added = leaves + atomicAdd(leaf_count, static_cast<unsigned>(divide_up(count, part)));
    for (std::size_t done = 0; done < count; done += part)
      *added++ = {begin + done, min(part, count - done), round, true, true};
  }

  /// The segment's number of buckets is known.
  __device__ void claim(segment& claimed, unsigned round) const {
    round_totals& total = totals[round];
    claimed.jobs = static_cast<unsigned>(divide_up(claimed.count, plan.piece));
    claimed.first_bucket = atomicAdd(&total.buckets, claimed.buckets);
    claimed.first_job = atomicAdd(&total.jobs, claimed.jobs);
    claimed.first_entry = atomicAdd(&total.entries, static_cast<unsigned long long>(claimed.buckets) * claimed.jobs);
  }
};

/// A part of a segment, for one block.
struct job {
  unsigned segment_number;
  const segment& of;
  unsigned index;  ///< among the segment's jobs
  std::size_t begin;
  std::size_t end;

  template <class Division>
  __device__ job(const Division& division, unsigned round, unsigned number)
      : segment_number{division.segment_of[number]},
        of{division.segments_of(round)[segment_number]},
        index{number - of.first_job},
        begin{of.begin + index * division.plan.piece},
        end{min(begin + division.plan.piece, of.begin + of.count)} {}

  [[nodiscard]] __device__ unsigned count() const { return static_cast<unsigned>(end - begin); }

  /// The job's counter for bucket b in a matrix per segment with a row per bucket.
  __device__ std::size_t entry(unsigned b) const { return of.first_entry + std::size_t{b} * of.jobs + index; }
  /// The job's counter for bucket 0 in one with a row per job.
  __device__ std::size_t first_of_row() const { return of.first_entry + std::size_t{index} * of.buckets; }
};

/// Shared memory of the division of one segment.
template <unsigned Buckets>
struct bucket_starts {
  std::size_t start[Buckets + 1];  ///< relative to the segment's; and its end
  std::uint16_t jump[2][Buckets];
  bool begins_leaf[Buckets];
};

/// Whether the caller's bucket begins a leaf, where the first one does and, with b, next(b). List ranking by doubling:
/// after k rounds the first 2^k of them are known, and jump() leads 2^k farther. Called by every thread; synchronises.
template <unsigned Buckets>
__device__ bool begins_leaf(bucket_starts<Buckets>& shared, unsigned buckets, unsigned next) {
  const unsigned b = threadIdx.x;
  if (b < buckets) {
    shared.jump[0][b] = static_cast<std::uint16_t>(next);
    shared.begins_leaf[b] = b == 0;
  }
  __syncthreads();
  for (unsigned known = 1, now = 0; known < buckets; known *= 2, now ^= 1) {
    const unsigned to = b < buckets ? shared.jump[now][b] : buckets;
    const bool begins = b < buckets && shared.begins_leaf[b];
    __syncthreads();
    if (begins && to < buckets) shared.begins_leaf[to] = true;
    if (b < buckets) shared.jump[now ^ 1][b] = to < buckets ? shared.jump[now][to] : static_cast<std::uint16_t>(to);
    __syncthreads();
  }
  return b < buckets && shared.begins_leaf[b];
}

/// Makes segments of the next round and leaves of a divided segment's buckets, whose starts are known.
/// all_equal(b): bucket b needs no more sorting. Called by every thread, of which there are as many as buckets at
/// least; synchronises before and within. Buckets that follow one another join in one leaf, as many as make no more
/// than plan.joined_leaf elements.
template <class Division, unsigned Buckets, class AllEqual>
__device__ void divide(const Division& division, unsigned round, const segment& divided, bucket_starts<Buckets>& shared,
                       AllEqual all_equal) {
  const division_plan& plan = division.plan;
  const unsigned b = threadIdx.x;
  const auto span = [&](unsigned end) { return shared.start[end] - shared.start[b]; };
  __syncthreads();
  unsigned next = b + 1;  // buckets [b, next) would join
  if (b < divided.buckets)
    for (unsigned step = Buckets / 2; step > 0; step /= 2)
      if (next + step <= divided.buckets && span(next + step) <= plan.joined_leaf) next += step;
  if (!begins_leaf(shared, divided.buckets, next)) return;
  const std::size_t begin = divided.begin + shared.start[b];
  const std::size_t count = span(next);
  if (count > plan.joined_leaf && all_equal(b))
    division.add_ordered(round, begin, count);
  else if (count > plan.longest_leaf && round + 1 < plan.rounds)
    division.add_segment(round + 1, begin, count);
  else if (count > 0)
    division.add_leaf(round, begin, count, divided.repeats);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
