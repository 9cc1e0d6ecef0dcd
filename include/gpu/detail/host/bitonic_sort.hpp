// Bitonic sort of any length, in place. The first step of each merge compares mirrored positions, so that all exchanges
// go in the same direction. A network for the next power of two then never moves the elements that would pad it, so
// comparators that touch them are left out. Nguyen, "Development of parallel sorting algorithms for GPU" (2020),
// sections 3.2 to 3.4, on Batcher's network.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "../config.hpp"
#include "element.hpp"
#include "executor.hpp"
#include "parallel.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// One step of the network: comparators (low, high) in blocks of `size` positions, either mirrored within the block
/// or at a distance of size / 2.
struct bitonic_step {
  std::size_t size;
  bool mirrored;

  /// Calls comparator(low, high) for the comparators whose low positions have the numbers [begin, end), counting size /
  /// 2 low positions per block, and whose high position is below n.
  template <class Comparator>
  void for_each_comparator(std::size_t n, std::size_t begin, std::size_t end, Comparator&& comparator) const {
    const std::size_t half = size / 2;
    std::size_t block = begin / half * size;
    for (std::size_t offset = begin % half; begin < end && block < n; block += size, offset = 0) {
      const std::size_t stop = (std::min)(half, offset + (end - begin));
      begin += stop - offset;
      const std::size_t present = (std::min)(size, n - block);
      if (mirrored)  // the first `size - present` lows lack a partner
        for (std::size_t low = (std::max)(offset, size - present); low < stop; ++low)
          comparator(block + low, block + (size - 1 - low));
      else
        for (std::size_t low = offset, last = (std::min)(stop, present > half ? present - half : 0); low < last; ++low)
          comparator(block + low, block + half + low);
    }
  }
};

/// Runs the steps of the network for n positions. Consecutive steps within a block of Tuning::bitonic_block positions
/// are done by one task; each larger step is divided among the tasks.
template <class Tuning, class Comparator>
void run_bitonic_network(std::size_t n, Comparator&& comparator) {
  constexpr std::size_t block = Tuning::bitonic_block;
  static_assert(block >= 2 && (block & (block - 1)) == 0);
  if (n < 2) return;
  const std::size_t largest = (std::min)(block, std::bit_ceil(n));
  // All merges of up to `largest` positions, or the last steps of a larger merge, which stay within blocks.
  const auto within_blocks = [&](bool whole_merges) {
    const auto run_block = [&](std::size_t begin, std::size_t end) {
      for (std::size_t size = whole_merges ? 2 : largest; size <= largest; size *= 2)
        for (std::size_t width = size; width >= 2; width /= 2)
          bitonic_step{width, whole_merges && width == size}.for_each_comparator(n, begin / 2, end / 2, comparator);
    };
    const std::size_t blocks = (n - 1) / block + 1;
    const partition_of parts{blocks,
                             (std::min)(blocks, n < Tuning::parallel_grain ? 1 : host::divide<Tuning>(n).count)};
    host::for_each_index(parts.count, [&](std::size_t part) {
      for (std::size_t i = parts.begin(part); i < parts.end(part); ++i) run_block(i * block, (i + 1) * block);
    });
  };
  within_blocks(true);
  for (std::size_t size = block; size < n;) {
    size *= 2;
    for (std::size_t width = size; width > block; width /= 2) {
      const bitonic_step step{width, width == size};
      const std::size_t lows = ((n - 1) / width + 1) * (width / 2);
      host::for_each_part<Tuning>(
          lows, [&](std::size_t begin, std::size_t end) { step.for_each_comparator(n, begin, end, comparator); });
    }
    within_blocks(false);
  }
}

/// Sorts first[0, n) by swaps, in place, without scratch; not stable. O(n log^2 n) comparisons, at positions that
/// depend on n alone; `less` may be called from several threads at once. If `less` throws, or is no strict weak order,
/// first[0, n) holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Less>
void bitonic_sort(T* first, std::size_t n, Less&& less) {
  host::run_bitonic_network<Tuning>(
      n, [&](std::size_t low, std::size_t high) { host::compare_exchange(first + low, first + high, less); });
}

/// Sorts n elements that are known by index alone: compare(i, j) returns whether the element at i goes before the one
/// at j, and swap(i, j) exchanges the two. Not stable; O(n log^2 n) calls. Both are called from several threads at
/// once, for disjoint indices; elements that share memory, as those of a std::vector<bool> share words, need extra
/// care.
template <class Tuning = default_tuning, class Compare, class Swap>
void bitonic_sort_indexed(std::size_t n, Compare&& compare, Swap&& swap) {
  host::run_bitonic_network<Tuning>(n, [&](std::size_t low, std::size_t high) {
    if (compare(high, low)) swap(low, high);
  });
}

}  // namespace gpu::inline v1::detail::host
