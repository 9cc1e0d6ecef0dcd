// Sequences that consist of a few sorted runs, ascending or descending, are merged by all threads, in a fraction of the
// time that distributing them takes.
#pragma once

#include <array>
#include <cstddef>

#include "../config.hpp"
#include "multiway_merge.hpp"
#include "parallel.hpp"
#include "sorted.hpp"

namespace gpu::inline v1::detail::host {

/// The largest number of runs: more would take as many passes as distribution does.
inline constexpr std::size_t most_few_runs = 8;

/// Merges the runs to `scratch`, which has room for all elements. Returns false if the merge gets no memory; exceptions
/// of `less` pass through.
template <class Tuning, class T, class Less>
bool merge_to(const sequence<const T*>* runs, std::size_t count, T* scratch, Less& less) {
  GPUPAR_TRY { host::multiway_merge<Tuning>(runs, count, scratch, less); }
  GPUPAR_CATCH(const no_memory&) { return false; }
  return true;
}

/// Sorts first[0, n), n > 0, by all threads if it consists of a few runs; stable if `Stable`. Returns false if it does
/// not or if there is no memory: first[0, n) then still holds every element, as it does if `less` throws. room(n)
/// returns scratch for n elements, or null. O(n) comparisons, and very few if the first run is short.
template <class Tuning, bool Stable, class T, class Less, class Room>
bool sort_few_runs(T* first, std::size_t n, Less& less, const Room& room) {
  const std::size_t least = n / (4 * most_few_runs);  // least length of a run other than the last
  const T* const elements = first;
  std::array<sequence<const T*>, most_few_runs> runs;
  std::array<bool, most_few_runs> turned{};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < n; begin += runs[count++].count) {
    if (count == most_few_runs) return false;
    const auto is_short = [&](std::size_t length) { return length < least && begin + length < n; };
    std::size_t length = host::sorted_until<Tuning>(elements + begin, n - begin, less);
    turned[count] = is_short(length);
    if (turned[count]) length = host::sorted_until<Tuning>(elements + begin, n - begin, host::backwards<Stable>(less));
    if (is_short(length)) return false;
    runs[count] = {elements + begin, length};
  }
  T* const scratch = room(n);
  if (scratch == nullptr) return false;
  for (std::size_t run = 0; run < count; ++run)
    if (turned[run]) host::parallel_reverse<Tuning>(first + (runs[run].first - elements), runs[run].count);
  if (!host::merge_to<Tuning>(runs.data(), count, scratch, less)) return false;
  host::parallel_relocate<Tuning>(first, scratch, n);
  return true;
}

}  // namespace gpu::inline v1::detail::host
