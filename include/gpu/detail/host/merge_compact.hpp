// Merging two sorted sequences of compact elements on one thread, without branches on comparisons. What remains is the
// latency of the loads that depend on a comparison, so several such chains run at once: a merge proceeds from both
// ends, and a long one is first cut in the middle by merge path.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"
#include "../merge_path.hpp"
#include "element.hpp"

namespace gpu::inline v1::detail::host {

/// The unfinished part of a merge: [a, a_end) and [b, b_end) go to [out, out_end).
template <class T>
struct unfinished_merge {
  const T* a;
  const T* a_end;
  const T* b;
  const T* b_end;
  T* out;
  T* out_end;
  std::size_t b_firsts = 0;  ///< taken from the front of b
  std::size_t a_lasts = 0;   ///< taken from the back of a

  unfinished_merge(const T* a_first, std::size_t a_count, const T* b_first, std::size_t b_count, T* to) noexcept
      : a{a_first}, a_end{a + a_count}, b{b_first}, b_end{b + b_count}, out{to}, out_end{out + a_count + b_count} {}

  [[nodiscard]] std::size_t a_count() const noexcept { return static_cast<std::size_t>(a_end - a); }
  [[nodiscard]] std::size_t b_count() const noexcept { return static_cast<std::size_t>(b_end - b); }
  /// The length of the shorter sequence: that many elements can be taken before either sequence runs out.
  [[nodiscard]] std::size_t shorter() const noexcept { return (std::min)(a_count(), b_count()); }

  /// Takes the element that goes first and the element that goes last; `step` is the number of steps since the last
  /// advance(). Of the positions in a and b only one is counted, and the other is computed from it and `step`, which
  /// keeps the dependency chain of a step as short as possible.
  template <class Less>
  GPUPAR_INLINE void take_both_ends(std::size_t step, Less& less) {
    const T* const first_a = a + (step - b_firsts);
    const T* const first_b = b + b_firsts;
    const std::size_t b_is_first = host::choice_of<T>(less(*first_b, *first_a));
    host::relocate(out + step, host::choose(b_is_first, first_b, first_a));
    b_firsts += b_is_first;
    const T* const last_a = a_end - 1 - a_lasts;
    const T* const last_b = b_end - 1 - (step - a_lasts);
    const std::size_t a_is_last = host::choice_of<T>(less(*last_b, *last_a));
    host::relocate(out_end - 1 - step, host::choose(a_is_last, last_a, last_b));
    a_lasts += a_is_last;
  }

  /// Removes what `steps` steps from both ends have taken.
  void advance(std::size_t steps) noexcept {
    a += steps - b_firsts;
    b += b_firsts;
    a_end -= a_lasts;
    b_end -= steps - a_lasts;
    out += steps;
    out_end -= steps;
    b_firsts = a_lasts = 0;
  }

  /// Takes the element that goes first. Neither sequence may be empty.
  template <class Less>
  GPUPAR_INLINE void take_first(Less& less) {
    const std::size_t b_is_first = host::choice_of<T>(less(*b, *a));
    host::relocate(out++, host::choose(b_is_first, b, a));
    b += b_is_first;
    a += 1 - b_is_first;
  }

  /// Takes the next `count` elements of one sequence; `from` is its begin, a or b.
  void copy_firsts(const T*& from, std::size_t count) noexcept {
    host::relocate(out, from, count);
    out += count;
    from += count;
  }
};

/// Merges two sequences of n elements each from both ends: n steps exhaust neither sequence early, and then the two
/// ends meet, if the comparator is consistent. Returns whether they do. If not, the output is unspecified; the input is
/// unchanged.
template <class T, class Less>
bool merge_until_they_meet(const T* a, const T* b, std::size_t n, T* out, Less& less) {
  unfinished_merge<T> rest{a, n, b, n, out};
  for (std::size_t step = 0; step < n; ++step) rest.take_both_ends(step, less);
  return rest.b_firsts == rest.a_lasts;
}

/// Merges two runs whose lengths differ by one from both ends until one element is left in the middle. Returns false,
/// like merge_until_they_meet(), if the comparator is inconsistent.
template <class T, class Less>
[[gnu::noinline]] bool merge_but_one(const T* a, std::size_t a_count, const T* b, std::size_t b_count, T* out,
                                     Less& less) {
  unfinished_merge<T> rest{a, a_count, b, b_count, out};
  const std::size_t steps = (std::min)(a_count, b_count);
  for (std::size_t step = 0; step < steps; ++step) rest.take_both_ends(step, less);
  const std::size_t left_of_a = a_count + rest.b_firsts - rest.a_lasts - steps;
  if (left_of_a > 1) return false;
  host::relocate(out + steps, left_of_a != 0 ? a + (steps - rest.b_firsts) : b + rest.b_firsts);
  return true;
}

/// Completes a merge from both ends. `rest` is passed by value, so that its pointers stay in registers.
template <class T, class Less>
void finish_merge(unfinished_merge<T> rest, Less& less) {
  constexpr std::size_t worth_both_ends = 8;
  for (std::size_t steps; (steps = rest.shorter() / 2) >= worth_both_ends;) {
    for (std::size_t step = 0; step < steps; ++step) rest.take_both_ends(step, less);
    rest.advance(steps);
  }
  while (rest.a != rest.a_end && rest.b != rest.b_end) rest.take_first(less);
  rest.copy_firsts(rest.a, rest.a_count());
  rest.copy_firsts(rest.b, rest.b_count());
}

/// Merges a[0, a_count) and b[0, b_count) to `out`, which overlaps neither; stable. Every element gets there once,
/// whatever the comparator says.
template <class T, class Less>
void merge_compact(const T* a, std::size_t a_count, const T* b, std::size_t b_count, T* out, Less& less) {
  constexpr std::size_t worth_cutting = 512;
  const std::size_t n = a_count + b_count;
  if (n < worth_cutting) {
    if (a_count == b_count && host::merge_until_they_meet(a, b, a_count, out, less)) return;
    const bool by_one = a_count + 1 == b_count || a_count == b_count + 1;
    if (by_one && host::merge_but_one(a, a_count, b, b_count, out, less)) return;
    return host::finish_merge(unfinished_merge<T>{a, a_count, b, b_count, out}, less);
  }
  const std::size_t half = n / 2;
  const std::size_t cut = detail::merge_path<std::size_t>(a, a_count, b, b_count, half, less);
  unfinished_merge<T> lower{a, cut, b, half - cut, out};
  unfinished_merge<T> upper{a + cut, a_count - cut, b + (half - cut), b_count - (half - cut), out + half};
  const std::size_t steps = (std::min)(lower.shorter(), upper.shorter()) / 2;
  for (std::size_t step = 0; step < steps; ++step) {
    lower.take_both_ends(step, less);
    upper.take_both_ends(step, less);
  }
  lower.advance(steps);
  upper.advance(steps);
  host::finish_merge(lower, less);
  host::finish_merge(upper, less);
}

/// Like merge_compact(), with a shortcut for runs that are already in order.
template <class T, class Less>
void merge_runs(const T* a, std::size_t a_count, const T* b, std::size_t b_count, T* out, Less& less) {
  constexpr std::size_t worth_a_look = 64;
  if (a_count >= worth_a_look && b_count != 0 && !less(b[0], a[a_count - 1])) {
    host::relocate(out, a, a_count);
    host::relocate(out + a_count, b, b_count);
    return;
  }
  host::merge_compact(a, a_count, b, b_count, out, less);
}

}  // namespace gpu::inline v1::detail::host
