// Tuning constants of the host backend, each with its reason. Algorithms take them as a type parameter, so that a test
// can force every path with a handful of elements.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"

namespace gpu::inline v1::detail::host {

/// Elements of at most this many bytes are moved directly. Larger ones are sorted through pointers: otherwise every
/// level of a sort would move them once, and one random access costs a cache line anyway.
inline constexpr std::size_t compact_bytes = 64;

/// Up to this size, that of a register, a compare-exchange by conditional moves is cheaper than a branch that is
/// mispredicted half the time.
inline constexpr std::size_t branchless_bytes = 8;

/// Up to this size, sorting four elements by all their comparisons without a branch is cheaper than inserting them.
inline constexpr std::size_t branchless_run_bytes = 16;

struct default_tuning {
  /// Largest sequence left to the compare-exchange network; its table has one row per size.
  static constexpr std::size_t network_limit = 16;
  /// Largest sequence left to insertion sort: n^2 / 4 moves against partitions that mispredict log n branches.
  static constexpr std::size_t insertion_limit = 24;
  /// Smallest sequence for which the median of three medians is worth its comparisons.
  static constexpr std::size_t ninther_limit = 128;
  /// Below this, starting the threads for a sort costs more than they save (20 microseconds or more, against 10 ns per
  /// element).
  static constexpr std::size_t parallel_grain = std::size_t{1} << 14;
  /// The same for a sort by a comparator, which wakes the threads before it has work for them.
  static constexpr std::size_t comparator_grain = std::size_t{1} << 12;
  /// Average number of elements in a bucket when all threads distribute few elements.
  static constexpr std::size_t bucket_grain = std::size_t{1} << 9;
  /// Average number of elements that a part sends to one bucket: fewer would share cache lines with other threads'.
  static constexpr std::size_t bucket_share = std::size_t{1} << 6;
  /// Least number of elements that a thread sorts or merges in a merge sort.
  static constexpr std::size_t merge_piece = std::size_t{1} << 10;
  /// Below this, threads do not pay for a single pass, a merge, or a sort by digits, at 1 to 5 ns per element.
  static constexpr std::size_t pass_grain = std::size_t{1} << 15;
  /// Below this, they do not pay for a pass that tests many elements at once, at 0.5 ns per element or less.
  static constexpr std::size_t scan_grain = std::size_t{1} << 18;
  /// Least number of elements for a task that passes over data once.
  static constexpr std::size_t piece = std::size_t{1} << 12;
  /// Tasks per thread: several, so that a late thread leaves little work for the others to wait for.
  static constexpr std::size_t tasks_per_thread = 4;
  /// Buckets of a distribution are 2^this: bucket numbers fit a byte, and one write stream per bucket still fits the
  /// second-level TLB.
  static constexpr unsigned log_buckets = 8;
  /// A sequence whose runs have at least this many elements on average is sorted by merging them.
  static constexpr std::size_t least_run = 12;
  /// Bytes of a block that moves as a whole: enough to hide the latency of a distant access, few enough that a block
  /// and a buffer per bucket fit the L2 cache.
  static constexpr std::size_t block_bytes = std::size_t{1} << 11;
  /// Blocks that a thread claims at a time to distribute: few, so that a late thread leaves its work to the others.
  static constexpr std::size_t blocks_at_once = 32;
  /// Smallest sequence, in bytes, that is distributed in place by blocks: for less, memory for a copy is cheap to get.
  static constexpr std::size_t blocks_pay_bytes = std::size_t{6} << 20;
  /// Elements drawn per splitter: the largest bucket is then rarely twice the mean.
  static constexpr std::size_t oversampling = 8;
  /// Largest base case of sample sort, in elements: both copies fit the L1 cache.
  static constexpr std::size_t sample_base_case = 2048;
  /// Bytes of a base case of merge sort, so that it and its scratch fit the L2 cache.
  static constexpr std::size_t merge_base_case_bytes = std::size_t{1} << 17;
  /// Bytes that a merge of many sequences merges at a time: with scratch and output they fit the L2 cache.
  static constexpr std::size_t merge_window_bytes = std::size_t{1} << 17;
  /// Least number of elements per sequence that such a window has room for: fewer cost more to find than to merge.
  static constexpr std::size_t merge_window_share = 32;
  /// Elements on which consecutive bitonic steps run while they are in the L1 cache. A power of two.
  static constexpr std::size_t bitonic_block = std::size_t{1} << 11;
};

/// For passes that fetch every element, or what it owns, from elsewhere: a cache miss each, many times the work of
/// other passes, hence smaller pieces. Threads still start no sooner than for other passes: data that fit the caller's
/// cache are more expensive to fetch from another core.
template <class Tuning>
struct fetching : Tuning {
  static constexpr std::size_t piece = (std::min)(Tuning::piece, std::size_t{1} << 11);
};

}  // namespace gpu::inline v1::detail::host
