// Selection in place on the host: the n-th element, and the first k in order. All threads partition together around
// elements of a sorted sample, close to the wanted one and almost surely beyond it, until the rest is small enough for
// one thread. Elements are only ever swapped, so a comparator may throw anywhere; every scan is bounded by the range,
// so a comparator may contradict itself. Floyd and Rivest, "Expected time bounds for selection", 1975; partitioning by
// parts whose misplaced elements are then exchanged as in Frias and Petit, "Parallel partition revisited", 2008.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../config.hpp"
#include "../sample_key.hpp"
#include "element.hpp"
#include "first_few.hpp"
#include "introsort.hpp"
#include "parallel.hpp"
#include "sort.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// The square root of n, rounded down. The standard header that has one does not tolerate programs' macros min and max.
constexpr std::size_t root_of(std::size_t n) {
  if (n == 0) return 0;
  std::size_t root = std::size_t{1} << (std::bit_width(n) + 1) / 2;
  while (root > n / root) root = (root + n / root) / 2;
  return root;
}

/// Moves the elements x of [first, last) with goes_left(x, pivot) before the others and returns their number. The pivot
/// is not in the range. `mixed` means that branches on goes_left() are unpredictable, as many elements go either way.
template <class T, class GoesLeft>
std::size_t partition_part(T* first, T* last, const T& pivot, bool mixed, GoesLeft& goes_left) {
  T* left = first;
  const auto exchange_strays = [&](const T& border) GPUPAR_INLINE {
    while (true) {
      while (left != last && goes_left(static_cast<const T&>(*left), border)) ++left;
      while (left != last && !goes_left(static_cast<const T&>(last[-1]), border)) --last;
      if (last - left < 2) return static_cast<std::size_t>(left - first);  // 1 if the comparator contradicts itself
      host::exchange(left++, --last);
    }
  };
  if constexpr (compact<T>) {
    const held<T> copy(__builtin_addressof(pivot));
    if (!mixed) return exchange_strays(copy.value);
    for (T* x = first; x != last; ++x) {
      const bool smaller = goes_left(static_cast<const T&>(*x), copy.value);
      host::exchange(left, x);
      left += smaller;
    }
    return static_cast<std::size_t>(left - first);
  } else {
    return exchange_strays(pivot);
  }
}

/// Stretches of a sequence, whose elements are numbered consecutively.
class stretches {
 public:
  void add(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    begins_.push_back(begin);
    before_.push_back(size_);
    size_ += end - begin;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Calls use(position, count, number) for every contiguous piece of the elements with numbers [from, to).
  template <class Use>
  void for_each(std::size_t from, std::size_t to, const Use& use) const {
    auto stretch = static_cast<std::size_t>(std::upper_bound(before_.begin(), before_.end(), from) - before_.begin());
    for (; from < to; ++stretch) {
      const std::size_t end = (std::min)(to, stretch < before_.size() ? before_[stretch] : size_);
      use(begins_[stretch - 1] + (from - before_[stretch - 1]), end - from, from);
      from = end;
    }
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::size_t> before_;
  std::size_t size_ = 0;
};

/// Moves the elements x of first[1, n) with goes_left(x, *first) before the others, on all threads. Returns their
/// number.
template <class Tuning, class T, class GoesLeft>
std::size_t partition_together(T* first, std::size_t n, bool mixed, GoesLeft goes_left) {
  constexpr std::size_t begin = 1;
  const partition_of parts = host::divide<Tuning>(n - begin);
  std::vector<std::size_t> lefts(parts.count);
  host::for_each_index(parts.count, [&](std::size_t part) {
    GoesLeft own = goes_left;
    lefts[part] =
        host::partition_part(first + begin + parts.begin(part), first + begin + parts.end(part), *first, mixed, own);
  });
  std::size_t left = 0;
  for (const std::size_t count : lefts) left += count;
  stretches strays_left, strays_right;  // elements on the left that belong on the right, and vice versa
  const std::size_t border = begin + left;
  for (std::size_t part = 0; part < parts.count; ++part) {
    const std::size_t from = begin + parts.begin(part), middle = from + lefts[part], to = begin + parts.end(part);
    strays_left.add(middle, (std::min)(to, border));
    strays_right.add((std::max)(from, border), middle);
  }
  const std::size_t strays = (std::min)(strays_left.size(), strays_right.size());
  host::for_each_part<Tuning>(strays, [&](std::size_t from, std::size_t to) {
    strays_left.for_each(from, to, [&](std::size_t position, std::size_t count, std::size_t number) {
      strays_right.for_each(number, number + count, [&](std::size_t other, std::size_t together, std::size_t at) {
        for (std::size_t i = 0; i < together; ++i)
          host::exchange(first + (position + (at - number) + i), first + (other + i));
      });
    });
  });
  return left;
}

/// The part of a sequence that contains the wanted element.
template <class T>
struct search_range {
  T* first;
  std::size_t n;
  std::size_t nth;
  bool found = false;

  /// Excludes the first `count` elements.
  void drop(std::size_t count) {
    first += count;
    n -= count;
    nth -= count;
  }
  /// Narrows the range after a partition that has put first[position] in its final place.
  void split(std::size_t position) {
    if (nth == position)
      found = true;
    else if (nth < position)
      n = position;
    else
      drop(position + 1);
  }
};

/// On the calling thread: puts at first[nth] the element that would be there if first[0, n) were sorted, so that no
/// element before it goes behind it and no element behind it goes before it. O(n) comparisons expected, O(n log n) in
/// the worst case.
template <class Tuning, class T, class Less>
void select_alone(T* first, std::size_t n, std::size_t nth, Less& less) {
  search_range<T> in{first, n, nth};
  const std::uint64_t word = detail::process_sample_key().second;
  unsigned bad_allowed = static_cast<unsigned>(std::bit_width(n));
  bool leftmost = true;
  const auto goes_before = [&](const T& x, const T& pivot) GPUPAR_INLINE -> bool { return less(x, pivot); };
  const auto goes_not_behind = [&](const T& x, const T& pivot) GPUPAR_INLINE -> bool { return !less(pivot, x); };
  while (in.n > Tuning::insertion_limit) {
    if (bad_allowed == 0) return host::heap_sort(in.first, in.n, less);
    host::choose_pivot<Tuning>(in.first, in.n, word, less);
    if (!leftmost && !less(static_cast<const T&>(in.first[-1]), static_cast<const T&>(*in.first))) {
      const std::size_t equal = 1 + host::partition_around_first(in.first, in.n, goes_not_behind);
      if (in.nth < equal) return;
      if (equal < in.n / 8) --bad_allowed;
      in.drop(equal);
      continue;
    }
    const std::size_t left = host::partition_around_first(in.first, in.n, goes_before);
    const std::size_t right = in.n - left - 1;
    if (left < in.n / 8 || right < in.n / 8) --bad_allowed;
    leftmost = leftmost && in.nth < left;
    in.split(left);
    if (in.found) return;
  }
  host::sort_few<Tuning>(in.first, in.n, less);
}

/// Swaps elements from random positions to first[0, size) and sorts them.
template <class Tuning, class T, class Less>
void sample_to_front(T* first, std::size_t n, std::size_t size, Less& less) {
  const std::uint64_t word = detail::process_sample_key().second;
  for (std::size_t i = 0; i < size; ++i)
    host::exchange(first + i, first + (i + detail::random_position(word, n, i, n - i)));
  host::introsort<Tuning>(first, size, less);
}

/// Narrows the range to the elements that go before its first one, are equivalent to it, or go behind it, whichever
/// contain the wanted one.
template <class Tuning, class T, class Before, class Less>
void narrow_by_equals(search_range<T>& in, const Before& before, Less& less) {
  const auto not_behind = [&less](const T& x, const T& pivot) -> bool { return !less(pivot, x); };
  const std::size_t left = host::partition_together<Tuning>(in.first, in.n, true, before);
  host::exchange(in.first, in.first + left);
  if (in.nth < left) return static_cast<void>(in.n = left);
  in.drop(left);
  const std::size_t equal = 1 + host::partition_together<Tuning>(in.first, in.n, true, not_behind);
  if (in.nth < equal)
    in.found = true;
  else
    in.drop(equal);
}

/// The contract of select_alone(), on all threads. Each round draws a sample and partitions around the one of its
/// elements that is expected to leave the fewest: the wanted element is almost surely on the pivot's shorter side, near
/// its end there, so that the next round cuts off the other side.
template <class Tuning, class T, class Less>
void select_together(T* first, std::size_t n, std::size_t nth, Less& less) {
  constexpr int most_rounds = 16;  // a handful suffice, unless `less` is no order
  search_range<T> in{first, n, nth};
  const auto before = [&less](const T& x, const T& pivot) -> bool { return less(x, pivot); };
  for (int round = 0; in.n >= Tuning::parallel_grain; ++round) {
    if (round == most_rounds) return host::sort<Tuning>(in.first, in.n, less);
    const std::size_t size = std::clamp<std::size_t>(in.n / 256, 128, 4096);
    host::sample_to_front<Tuning>(in.first, in.n, size, less);
    const double part = static_cast<double>(in.nth) / static_cast<double>(in.n);
    const auto rank = static_cast<std::size_t>(part * static_cast<double>(size));
    const std::size_t spread =
        3 * host::root_of(static_cast<std::size_t>(part * (1 - part) * static_cast<double>(size))) + 2;
    const std::size_t low = rank > spread ? rank - spread : 0;
    const std::size_t high = (std::min)(rank + spread, size - 1);
    const bool alike = !less(static_cast<const T&>(in.first[low]), static_cast<const T&>(in.first[high]));
    const std::size_t pivot = alike || in.nth < in.n / 2 ? high : low;
    host::exchange(in.first, in.first + pivot);
    if (alike) {
      host::narrow_by_equals<Tuning>(in, before, less);
    } else {
      const bool mixed = pivot > size / 16 && pivot < size - size / 16;
      const std::size_t left = host::partition_together<Tuning>(in.first, in.n, mixed, before);
      host::exchange(in.first, in.first + left);
      in.split(left);
    }
    if (in.found) return;
  }
  host::select_alone<Tuning>(in.first, in.n, in.nth, less);
}

/// The contract of std::nth_element for first[0, n), nth < n; in place, not stable. O(n) comparisons expected on any
/// input, O(n log n) in the worst case; `less` may be called from several threads at once. If `less` throws, or is no
/// strict weak order, first[0, n) holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Less>
void nth_element(T* first, std::size_t n, std::size_t nth, Less&& less) {
  if (n < Tuning::parallel_grain) return host::select_alone<Tuning>(first, n, nth, less);
  host::select_together<Tuning>(first, n, nth, less);
}

/// Moves the first k elements in order of first[0, n), 0 < k <= n, to first[0, k) as a heap with the last of them at
/// the root.
template <class T, class Less>
void heap_select(T* first, std::size_t n, std::size_t k, Less& less) {
  host::make_heap(first, k, less);
  for (std::size_t i = k; i < n; ++i)
    if (less(static_cast<const T&>(first[i]), static_cast<const T&>(*first))) {
      host::exchange(first, first + i);
      host::sift_down(first, 0, k, less);
    }
}

/// Whether k is so small that most other elements need only one comparison, with the last of the first k.
constexpr bool few_to_select(std::size_t n, std::size_t k) { return k <= (n + 15) / 16; }

/// Brings the first k elements in order of first[0, n), 0 < k, to the front, sorted. Returns false, with nothing moved,
/// if finding them by insertion does not pay.
template <class Tuning = default_tuning, class T, class Less>
bool sort_few_forward(T* first, std::size_t n, std::size_t k, Less& less) {
  if (!few_to_select(n, k)) return false;
  std::array<std::size_t, most_inserted> indices;
  if (!host::find_few<Tuning>(first, n, k, less, indices.data())) return false;
  host::bring_forward(first, indices.data(), k);
  return true;
}

/// The contract of std::partial_sort for first[0, n), k <= n; otherwise that of nth_element(). Takes scratch for k
/// elements as sort() does.
template <class Tuning = default_tuning, class T, class Less>
void partial_sort(T* first, std::size_t n, std::size_t k, Less&& less) {
  if (k == 0) return;
  if (k == n) return host::sort<Tuning>(first, n, less);
  if (n >= Tuning::parallel_grain)
    host::select_together<Tuning>(first, n, k - 1, less);
  else if (few_to_select(n, k))
    host::heap_select(first, n, k, less);
  else
    host::select_alone<Tuning>(first, n, k - 1, less);
  host::sort<Tuning>(first, k, less);
}

}  // namespace gpu::inline v1::detail::host
