// The numbers of the host backend, each with its reason. Algorithms take them as a type, so that a test can force
// every path with a handful of elements.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"

namespace gpu::inline v1::detail::host {

/// Elements of at most this many bytes are moved themselves; larger ones are sorted through pointers, because every
/// level of a sort would move them once and a cache line is what one random access costs anyway.
inline constexpr std::size_t compact_bytes = 64;

/// Up to this size, a register, a compare-exchange by conditional moves is cheaper than a branch that is guessed wrong
/// half the time.
inline constexpr std::size_t branchless_bytes = 8;

/// Up to this size, making all comparisons of four elements and guessing none is cheaper than inserting them.
inline constexpr std::size_t branchless_run_bytes = 16;

struct default_tuning {
  /// Largest sequence left to the compare-exchange network; its table has one row per size.
  static constexpr std::size_t network_limit = 16;
  /// Largest sequence left to insertion sort: n^2 / 4 moves against a partition that guesses log n branches wrong.
  static constexpr std::size_t insertion_limit = 24;
  /// From here on the median of three medians pays for its nine comparisons.
  static constexpr std::size_t ninther_limit = 128;
  /// Below, starting the threads for a sort costs more than they save (20 microseconds and more, 10 ns per element).
  static constexpr std::size_t parallel_grain = std::size_t{1} << 14;
  /// Below, threads do not pay for a sort by a comparator, which wakes them before it has anything to do for them.
  static constexpr std::size_t comparator_grain = std::size_t{1} << 12;
  /// Elements in a bucket, on average, where all buckets together do not take the threads long.
  static constexpr std::size_t bucket_grain = std::size_t{1} << 9;
  /// Elements of a part that go to one bucket, on average: fewer share their cache lines with those of other threads.
  static constexpr std::size_t bucket_share = std::size_t{1} << 6;
  /// Least number of elements that a thread sorts or merges in a merge sort.
  static constexpr std::size_t merge_piece = std::size_t{1} << 10;
  /// Below, threads do not pay for a single pass, a merge, or a sort by digits, at 1 to 5 ns per element.
  static constexpr std::size_t pass_grain = std::size_t{1} << 15;
  /// Below, they do not pay for a pass that looks at many elements at once, at 0.5 ns per element and less.
  static constexpr std::size_t scan_grain = std::size_t{1} << 18;
  /// Least number of elements for a task that passes over data once.
  static constexpr std::size_t piece = std::size_t{1} << 12;
  /// Tasks per thread, so that a thread that is late leaves little behind.
  static constexpr std::size_t tasks_per_thread = 4;
  /// Buckets of a distribution are 2^this: bucket numbers fit a byte, and one write stream per bucket still fits the
  /// second-level TLB.
  static constexpr unsigned log_buckets = 8;
  /// A sequence of runs of at least so many elements is sorted by merging them.
  static constexpr std::size_t least_run = 12;
  /// Bytes of a block that moves as a whole: long enough to hide that it goes far, and yet one for each bucket and
  /// its buffer fit the L2 cache.
  static constexpr std::size_t block_bytes = std::size_t{1} << 11;
  /// Blocks that a thread claims to distribute: so few that one that is late leaves its work to others.
  static constexpr std::size_t blocks_at_once = 32;
  /// Least bytes of a sequence that is distributed in place by blocks: for less, memory for a copy is soon there.
  static constexpr std::size_t blocks_pay_bytes = std::size_t{6} << 20;
  /// Elements drawn per splitter: the largest bucket is then rarely twice the mean.
  static constexpr std::size_t oversampling = 8;
  /// A sequence of at most this many elements ends the recursion of sample sort: both copies fit the L1 cache.
  static constexpr std::size_t sample_base_case = 2048;
  /// Bytes of a base case of merge sort, so that it and its scratch fit the L2 cache.
  static constexpr std::size_t merge_base_case_bytes = std::size_t{1} << 17;
  /// Bytes that a merge of many sequences takes at a time: with scratch and output they fit the L2 cache.
  static constexpr std::size_t merge_window_bytes = std::size_t{1} << 17;
  /// Elements of each sequence that such a window has room for, at least: fewer are dearer to find than to merge.
  static constexpr std::size_t merge_window_share = 32;
  /// Elements whose bitonic steps are taken together while they are in the L1 cache. A power of two.
  static constexpr std::size_t bitonic_block = std::size_t{1} << 11;
};

/// For passes that fetch every element, or what it owns, from somewhere else: a cache miss each, many times the work.
/// They start as late as others, for what fits the caller's cache is dearer to fetch from another core.
template <class Tuning>
struct fetching : Tuning {
  static constexpr std::size_t piece = (std::min)(Tuning::piece, std::size_t{1} << 11);
};

}  // namespace gpu::inline v1::detail::host
