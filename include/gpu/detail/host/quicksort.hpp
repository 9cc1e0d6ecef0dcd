// Two-phase quicksort. Phase one: all threads together partition the sequence around many pivots. Phase two: each task
// sorts buckets of its own in place. After Cederman and Tsigas, "A practical quicksort algorithm for graphics
// processors" (2009), and Nguyen, "Development of parallel sorting algorithms for GPU" (2020).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../config.hpp"
#include "block_distribution.hpp"
#include "buffer.hpp"
#include "distribute.hpp"
#include "element.hpp"
#include "executor.hpp"
#include "few_runs.hpp"
#include "introsort.hpp"
#include "merge_sort.hpp"
#include "permute.hpp"
#include "runs.hpp"
#include "sorted.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts first[0, n) on the calling thread: by merging its runs if they are long and there is memory, else in place.
template <class Tuning, class T, class Less>
void sort_alone(T* first, std::size_t n, Less& less) {
  buffer<T> scratch(0);
  const auto room = [&](std::size_t count) {
    scratch = buffer<T>(count, std::nothrow);
    return scratch.data();
  };
  if (!host::sort_by_runs(first, n, Tuning::least_run, less, room)) host::introsort<Tuning>(first, n, less);
}

/// Both phases on first[0, n), distributing in place by blocks. Returns false, with nothing done, if there is no memory
/// for the blocks. If `less` throws, first[0, n) holds all its elements.
template <class Tuning, class T, class Less>
bool partition_by_blocks_then_sort(T* first, std::size_t n, Less& less) {
  block_distribution<Tuning, T> elements(first, n);
  if (!elements) return false;
  elements.distribute(less);
  const bucket_bounds& bounds = elements.buckets();
  std::array<unsigned char, bucket_limit> filled{};
  GPUPAR_TRY {
    host::for_each_index(bounds.count, [&](std::size_t bucket) {
      filled[bucket] = 1;
      elements.fill(bucket);
      if (bounds.finished(bucket)) return;
      T* const begin = first + bounds.begin[bucket];
      const std::size_t size = bounds.size(bucket);
      if (size < Tuning::parallel_grain || size <= n / 16) return host::sort_alone<Tuning>(begin, size, less);
      // A bucket too large for one task goes through phase one again, or is merge-sorted by all if that would not help.
      if (size <= n / 2 && host::partition_by_blocks_then_sort<Tuning>(begin, size, less)) return;
      buffer<T> scratch(size, std::nothrow);
      if (!scratch) return host::introsort<Tuning>(begin, size, less);
      host::merge_sort_together<Tuning>(begin, scratch.data(), size, less);
    });
  }
  GPUPAR_CATCH(...) {
    for (std::size_t bucket = 0; bucket < bounds.count; ++bucket)
      if (!filled[bucket]) elements.fill(bucket);
    GPUPAR_RETHROW;
  }
  return true;
}

/// Both phases on first[0, n), distributing to scratch. If `less` throws, first[0, n) holds all its elements.
template <class Tuning, class T, class Less>
void partition_then_sort(T* first, T* scratch, std::uint8_t* ids, std::size_t n, Less& less) {
  const bucket_bounds buckets = host::distribute_together<Tuning>(first, scratch, ids, n, less);
  // The elements are in scratch now; each task brings those of its bucket back before it sorts them.
  buckets_in_scratch<T> elements{first, scratch, buckets};
  elements.for_each([&](std::size_t bucket) {
    elements.relocate_back(bucket);
    if (buckets.finished(bucket)) return;
    const std::size_t begin = buckets.begin[bucket];
    const std::size_t size = buckets.size(bucket);
    if (size < Tuning::parallel_grain || size <= n / 16) return host::sort_alone<Tuning>(first + begin, size, less);
    // A bucket too large for one task goes through phase one again, or is merge-sorted by all if that would not help.
    if (size > n / 2) return host::merge_sort_together<Tuning>(first + begin, scratch + begin, size, less);
    host::partition_then_sort<Tuning>(first + begin, scratch + begin, ids + begin, size, less);
  });
}

/// Sorts first[0, n); not stable. O(n log n) comparisons in the worst case; `less` may be called from several threads
/// at once. Few elements are sorted in place; more with scratch for n elements and n bytes; many in place by blocks,
/// with scratch for about two thousand bytes per thread and bucket; sequences of runs with scratch for n elements.
/// Without memory for scratch, compact elements are sorted in place on one thread. If `less` throws, or is no strict
/// weak order, first[0, n) holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Less>
void quicksort(T* first, std::size_t n, Less&& less) {
  if (n <= Tuning::insertion_limit) return host::sort_few<Tuning>(first, n, less);
  if (host::sorted_by_inspection<Tuning, false>(first, n, less)) return;
  if constexpr (compact<T>) {
    // On one thread, phase one costs half as much again as the levels of partitioning that it saves.
    if (!host::pays_to_sort_together<Tuning>(n)) return host::sort_alone<Tuning>(first, n, less);
    buffer<T> room(0);
    const auto scratch_for_runs = [&](std::size_t count) { return (room = buffer<T>(count, std::nothrow)).data(); };
    if (host::sort_few_runs<Tuning, false>(first, n, less, scratch_for_runs)) return;
    host::wake_threads();
    if (n >= Tuning::blocks_pay_bytes / sizeof(T) && host::partition_by_blocks_then_sort<Tuning>(first, n, less))
      return;
    buffer<T> scratch(n, std::nothrow);
    buffer<std::uint8_t> ids(n, std::nothrow);
    if (!scratch || !ids) return host::introsort<Tuning>(first, n, less);
    host::partition_then_sort<Tuning>(first, scratch.data(), ids.data(), n, less);
  } else {
    // Large elements are cheaper to sort through pointers than to swap in place, even if they are few.
    if (sizeof(T) <= compact_bytes && n < Tuning::comparator_grain) return host::introsort<Tuning>(first, n, less);
    host::sort_through_pointers<Tuning>(first, n, less, [](auto* pointers, std::size_t count, auto& less_of_pointers) {
      host::quicksort<Tuning>(pointers, count, less_of_pointers);
    });
  }
}

}  // namespace gpu::inline v1::detail::host
