// Stable sample sort: distribution by splitters from an oversampled sample, repeated within each bucket until buckets
// fit the cache and merge sort finishes them. Leischner, "GPU algorithms for comparison-based sorting and for merging
// based on multiway selection" (2010), after Sanders and Winkel, "Super scalar sample sort" (2004).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../config.hpp"
#include "buffer.hpp"
#include "distribute.hpp"
#include "element.hpp"
#include "few_runs.hpp"
#include "merge_sort.hpp"
#include "permute.hpp"
#include "runs.hpp"
#include "sorted.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// log2 of the number of buckets for which each has about half a base case, as far as one level can reach that.
template <class Tuning>
unsigned buckets_for(std::size_t n) noexcept {
  const auto wanted = static_cast<unsigned>(std::bit_width(2 * n / Tuning::sample_base_case));
  return std::clamp(wanted, 1u, Tuning::log_buckets);
}

/// Sorts here[0, n) stably to wanted[0, n), which is `here` or the scratch `there`, on the calling thread. If `less`
/// throws, `wanted` still gets every element.
template <class Tuning, class T, class Less>
void sample_sort_alone(T* here, T* there, std::uint8_t* ids, std::size_t n, T* wanted, Less& less) {
  if (n <= Tuning::sample_base_case) return host::merge_sort_alone(here, there, n, wanted, less);
  relocation_guard<T> guard(wanted, here, n);
  const bucket_bounds buckets = host::distribute_alone<Tuning>(here, there, ids, n, host::buckets_for<Tuning>(n), less);
  guard.from = there;
  for (std::size_t bucket = 0; bucket < buckets.count; ++bucket) {
    const std::size_t begin = buckets.begin[bucket];
    const std::size_t size = buckets.size(bucket);
    if (buckets.finished(bucket)) {
      if (wanted != there) host::relocate(wanted + begin, there + begin, size);
      guard.done = begin + size;
      continue;
    }
    guard.done = begin + size;  // the call answers for this bucket, whatever it throws
    if (size > n / 2)           // the splitters failed to divide it: the worst case stays O(n log n)
      host::merge_sort_alone(there + begin, here + begin, size, wanted + begin, less);
    else
      host::sample_sort_alone<Tuning>(there + begin, here + begin, ids + begin, size, wanted + begin, less);
  }
}

/// Sorts first[0, n) stably: all threads distribute together, then each task sorts a bucket.
template <class Tuning, class T, class Less>
void sample_sort_together(T* first, T* scratch, std::uint8_t* ids, std::size_t n, Less& less) {
  const bucket_bounds buckets = host::distribute_together<Tuning>(first, scratch, ids, n, less);
  buckets_in_scratch<T> elements{first, scratch, buckets};
  elements.for_each([&](std::size_t bucket) {
    const std::size_t begin = buckets.begin[bucket];
    const std::size_t size = buckets.size(bucket);
    if (buckets.finished(bucket)) return elements.relocate_back(bucket);
    // A bucket too large for one task is distributed by all threads again, or merge-sorted if that would not help.
    if (size >= Tuning::parallel_grain && size > n / 16) {
      elements.relocate_back(bucket);
      if (size > n / 2) return host::merge_sort_together<Tuning>(first + begin, scratch + begin, size, less);
      return host::sample_sort_together<Tuning>(first + begin, scratch + begin, ids + begin, size, less);
    }
    elements.release(bucket);
    host::sample_sort_alone<Tuning>(scratch + begin, first + begin, ids + begin, size, first + begin, less);
  });
}

/// Sorts first[0, n) stably. O(n log n) comparisons in the worst case; `less` may be called from several threads at
/// once. Scratch for n elements and n bytes (n pointers in place of elements that are large or not trivially copyable),
/// taken before the first write: std::bad_alloc leaves the range as it was. If `less` throws, or is no strict weak
/// order, first[0, n) holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Less>
void sample_sort(T* first, std::size_t n, Less&& less) {
  if (n <= Tuning::insertion_limit) return host::merge_sort_few<Tuning::insertion_limit>(first, n, less);
  if constexpr (compact<T>) {
    buffer<T> scratch(n);
    buffer<std::uint8_t> ids(n);
    if (host::sorted_by_inspection<Tuning, true>(first, n, less)) return;
    const bool alone = !host::pays_to_sort_together<Tuning>(n);
    const auto room = [&](std::size_t) { return scratch.data(); };
    if (alone && host::sort_by_runs(first, n, Tuning::least_run, less, room)) return;
    if (!alone && host::sort_few_runs<Tuning, true>(first, n, less, room)) return;
    if (alone)
      host::sample_sort_alone<Tuning>(first, scratch.data(), ids.data(), n, first, less);
    else
      host::sample_sort_together<Tuning>(first, scratch.data(), ids.data(), n, less);
  } else {
    host::sort_through_pointers<Tuning>(first, n, less, [](auto* pointers, std::size_t count, auto& less_of_pointers) {
      host::sample_sort<Tuning>(pointers, count, less_of_pointers);
    });
  }
}

}  // namespace gpu::inline v1::detail::host
