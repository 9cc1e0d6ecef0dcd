// Stable merge sort. Every thread sorts runs of its own; then all threads merge neighbouring runs, level by level.
// Merges are cut into pieces by merge path, so that the last level keeps as many threads busy as the first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>

#include "../config.hpp"
#include "../keys/key.hpp"
#include "buffer.hpp"
#include "element.hpp"
#include "merge.hpp"
#include "network.hpp"
#include "parallel.hpp"
#include "permute.hpp"
#include "runs.hpp"
#include "sorted.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

inline constexpr std::size_t first_run = 4;

/// Divides [0, n), n > 0, into 2^levels runs of at most `first_run` elements. On every level the lengths of two runs to
/// be merged differ by at most one, so that a merge from both ends meets in the middle with nothing left to do.
struct even_runs {
  std::size_t n;
  unsigned levels = static_cast<unsigned>(std::bit_width((n - 1) / first_run));

  /// Where a run begins after `level` levels of merges.
  [[nodiscard]] std::size_t begin(std::size_t run, unsigned level) const noexcept {
    constexpr unsigned half = 4 * sizeof(std::size_t);
    if (n >> half != 0) return static_cast<std::size_t>(uint128{n} * run >> (levels - level));
    return n * run >> (levels - level);
  }
  [[nodiscard]] std::size_t count(unsigned level) const noexcept { return std::size_t{1} << (levels - level); }
};

/// Sorts from[0, 4) stably to `to`: the slot of an element is the number of elements that go before it. Makes all
/// comparisons, without a branch. If the comparator contradicts itself, so that two elements claim the same slot, the
/// elements are copied in their old order.
template <class T, class Less>
void sort_four(const T* from, T* to, Less& less) {
  const auto before = [&](int i, int j)
                          GPUPAR_INLINE { return static_cast<unsigned>(host::number_of(less(from[i], from[j]))); };
  const unsigned ba = before(1, 0), ca = before(2, 0), da = before(3, 0);
  const unsigned cb = before(2, 1), db = before(3, 1), dc = before(3, 2);
  const unsigned a = ba + ca + da, b = 1 - ba + cb + db, c = 2 - ca - cb + dc, d = 3 - da - db - dc;
  constexpr unsigned all_slots = 0b1111;
  if ((1u << a | 1u << b | 1u << c | 1u << d) != all_slots) return host::relocate(to, from, first_run);
  host::relocate(to + a, from);
  host::relocate(to + b, from + 1);
  host::relocate(to + c, from + 2);
  host::relocate(to + d, from + 3);
}

/// Sorts three elements from one array into another.
template <class T, class Less>
void sort_three(const T* from, T* to, Less& less) {
  const auto before = [&](int i, int j)
                          GPUPAR_INLINE { return static_cast<unsigned>(host::number_of(less(from[i], from[j]))); };
  const unsigned ba = before(1, 0), ca = before(2, 0), cb = before(2, 1);
  const unsigned a = ba + ca, b = 1 - ba + cb, c = 2 - ca - cb;
  constexpr unsigned all_slots = 0b111;
  if ((1u << a | 1u << b | 1u << c) != all_slots) return host::relocate(to, from, 3);
  host::relocate(to + a, from);
  host::relocate(to + b, from + 1);
  host::relocate(to + c, from + 2);
}

/// Sorts two elements from one array into another.
template <class T, class Less>
void sort_two(const T* from, T* to, Less& less) {
  const std::size_t swapped = host::number_of(less(from[1], from[0]));
  host::relocate(to + swapped, from);
  host::relocate(to + (1 - swapped), from + 1);
}

/// Sorts from[0, n), 2 <= n <= 4, stably to `to`.
template <class T, class Less>
void sort_first_run(const T* from, T* to, std::size_t n, Less& less) {
  if (n == 4) return host::sort_four(from, to, less);
  if (n == 3) return host::sort_three(from, to, less);
  host::sort_two(from, to, less);
}

/// Sorts the first runs of `from` to `to`. If all have four elements, their lengths need not be examined.
template <class T, class Less>
void move_first_runs(const T* from, T* to, const even_runs& runs, Less& less) {
  if (runs.n == runs.count(0) * first_run) {
    for (std::size_t begin = 0; begin < runs.n; begin += first_run) host::sort_four(from + begin, to + begin, less);
    return;
  }
  for (std::size_t run = 0, begin = 0, end; run < runs.count(0); ++run, begin = end) {
    end = runs.begin(run + 1, 0);
    host::sort_first_run(from + begin, to + begin, end - begin, less);
  }
}

/// Sorts the first runs of `here` stably. Returns where the result is: `here`, or `there`; in that case `here` is
/// unchanged.
template <class T, class Less>
T* sort_first_runs(T* here, T* there, const even_runs& runs, Less& less) {
  if constexpr (sizeof(T) <= branchless_run_bytes) {
    host::move_first_runs(here, there, runs, less);
    return there;
  } else {
    for (std::size_t run = 0; run < runs.count(0); ++run)
      host::insertion_sort(here + runs.begin(run, 0), runs.begin(run + 1, 0) - runs.begin(run, 0), less);
    return here;
  }
}

/// Sorts here[0, n) stably to wanted[0, n), which is `here` or the scratch `there`, bottom-up on the calling thread.
/// Each level leaves its source intact: if `less` throws, `wanted` still gets every element.
template <class T, class Less>
void merge_sort_alone(T* here, T* there, std::size_t n, T* wanted, Less& less) {
  relocation_guard<T> guard(wanted, here, n);
  if (n < 2) return;
  const even_runs runs{n};
  T* from = host::sort_first_runs(here, there, runs, less);
  T* to = from == here ? there : here;
  guard.from = from;
  for (unsigned level = 0; level < runs.levels; ++level) {
    for (std::size_t run = 0, begin = 0, end; run < runs.count(level); run += 2, begin = end) {
      const std::size_t middle = runs.begin(run + 1, level);
      end = runs.begin(run + 2, level);
      host::merge_runs(from + begin, middle - begin, from + middle, end - middle, to + begin, less);
    }
    std::swap(from, to);
    guard.from = from;
  }
}

/// Sorts first[0, n), n <= Most, stably; by merging with scratch on the stack where that pays, else by insertion.
template <std::size_t Most, class T, class Less>
void merge_sort_few(T* first, std::size_t n, Less& less) {
  if constexpr (compact<T>) {
    constexpr std::size_t fewest = 3;
    if (n >= fewest) {
      const std::size_t even = std::bit_floor(n);
      const std::size_t merged = n - even <= n / 5 ? even : n;  // inserting the few behind is faster
      alignas(T) std::array<std::byte, Most * sizeof(T)> scratch;
      host::merge_sort_alone(first, reinterpret_cast<T*>(scratch.data()), merged, first, less);
      return host::insertion_sort(first, n, less, merged);
    }
  }
  host::insertion_sort(first, n, less);
}

/// The runs of one level: run r is [r * length, (r + 1) * length); the last may be shorter.
struct run_level {
  std::size_t n;
  std::size_t length;
  std::size_t pieces;  // per pair of runs

  [[nodiscard]] std::size_t pairs() const noexcept { return (n - 1) / (2 * length) + 1; }
  [[nodiscard]] std::size_t begin(std::size_t pair) const noexcept { return pair * 2 * length; }
  [[nodiscard]] std::size_t a_count(std::size_t pair) const noexcept { return (std::min)(length, n - begin(pair)); }
  [[nodiscard]] partition_of parts(std::size_t pair) const noexcept {
    return {(std::min)(2 * length, n - begin(pair)), pieces};
  }
  [[nodiscard]] std::size_t* path(std::size_t* cuts, std::size_t pair) const noexcept {
    return cuts + pair * (pieces + 1);
  }
};

/// Merges the pairs of runs of `from` to `to`. `cuts` has room for pairs * (pieces + 1).
template <class T, class Less>
void merge_level(const T* from, T* to, const run_level& level, std::size_t* cuts, Less& less) {
  const std::size_t tasks = level.pairs() * level.pieces;
  if (level.pieces > 1)
    host::for_each_index(tasks, [&](std::size_t task) {
      const std::size_t pair = task / level.pieces, a_count = level.a_count(pair);
      const T* const a = from + level.begin(pair);
      const partition_of parts = level.parts(pair);
      host::cut_path(a, a_count, a + a_count, parts.n - a_count, parts, task % level.pieces, level.path(cuts, pair),
                     less);
    });
  for (std::size_t pair = 0; pair < level.pairs(); ++pair)
    straighten_path(level.path(cuts, pair), level.a_count(pair), level.parts(pair));
  host::for_each_index(tasks, [&](std::size_t task) {
    const std::size_t pair = task / level.pieces, part = task % level.pieces;
    const T* const a = from + level.begin(pair);
    const T* const b = a + level.a_count(pair);
    const partition_of parts = level.parts(pair);
    const std::size_t* const path = level.path(cuts, pair);
    const std::size_t begin = parts.begin(part);
    const std::size_t a_part = path[part + 1] - path[part];
    host::merge_runs(a + path[part], a_part, b + (begin - path[part]), parts.end(part) - begin - a_part,
                     to + (level.begin(pair) + begin), less);
  });
}

/// Sorts first[0, n) with scratch[0, n) on all threads: base cases of `length` elements in place by
/// sort_base_case(here, there, count), then level by level by merging. If there is no memory for the cuts, the whole
/// sequence is one base case.
template <class Tuning, class T, class Less, class SortBaseCase>
void merge_base_cases(T* first, T* scratch, std::size_t n, std::size_t length, Less& less,
                      const SortBaseCase& sort_base_case) {
  const std::size_t tasks = host::divide<Tuning>(n, 1).count;
  const auto pieces_of = [&](std::size_t run) {
    const std::size_t pairs = (n - 1) / (2 * run) + 1;
    return std::clamp<std::size_t>(2 * run / Tuning::merge_piece, 1, (tasks - 1) / pairs + 1);
  };
  std::size_t most_cuts = 0;
  for (std::size_t run = length; run < n; run *= 2)
    most_cuts = (std::max)(most_cuts, ((n - 1) / (2 * run) + 1) * (pieces_of(run) + 1));
  buffer<std::size_t> cuts(most_cuts, std::nothrow);
  if (!cuts) return sort_base_case(first, scratch, n);

  host::for_each_index((n - 1) / length + 1, [&](std::size_t base_case) {
    const std::size_t begin = base_case * length;
    sort_base_case(first + begin, scratch + begin, (std::min)(length, n - begin));
  });
  T* from = first;
  T* to = scratch;
  GPUPAR_TRY {
    for (std::size_t run = length; run < n; run *= 2) {
      host::merge_level(from, to, run_level{n, run, pieces_of(run)}, cuts.data(), less);
      std::swap(from, to);
    }
  }
  GPUPAR_CATCH(...) {
    if (from != first) host::relocate(first, from, n);  // a level that failed has left its source intact
    GPUPAR_RETHROW;
  }
  if (from != first) host::parallel_relocate<Tuning>(first, from, n);
}

/// Merge-sorts compact elements stably with scratch[0, n); on all threads if there is memory for the cuts.
template <class Tuning, class T, class Less>
void merge_sort_together(T* first, T* scratch, std::size_t n, Less& less) {
  const std::size_t cached = std::max<std::size_t>(Tuning::merge_base_case_bytes / sizeof(T), first_run);
  std::size_t length =
      std::clamp<std::size_t>((n - 1) / concurrency() + 1, (std::min)(Tuning::merge_piece, cached), cached);
  // With 2^levels base cases, no level has a run without a partner.
  length = (n - 1) / std::bit_ceil((n - 1) / length + 1) + 1;
  host::merge_base_cases<Tuning>(first, scratch, n, length, less, [&](T* here, T* there, std::size_t count) {
    host::merge_sort_alone(here, there, count, here, less);
  });
}

/// Merge-sorts compact elements stably with scratch[0, n), taking advantage of existing order.
template <class Tuning, class T, class Less>
void merge_sort_with(T* first, T* scratch, std::size_t n, Less& less) {
  if (host::sorted_by_inspection<Tuning, true>(first, n, less)) return;
  if (host::pays_to_sort_together<Tuning>(n)) return host::merge_sort_together<Tuning>(first, scratch, n, less);
  const auto room = [&](std::size_t) { return scratch; };
  if (!host::sort_by_runs(first, n, Tuning::least_run, less, room))
    host::merge_sort_alone(first, scratch, n, first, less);
}

/// Sorts first[0, n) stably. O(n log n) comparisons for every input; `less` may be called from several threads at
/// once. Scratch for n elements (n pointers for elements that are large or not trivially copyable), taken before the
/// first write: std::bad_alloc leaves the range as it was. If `less` throws, or is no strict weak order, first[0, n)
/// holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Less>
void merge_sort(T* first, std::size_t n, Less&& less) {
  if (n <= Tuning::insertion_limit) return host::merge_sort_few<Tuning::insertion_limit>(first, n, less);
  if constexpr (compact<T>) {
    buffer<T> scratch(n);
    host::merge_sort_with<Tuning>(first, scratch.data(), n, less);
  } else {
    host::sort_through_pointers<Tuning>(first, n, less, [](auto* pointers, std::size_t count, auto& less_of_pointers) {
      host::merge_sort<Tuning>(pointers, count, less_of_pointers);
    });
  }
}

}  // namespace gpu::inline v1::detail::host
