// The sequential in-place quicksort of the host backend, for one task. Pattern-defeating in the sense of Orson
// Peters' pdqsort: a ninther of random elements as pivot, equal elements split off, heap sort after too many bad
// partitions. Elements are only ever swapped, so a comparator may throw anywhere; every scan is bounded by the range,
// so a comparator may contradict itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../config.hpp"
#include "../sample_key.hpp"
#include "element.hpp"
#include "merge_sort.hpp"
#include "network.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Restores the heap at `root`, both subtrees of which are heaps.
template <class T, class Less>
void sift_down(T* first, std::size_t root, std::size_t n, Less& less) {
  for (std::size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
    if (child + 1 < n && less(static_cast<const T&>(first[child]), static_cast<const T&>(first[child + 1]))) ++child;
    if (!less(static_cast<const T&>(first[root]), static_cast<const T&>(first[child]))) return;
    host::exchange(first + root, first + child);
    root = child;
  }
}

/// Makes first[0, n) a heap.
template <class T, class Less>
void make_heap(T* first, std::size_t n, Less& less) {
  for (std::size_t root = n / 2; root > 0; --root) host::sift_down(first, root - 1, n, less);
}

/// Sorts first[0, n) by swaps; not stable. O(n log n) for every input and every comparator.
template <class T, class Less>
void heap_sort(T* first, std::size_t n, Less& less) {
  host::make_heap(first, n, less);
  for (std::size_t last = n; last > 1; --last) {
    host::exchange(first, first + (last - 1));
    host::sift_down(first, 0, last - 1, less);
  }
}

/// Partitions first[0, n) around the pivot *first: moves the elements x with goes_left(x, pivot) before it and the
/// others behind it. Returns the pivot's new position.
template <class T, class GoesLeft>
std::size_t partition_around_first(T* first, std::size_t n, GoesLeft goes_left) {
  if constexpr (compact<T>) {
    const held<T> pivot(first);
    T* left = first;  // (first, left] go left, (left, x) do not
    T* const last = first + n;
    for (T* x = first + 1; x != last; ++x) {
      const std::size_t smaller = host::number_of(goes_left(static_cast<const T&>(*x), pivot.value));
      host::exchange(left + 1, x);
      left += smaller;
    }
    host::exchange(first, left);
    return static_cast<std::size_t>(left - first);
  } else {
    const T& pivot = *first;
    std::size_t low = 1;  // [1, low) go left, [high, n) do not
    std::size_t high = n;
    while (low < high) {
      while (low < high && goes_left(static_cast<const T&>(first[low]), pivot)) ++low;
      while (low < high && !goes_left(static_cast<const T&>(first[high - 1]), pivot)) --high;
      if (low < high) host::exchange(first + low++, first + --high);
    }
    host::exchange(first, first + (low - 1));
    return low - 1;
  }
}

/// Puts the median of three at b.
template <class T, class Less>
void median_of_three(T* a, T* b, T* c, Less& less) {
  host::compare_exchange(a, b, less);
  host::compare_exchange(b, c, less);
  host::compare_exchange(a, b, less);
}

/// Puts a pivot for first[0, n), n >= 8, at *first: the median of three, or for many elements the ninther of elements
/// at random positions in nine equal parts. At predictable positions, a sequence of runs may have equal elements.
template <class Tuning, class T, class Less>
void choose_pivot(T* first, std::size_t n, std::uint64_t word, Less& less) {
  T* middle = first + n / 2;
  if (n >= Tuning::ninther_limit) {
    constexpr unsigned bits = 7;
    std::uint64_t draws = (word + n) * 0x9e3779b97f4a7c15u;
    draws ^= draws >> 32;
    const std::size_t part = n / 9;
    const auto drawn = [&](std::size_t i) {
      return first + (i * part + (part * static_cast<std::size_t>(draws >> (bits * i) & ((1u << bits) - 1)) >> bits));
    };
    const auto median = [&](std::size_t third) {
      host::median_of_three(drawn(3 * third), drawn(3 * third + 1), drawn(3 * third + 2), less);
      return drawn(3 * third + 1);
    };
    T* const low = median(0);
    T* const high = median(2);
    middle = median(1);
    host::median_of_three(low, middle, high, less);
  } else {
    host::median_of_three(first, middle, first + (n - 1), less);
  }
  host::exchange(first, middle);
}

/// Whether few elements are sorted by a network. Floats are merged: compilers make a branch of their compare-exchange.
template <class T>
inline constexpr bool sorts_by_network = std::is_integral_v<T>;

/// Up to this many elements, partitioning does not pay.
template <class Tuning, class T>
inline constexpr std::size_t few_limit =
    sorts_by_network<T> ? (std::min)(Tuning::network_limit, Tuning::insertion_limit) : Tuning::insertion_limit;

template <class Tuning, class T, class Less>
void sort_few(T* first, std::size_t n, Less& less) {
  static_assert(Tuning::network_limit <= network_table::limit);
  if (n < 2) return;
  if constexpr (sorts_by_network<T>) {
    if (n <= Tuning::network_limit) return host::network_sort(first, n, less);
    // The network sorts the longest prefix it can; insertion sort adds the few elements behind it.
    host::network_sort(first, Tuning::network_limit, less);
    host::insertion_sort(first, n, less, Tuning::network_limit);
  } else {
    host::merge_sort_few<Tuning::insertion_limit>(first, n, less);
  }
}

/// Sorts first[0, n). `word` is the random word for the choice of pivots. Heap sort takes over after `bad_allowed` bad
/// partitions. Unless `leftmost`, no element of the range goes before first[-1].
template <class Tuning, class T, class Less>
void introsort_loop(T* first, std::size_t n, Less& less, std::uint64_t word, unsigned bad_allowed, bool leftmost) {
  while (n > few_limit<Tuning, T>) {
    if (bad_allowed == 0) return host::heap_sort(first, n, less);
    host::choose_pivot<Tuning>(first, n, word, less);
    if (!leftmost && !less(static_cast<const T&>(first[-1]), static_cast<const T&>(*first))) {
      // The pivot is equivalent to the element before the range, hence a minimum: its equals are in place.
      const std::size_t equal =
          1 + host::partition_around_first(first, n,
                                           [&](const T& x, const T& pivot) GPUPAR_INLINE { return !less(pivot, x); });
      if (equal < n / 8) --bad_allowed;
      first += equal;
      n -= equal;
      continue;
    }
    const std::size_t left = host::partition_around_first(
        first, n, [&](const T& x, const T& pivot) GPUPAR_INLINE -> bool { return less(x, pivot); });
    const std::size_t right = n - left - 1;
    if (left < n / 8 || right < n / 8) --bad_allowed;
    // Recursion into the shorter side bounds the stack by log2(n) frames.
    if (left < right) {
      host::introsort_loop<Tuning>(first, left, less, word, bad_allowed, leftmost);
      first += left + 1;
      n = right;
      leftmost = false;
    } else {
      host::introsort_loop<Tuning>(first + (left + 1), right, less, word, bad_allowed, false);
      n = left;
    }
  }
  host::sort_few<Tuning>(first, n, less);
}

/// Sorts first[0, n) in place on the calling thread; not stable. O(n log n) comparisons in the worst case, O(log n)
/// stack. If `less` throws, the range holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Less>
void introsort(T* first, std::size_t n, Less& less) {
  host::introsort_loop<Tuning>(first, n, less, detail::process_sample_key().second,
                               static_cast<unsigned>(std::bit_width(n)), true);
}

}  // namespace gpu::inline v1::detail::host
