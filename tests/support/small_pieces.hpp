// Tunings of the host backend that are so small that a few hundred elements take every path that millions do.
#pragma once

#include <cstddef>

#include "gpu/detail/host/tuning.hpp"

namespace testing {

/// Parallel from 32 elements on, in pieces of 8.
struct small_pieces : gpu::detail::host::default_tuning {
  static constexpr std::size_t insertion_limit = 4, network_limit = 4, ninther_limit = 16;
  static constexpr std::size_t parallel_grain = 32, comparator_grain = 32, bucket_grain = 4, pass_grain = 32,
                               scan_grain = 32;
  static constexpr std::size_t piece = 8, sample_base_case = 16, merge_base_case_bytes = 64, bitonic_block = 8,
                               radix_limit = 16;
  static constexpr std::size_t merge_piece = 8, merge_window_bytes = 64, merge_window_share = 2;
  static constexpr std::size_t oversampling = 2;
  static constexpr unsigned log_buckets = 2;
};

/// The same, distributing in place, by blocks of four or five elements.
struct small_blocks : small_pieces {
  static constexpr std::size_t block_bytes = 32, blocks_at_once = 3, blocks_pay_bytes = 256;
};

/// The same on one thread.
struct small_pieces_alone : small_pieces {
  static constexpr std::size_t parallel_grain = std::size_t{1} << 40, pass_grain = parallel_grain,
                               scan_grain = parallel_grain, comparator_grain = parallel_grain;
};

}  // namespace testing
