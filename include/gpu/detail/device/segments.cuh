// The bookkeeping of distribution sorts on the device, shared by two-phase quicksort and sample sort: which
// subsequences (segments) a round still has to divide, and which (leaves) are short enough for one block. Everything
// stays in device memory; the host knows only how many rounds there are and how long each list can get, both from n
// alone.
//
// With T the longest leaf, a round's segments are disjoint and longer than T, hence
//   segments <= n / T;   jobs (pieces of segments) <= n / piece + n / T;
//   buckets  <= 6 n / T, as a segment of m elements gets at most 4 m / T + 2;
//   entries (a counter per bucket and job) <= min(512, 6 n / T) n / piece + 6 n / T;
//   leaves   <= (4 + 3 rounds) n / (T / 2) + 4: neighbouring leaves of one segment, any four in a row, hold more than
//   T / 2 elements; so a run of leaves that holds m has at most 4 m / (T / 2) + 3 of them, and there is at most one run
//   more than a segment has children.
#pragma once

#include <cstddef>
#include <cstdint>

#include "columns.cuh"
#include "scratch.cuh"
#include "tuning.hpp"

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
};

/// A subsequence for one block, of any length. It lies in the scratch buffer or where it shall end; `ordered` ones,
/// of equivalent keys, are only brought there.
struct leaf {
  std::size_t begin;
  std::size_t count : 62;
  std::size_t in_scratch : 1;
  std::size_t ordered : 1;
};

/// What the round's segments have claimed.
struct round_totals {
  unsigned long long entries;
  unsigned segments;
  unsigned jobs;
  unsigned buckets;
};

/// How n elements are going to be divided: a function of n and of the tuning.
struct division_plan {
  std::size_t n;
  std::size_t longest_leaf;
  std::size_t piece;      ///< elements of a job, a multiple of the distribution tile
  unsigned most_buckets;  ///< of a segment
  unsigned rounds;

  /// The rounds that evenly cut segments need, and one that mends what chance and heavy keys made uneven.
  division_plan(std::size_t n, std::size_t longest_leaf, std::size_t tile, unsigned most_buckets)
      : n{n}, longest_leaf{longest_leaf}, piece{tile}, most_buckets{most_buckets}, rounds{0} {
    if (n <= longest_leaf) return;
    for (std::size_t leaves = divide_up(2 * n, longest_leaf); leaves > 1; leaves = divide_up(leaves, most_buckets))
      ++rounds;
    while (this->most_buckets > 8 && enough_buckets(n, this->most_buckets / 4)) this->most_buckets /= 2;
    ++rounds;
    constexpr std::size_t enough_jobs = 1024;  // for all multiprocessors; longer pieces need fewer counters
    constexpr std::size_t most_tiles = 8;
    const std::size_t tiles = n / (enough_jobs * tile);
    piece *= tiles < 1 ? 1 : tiles > most_tiles ? most_tiles : tiles;
  }

  /// Whether `rounds` rounds with so many buckets each leave no more than half a leaf of evenly cut elements.
  bool enough_buckets(std::size_t count, unsigned buckets) const {
    for (unsigned round = 0; round < rounds; ++round) count = divide_up(count, buckets);
    return 2 * count <= longest_leaf;
  }

  /// A power of two: so many that, with the rounds to come doing alike, leaves of half the longest come out.
  __device__ unsigned buckets(std::size_t count, unsigned round) const {
    const unsigned rounds_left = round + 2 < rounds ? rounds - 1 - round : 1;
    const float leaves = 2.0f * static_cast<float>(count) / static_cast<float>(longest_leaf);
    const float wanted = ceilf(powf(leaves, 1.0f / static_cast<float>(rounds_left)));
    unsigned buckets = 4;
    while (static_cast<float>(buckets) < wanted && buckets < most_buckets) buckets *= 2;
    return buckets;
  }

  std::size_t segment_limit() const { return n / longest_leaf + 1; }
  std::size_t job_limit() const { return divide_up(n, piece) + n / longest_leaf; }
  std::size_t bucket_limit() const { return 6 * (n / longest_leaf + 1); }
  std::size_t entry_limit() const {
    const std::size_t buckets = bucket_limit() < most_buckets ? bucket_limit() : most_buckets;
    return bucket_limit() + buckets * (n / piece + 1);
  }
  std::size_t leaf_limit() const { return (4 + 3 * std::size_t{rounds}) * (2 * n / longest_leaf + 1) + 4; }
};

/// The plan, its lists in device memory, and the splitters of a round. Passed to kernels by value.
template <class Key>
struct division {
  division_plan plan;
  segment* segments[2];  ///< of even and of odd rounds
  unsigned* segment_of;  ///< each job's
  leaf* leaves;
  unsigned* leaf_count;
  round_totals* totals;  ///< of each round
  Key* trees;
  std::uint8_t* repeated;

  division(carver& carve, const division_plan& plan)
      : plan{plan},
        segments{carve.take<segment>(plan.segment_limit()), carve.take<segment>(plan.segment_limit())},
        segment_of{carve.take<unsigned>(plan.job_limit())},
        leaves{carve.take<leaf>(plan.leaf_limit())},
        leaf_count{carve.take<unsigned>(1)},
        totals{carve.take<round_totals>(plan.rounds + 1)},
        trees{carve.take<Key>(plan.bucket_limit())},
        repeated{carve.take<std::uint8_t>(plan.bucket_limit())} {}

  __device__ segment* segments_of(unsigned round) const { return round % 2 ? segments[1] : segments[0]; }

  __device__ void add_segment(unsigned round, std::size_t begin, std::size_t count) const {
    segment& added = segments_of(round)[atomicAdd(&totals[round].segments, 1u)];
    added.begin = begin;
    added.count = count;
  }

  /// A leaf that a round makes lies where that round has moved it.
  __device__ void add_leaf(unsigned round, std::size_t begin, std::size_t count) const {
    leaves[atomicAdd(leaf_count, 1u)] = {begin, count, round % 2 == 0, false};
  }

  /// Equivalent keys: several leaves, for several blocks to bring home.
  __device__ void add_ordered(unsigned round, std::size_t begin, std::size_t count) const {
    const std::size_t part = 8 * plan.longest_leaf;
    leaf* added = leaves + atomicAdd(leaf_count, static_cast<unsigned>(divide_up(count, part)));
    for (std::size_t done = 0; done < count; done += part)
      *added++ = {begin + done, min(part, count - done), round % 2 == 0, true};
  }

  __device__ void claim(segment& claimed, unsigned round) const {
    round_totals& total = totals[round];
    claimed.buckets = plan.buckets(claimed.count, round);
    claimed.jobs = static_cast<unsigned>(divide_up(claimed.count, plan.piece));
    claimed.first_bucket = atomicAdd(&total.buckets, claimed.buckets);
    claimed.first_job = atomicAdd(&total.jobs, claimed.jobs);
    claimed.first_entry = atomicAdd(&total.entries, static_cast<unsigned long long>(claimed.buckets) * claimed.jobs);
  }
};

/// A part of a segment, for one block.
struct job {
  segment of;
  unsigned index;  ///< among the segment's jobs
  std::size_t begin;
  std::size_t end;

  template <class Key>
  __device__ job(const division<Key>& division, unsigned round, unsigned number)
      : of{division.segments_of(round)[division.segment_of[number]]},
        index{number - of.first_job},
        begin{of.begin + index * division.plan.piece},
        end{min(begin + division.plan.piece, of.begin + of.count)} {}
};

/// Sorts the buckets of a divided segment into segments of the next round and leaves. `starts`: the buckets'
/// beginnings, relative to the segment's, and its end. all_equal(b): bucket b needs no more sorting. Called by every
/// thread. Small buckets that begin in the same window of half a leaf, and follow one another, make one leaf.
template <class Key, class AllEqual>
__device__ void divide(const division<Key>& division, unsigned round, const segment& divided, const std::size_t* starts,
                       AllEqual all_equal) {
  const std::size_t longest = division.plan.longest_leaf;
  const std::size_t window = longest / 2;
  const auto size = [&](unsigned b) { return starts[b + 1] - starts[b]; };
  const auto begins_leaf = [&](unsigned b) {
    return b == 0 || size(b) > window || size(b - 1) > window || starts[b] / window != starts[b - 1] / window;
  };
  for (unsigned b = threadIdx.x; b < divided.buckets; b += blockDim.x) {
    if (!begins_leaf(b)) continue;
    const std::size_t begin = divided.begin + starts[b];
    if (size(b) > window && all_equal(b)) {
      division.add_ordered(round, begin, size(b));
    } else if (size(b) > longest && round + 1 < division.plan.rounds) {
      division.add_segment(round + 1, begin, size(b));
    } else {
      unsigned last = b;
      while (last + 1 < divided.buckets && !begins_leaf(last + 1)) ++last;
      if (starts[last + 1] > starts[b]) division.add_leaf(round, begin, starts[last + 1] - starts[b]);
    }
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
