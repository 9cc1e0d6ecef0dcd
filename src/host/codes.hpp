// Sorting codes, which are unsigned integers, in ascending order on the host. A single thread sorts by the digits of a
// window, least significant digit first: the window is the leading bits in which the codes differ, wide enough to
// distinguish most of n codes; the few groups of codes that agree in it are then sorted by the remaining bits. Several
// threads first distribute around splitters, so that each has buckets of its own. No user comparator is called, so
// nothing throws once memory has been allocated.
#pragma once

#include <gpu/detail/host/block_distribution.hpp>
#include <gpu/detail/host/buffer.hpp>
#include <gpu/detail/host/distribute.hpp>
#include <gpu/detail/host/few_runs.hpp>
#include <gpu/detail/host/introsort.hpp>
#include <gpu/detail/host/merge_sort.hpp>
#include <gpu/detail/host/parallel.hpp>
#include <gpu/detail/host/runs.hpp>
#include <gpu/detail/host/sorted.hpp>
#include <gpu/detail/keys/key.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "digits.hpp"
#include "nearly_sorted.hpp"

namespace gpu::inline v1::detail::host {

/// Below this, the counters of one digit cost more than comparisons do.
inline constexpr std::size_t fewest_for_digits = 64;

/// Below this, they do if a pass over the groups that agree in the window has to follow,
inline constexpr std::size_t fewest_for_groups = 144;

/// and below this if codes share leading bits, so that more digits are needed to distinguish them.
template <class Code>
inline constexpr std::size_t fewest_for_many_digits = sizeof(Code) <= 8 ? 256 : 512;

/// From this size on, codes are sorted by all threads. It is larger than for a comparator, because digits take less
/// time.
template <class Code>
inline constexpr std::size_t fewest_for_threads = std::size_t{1} << (sizeof(Code) <= 4 ? 14 : 13);

/// Above this, the codes that a pass writes do not stay in the cache, and an initial pass by the most significant digit
/// pays, because it keeps the other passes out of memory.
inline constexpr std::size_t most_bytes_at_once = std::size_t{1} << 22;

/// Sorts here[0, n) to wanted[0, n), which is `here` or the scratch `there`, by comparisons: in place if a code fits a
/// register; codes of two words by merging, because partitioning would take an unpredictable branch per comparison.
template <class Code>
void sort_few_codes(Code* here, Code* there, std::size_t n, Code* wanted) {
  code_less less;
  if constexpr (sizeof(Code) > 8) return merge_sort_alone(here, there, n, wanted, less);
  if (here != wanted) relocate(wanted, here, n);
  introsort(wanted, n, less);
}

template <class Code>
void sort_codes_alone(Code* here, Code* there, std::size_t n, Code* wanted);

/// Sorts codes[0, n), which are already sorted except by their `shift` lowest bits.
template <class Code>
void sort_groups(Code* codes, Code* scratch, std::size_t n, unsigned shift) {
  constexpr std::size_t few = 32;
  const auto same_group = [&](Code a, Code b) { return static_cast<Code>(a ^ b) >> shift == 0; };
  code_less less;
  for (std::size_t i = 1; i < n; ++i) {
    if (!(codes[i] < codes[i - 1])) continue;
    std::size_t begin = i - 1;
    std::size_t end = i + 1;
    while (begin > 0 && same_group(codes[begin - 1], codes[i])) --begin;
    while (end < n && same_group(codes[end], codes[i])) ++end;
    if (end - begin <= few)
      insertion_sort(codes + begin, end - begin, less, i - begin);
    else
      sort_codes_alone(codes + begin, scratch + begin, end - begin, codes + begin);
    i = end;  // the next group's first code cannot be less than this one's last
  }
}

/// Distributes by the leading digit of the window, then sorts the codes with each value of it.
template <class Code>
void sort_from_the_top(Code* here, Code* there, std::size_t n, Code* wanted, const digit_window& window) {
  const unsigned shift = window.shift + (window.digits - 1) * digit_bits;
  digit_counts counts;
  count_digits<1>(here, n, shift, counts);
  auto& ends = counts[0];
  scatter_by_digit(here, there, n, shift, ends.data());
  for (std::size_t value = 0, begin = 0; value < ends.size(); begin = ends[value++])
    sort_codes_alone(there + begin, here + begin, ends[value] - begin, wanted + begin);
}

/// Sorts here[0, n) to wanted[0, n), which is `here` or the scratch `there`, on the calling thread. Each level of
/// recursion through groups reduces the bits in which codes differ by at least eight.
template <class Code>
void sort_codes_alone(Code* here, Code* there, std::size_t n, Code* wanted) {
  if (n < fewest_for_digits) return sort_few_codes(here, there, n, wanted);
  if (std::is_sorted(here, here + n)) {
    if (here != wanted) relocate(wanted, here, n);
    return;
  }
  digit_window window = window_for(here, n);
  if (n < fewest_for_groups && !window.complete) return sort_few_codes(here, there, n, wanted);
  if (n > most_bytes_at_once / sizeof(Code)) return sort_from_the_top(here, there, n, wanted, window);
  digit_counts counts;
  const unsigned narrow = window.digits;
  count_and_widen(here, n, window, counts);
  if (n < fewest_for_many_digits<Code> && window.digits > narrow) return sort_few_codes(here, there, n, wanted);
  Code* from = here;
  Code* to = there;
  for (unsigned digit = 0; digit < window.digits; ++digit) {
    const unsigned shift = window.shift + digit * digit_bits;
    if (counts[digit][digit_of(*from, shift)] == n) continue;
    scatter_by_digit(from, to, n, shift, counts[digit].data());
    std::swap(from, to);
  }
  if (from != wanted) relocate(wanted, from, n);
  if (!window.complete) sort_groups(wanted, wanted == here ? there : here, n, window.shift);
}

/// Sorts first[0, n): all threads distribute together, then each task sorts a bucket.
template <class Code>
void sort_codes_together(Code* first, Code* scratch, std::uint8_t* ids, std::size_t n) {
  using tuning = default_tuning;
  code_less less;
  const bucket_bounds buckets = distribute_together<tuning>(first, scratch, ids, n, less);
  buckets_in_scratch<Code> elements{first, scratch, buckets};
  elements.for_each([&](std::size_t bucket) {
    if (buckets.finished(bucket)) return elements.relocate_back(bucket);
    const std::size_t begin = buckets.begin[bucket];
    elements.release(bucket);
    sort_codes_alone(scratch + begin, first + begin, buckets.size(bucket), first + begin);
  });
}

/// Sorts first[0, n) on all threads, distributing in place by blocks. Equal codes are identical, so blocks of equal
/// codes are only counted. Returns false, with nothing done, if blocks do not pay or there is no memory for them.
template <class Tuning = default_tuning, class Code>
bool sort_codes_by_blocks(Code* first, std::size_t n) {
  code_less less;
  if (n < Tuning::blocks_pay_bytes / sizeof(Code)) return false;
  block_distribution<Tuning, Code, true> elements(first, n);
  if (!elements) return false;
  elements.distribute(less);
  const bucket_bounds& buckets = elements.buckets();
  for_each_index_surely(buckets.count, [&](std::size_t bucket) {
    elements.fill(bucket);
    if (buckets.finished(bucket)) return;
    Code* const codes = first + buckets.begin[bucket];
    const std::size_t size = buckets.size(bucket);
    buffer<Code> scratch(size, std::nothrow);
    if (scratch)
      sort_codes_alone(codes, scratch.data(), size, codes);
    else
      introsort<Tuning>(codes, size, less);
  });
  return true;
}

/// Whether sorting one piece per thread and merging the pieces is cheaper than distributing first: it costs half as
/// much at the outset, and more with every level of merges.
inline bool pays_to_merge_codes(std::size_t n) {
  constexpr std::size_t few_threads = 4;
  return concurrency() <= few_threads && n < std::size_t{1} << 22;
}

/// Sorts first[0, n): every thread sorts a piece, then all threads merge the pieces.
template <class Code>
void sort_pieces_of_codes(Code* first, Code* scratch, std::size_t n) {
  code_less less;
  const std::size_t pieces = std::bit_ceil(std::min(concurrency(), n / (fewest_for_threads<Code> / 8)));
  merge_base_cases<default_tuning>(
      first, scratch, n, (n - 1) / pieces + 1, less,
      [](Code* here, Code* there, std::size_t count) { sort_codes_alone(here, there, count, here); });
}

/// Sorts first[0, n). Takes scratch for n codes and, if all threads take part, n bytes; in place without memory for the
/// codes.
template <class Code>
void sort_codes(Code* first, std::size_t n) {
  using tuning = default_tuning;
  code_less less;
  if (n <= tuning::network_limit) return sort_few<tuning>(first, n, less);
  if (sorted_by_inspection<tuning, false>(first, n, less)) return;
  if (sizeof(Code) <= 8 && n < fewest_for_digits) return introsort(first, n, less);
  few_or_buffer<Code, 4096 / sizeof(Code)> scratch(n, std::nothrow);
  if (!scratch) return introsort(first, n, less);
  const bool together = n >= fewest_for_threads<Code> && concurrency() > 1;
  // A few runs are merged in fewer passes than digits take.
  constexpr std::size_t few_runs = 4;
  constexpr std::size_t few_threads = 8;  // more threads sort anything as fast as one thread passes over it
  const auto room = [&](std::size_t) { return scratch.data(); };
  const auto sort_alone = [](Code* codes, std::size_t count, Code* other) {
    sort_codes_alone(codes, other, count, codes);
  };
  if ((!together || concurrency() <= few_threads) && sort_nearly_sorted(first, n, scratch.data(), sort_alone)) return;
  if (!together && sort_by_runs(first, n, n / few_runs, less, room)) return;
  if (together && sort_few_runs<tuning, false>(first, n, less, room)) return;
  if (together) wake_threads();
  if (together && pays_to_merge_codes(n)) return sort_pieces_of_codes(first, scratch.data(), n);
  if (together && sort_codes_by_blocks(first, n)) return;
  if (together)
    if (buffer<std::uint8_t> ids(n, std::nothrow); ids)
      return sort_codes_together(first, scratch.data(), ids.data(), n);
  sort_codes_alone(first, scratch.data(), n, first);
}

}  // namespace gpu::inline v1::detail::host
