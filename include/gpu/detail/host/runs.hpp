// Merging natural runs: sequences that are nearly sorted, or consist of a few sorted pieces, are sorted in a few cheap
// passes. Merges skip whole stretches by exponential search, as Peters' timsort does ("listsort", 2002).
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"
#include "../index.hpp"
#include "buffer.hpp"
#include "element.hpp"
#include "merge_compact.hpp"

namespace gpu::inline v1::detail::host {

/// The length of the prefix of first[0, n) for which before() holds, by exponential search: logarithmic in the result.
template <class T, class Before>
std::size_t gallop(const T* first, std::size_t n, const Before& before) {
  std::size_t low = 0;
  std::size_t step = 1;
  while (low + step <= n && before(first[low + step - 1])) {
    low += step;
    step *= 2;
  }
  return detail::partition_index(low, (std::min)(n, low + step - 1), [&](std::size_t i) { return before(first[i]); });
}

/// Merges sorted a and b to `out`, which overlaps neither; stable. Stretches of one sequence are copied as a whole;
/// where the two interleave, elements are taken one at a time without a branch.
template <class T, class Less>
void merge_stretches(const T* a, std::size_t a_count, const T* b, std::size_t b_count, T* out, Less& less) {
  constexpr std::size_t stretch = 16;         // shorter ones are dearer to find than to merge
  constexpr std::size_t before_search = 128;  // elements merged before the next search
  unfinished_merge<T> rest{a, a_count, b, b_count, out};
  while (rest.shorter() != 0) {
    const std::size_t from_a = host::gallop(rest.a, rest.a_count(), [&](const T& x) { return !less(*rest.b, x); });
    rest.copy_firsts(rest.a, from_a);
    if (rest.a_count() == 0) break;
    const std::size_t from_b =
        host::gallop(rest.b, rest.b_count(), [&](const T& x) -> bool { return less(x, *rest.a); });
    rest.copy_firsts(rest.b, from_b);
    if (from_a + from_b >= stretch) continue;
    for (std::size_t steps = (std::min)(rest.shorter(), before_search); steps != 0; --steps) rest.take_first(less);
  }
  rest.copy_firsts(rest.a, rest.a_count());
  rest.copy_firsts(rest.b, rest.b_count());
}

/// Whether the runs at the beginning of first[0, n) have at least `least` elements on average.
template <class T, class Less>
bool begins_with_runs(const T* first, std::size_t n, std::size_t least, Less& less) {
  const std::size_t probe = std::min<std::size_t>(n, 256);
  std::size_t descents = 0;
  for (std::size_t i = 1; i < probe; ++i)
    descents += static_cast<std::size_t>(static_cast<bool>(less(first[i], first[i - 1])));
  return descents * least <= probe;
}

/// Where a run begins. A descending run is strictly descending, so that reversing it is stable.
struct run_start {
  std::size_t at;
  bool descending;
};

/// Writes the runs of first[0, n) to `runs`, followed by one that begins at n; there is room for `most` + 1. Returns
/// the number of runs, or 0 if there are more than `most`.
template <class T, class Less>
std::size_t find_runs(const T* first, std::size_t n, run_start* runs, std::size_t most, Less& less) {
  constexpr std::size_t worth_turning = 4;
  const auto descends = [&](std::size_t i) { return i < n && static_cast<bool>(less(first[i], first[i - 1])); };
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < n;) {
    if (count == most) return 0;
    std::size_t end = begin + 1;
    while (descends(end)) ++end;
    const bool descending = end - begin >= worth_turning;
    if (!descending)
      for (end = begin + 1; end < n && !descends(end);) ++end;
    runs[count++] = {begin, descending};
    begin = end;
  }
  runs[count] = {n, false};
  return count;
}

/// Merges ascending runs of `here` to `wanted`, which is `here` or `there`, recursively by halves, so that what fits a
/// cache is merged while it is there. If `less` throws, `wanted` still gets every element.
template <class T, class Less>
void merge_runs_of(T* here, T* there, const run_start* runs, std::size_t count, T* wanted, Less& less) {
  const std::size_t begin = runs[0].at;
  const std::size_t end = runs[count].at;
  if (count == 1) {
    if (wanted != here) host::relocate(wanted + begin, here + begin, end - begin);
    return;
  }
  const std::size_t middle = runs[count / 2].at;
  T* const source = wanted == here ? there : here;
  relocation_guard<T> left(wanted + begin, here + begin, middle - begin);
  relocation_guard<T> right(wanted + middle, here + middle, end - middle);
  left.from = source + begin;  // the call puts every element there, whatever it throws
  host::merge_runs_of(here, there, runs, count / 2, source, less);
  right.from = source + middle;
  host::merge_runs_of(here, there, runs + count / 2, count - count / 2, source, less);
  host::merge_stretches(source + begin, middle - begin, source + middle, end - middle, wanted + begin, less);
  left.done = left.n;
  right.done = right.n;
}

/// Sorts first[0, n) by merging its runs if they have at least `least` elements on average; stable, on the calling
/// thread. Returns false, with nothing moved, if they are shorter or there is no memory. scratch(n) returns room for n
/// elements, or null.
template <class T, class Less, class Scratch>
bool sort_by_runs(T* first, std::size_t n, std::size_t least, Less& less, const Scratch& scratch) {
  const T* const elements = first;
  const std::size_t most = n / least;
  if (most < 2 || !host::begins_with_runs(elements, n, least, less)) return false;
  buffer<run_start> runs(most + 1, std::nothrow);
  if (!runs) return false;
  const std::size_t count = host::find_runs(elements, n, runs.data(), most, less);
  T* const room = count == 0 ? nullptr : scratch(n);
  if (room == nullptr) return false;
  for (std::size_t run = 0; run < count; ++run)
    if (runs[run].descending)
      for (T *low = first + runs[run].at, *high = first + runs[run + 1].at - 1; low < high; ++low, --high)
        host::exchange(low, high);
  host::merge_runs_of(first, room, runs.data(), count, first, less);
  return true;
}

}  // namespace gpu::inline v1::detail::host
