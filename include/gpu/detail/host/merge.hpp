// Stable merging of two sorted sequences, in parallel by merge path: the path is cut first, then every task merges one
// piece. Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "../config.hpp"
#include "../merge_path.hpp"
#include "buffer.hpp"
#include "element.hpp"
#include "merge_compact.hpp"
#include "parallel.hpp"
#include "permute.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Wraps a random-access iterator so that it can be indexed by std::size_t.
template <class It>
struct indexed {
  It first;
  decltype(auto) operator[](std::size_t i) const { return first[static_cast<std::iter_difference_t<It>>(i)]; }
};

template <class A, class B, class Out, class Less>
void merge_elements(A a, std::size_t a_count, B b, std::size_t b_count, Out out, Less& less) {
  const indexed<A> from_a{a};
  const indexed<B> from_b{b};
  const indexed<Out> to{out};
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a_count && j < b_count) {
    if (less(from_b[j], from_a[i])) {
      to[i + j] = from_b[j];
      ++j;
    } else {
      to[i + j] = from_a[i];
      ++i;
    }
  }
  for (; i < a_count; ++i) to[i + j] = from_a[i];
  for (; j < b_count; ++j) to[i + j] = from_b[j];
}

/// Finds where the beginning of piece `part` of a merge cuts the first sequence: cuts[part] of its elements are among
/// the first parts.begin(part) of the merge.
template <class A, class B, class Less>
void cut_path(A a, std::size_t a_count, B b, std::size_t b_count, partition_of parts, std::size_t part,
              std::size_t* cuts, Less& less) {
  cuts[part] = detail::merge_path<std::size_t>(indexed<A>{a}, a_count, indexed<B>{b}, b_count, parts.begin(part), less);
}

/// Makes cuts[0 .. parts.count] a monotone path, which they already are unless the comparator contradicts itself. Every
/// piece then has elements of its own from both sequences, as many as there is room for in its part of the output.
inline void straighten_path(std::size_t* cuts, std::size_t a_count, partition_of parts) noexcept {
  cuts[0] = 0;
  cuts[parts.count] = a_count;
  for (std::size_t i = 1; i < parts.count; ++i)
    cuts[i] = std::clamp(cuts[i], cuts[i - 1], cuts[i - 1] + (parts.begin(i) - parts.begin(i - 1)));
}

/// Whether the iterators are contiguous, over compact elements of one type.
template <class A, class B, class Out>
inline constexpr bool merges_compact = [] {
  if constexpr (std::contiguous_iterator<A> && std::contiguous_iterator<B> && std::contiguous_iterator<Out>) {
    using T = std::iter_value_t<Out>;
    return std::is_same_v<std::iter_value_t<A>, T> && std::is_same_v<std::iter_value_t<B>, T> && compact<T> &&
           !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<Out>>>;
  } else {
    return false;
  }
}();

template <class A, class B, class Out, class Less>
void merge_piece(A a, std::size_t a_count, B b, std::size_t b_count, Out out, Less& less) {
  if constexpr (merges_compact<A, B, Out>) {
    const auto* const a_first = std::to_address(a);
    const auto* const b_first = std::to_address(b);
    host::merge_compact(a_first, a_count, b_first, b_count, std::to_address(out), less);
  } else {
    host::merge_elements(a, a_count, b, b_count, out, less);
  }
}

/// Merges a[0, a_count) and b[0, b_count), both sorted, to out[0, a_count + b_count), stably like std::merge: equal
/// elements of a come first, and each sequence keeps its order. Random-access iterators, proxies included; the output
/// overlaps neither input. O(a_count + b_count), in parallel; no scratch but the cuts of the pieces.
/// If `less` throws, the output is unspecified. If the inputs are not sorted or `less` is no strict weak order, the
/// output still has every element once.
template <class Tuning = default_tuning, class A, class B, class Out, class Less>
void merge(A a, std::size_t a_count, B b, std::size_t b_count, Out out, Less&& less) {
  const std::size_t n = a_count + b_count;
  const partition_of parts = n < Tuning::pass_grain ? partition_of{n, 1} : host::divide<Tuning>(n);
  if (parts.count == 1) return host::merge_piece(a, a_count, b, b_count, out, less);
  using a_difference = std::iter_difference_t<A>;
  using b_difference = std::iter_difference_t<B>;
  using out_difference = std::iter_difference_t<Out>;
  buffer<std::size_t> cuts(parts.count + 1);
  host::for_each_index(
      parts.count, [&](std::size_t part) { host::cut_path(a, a_count, b, b_count, parts, part, cuts.data(), less); });
  straighten_path(cuts.data(), a_count, parts);
  host::for_each_index(parts.count, [&](std::size_t part) {
    const std::size_t begin = parts.begin(part);
    const std::size_t a_begin = cuts[part];
    const std::size_t a_part = cuts[part + 1] - a_begin;
    const std::size_t b_begin = begin - a_begin;
    host::merge_piece(a + static_cast<a_difference>(a_begin), a_part, b + static_cast<b_difference>(b_begin),
                      parts.end(part) - begin - a_part, out + static_cast<out_difference>(begin), less);
  });
}

/// Merges first[0, middle) and first[middle, n), both sorted, in place; stable. Scratch for n elements or
/// pointers, taken before the first write (std::bad_alloc). If `less` throws, the range is as it was.
template <class Tuning = default_tuning, class T, class Less>
void inplace_merge(T* first, std::size_t middle, std::size_t n, Less&& less) {
  const T* const elements = first;
  if (middle == 0 || middle == n || !less(elements[middle], elements[middle - 1])) return;
  if constexpr (compact<T>) {
    buffer<T> merged(n);
    host::merge<Tuning>(elements, middle, elements + middle, n - middle, merged.data(), less);
    host::parallel_relocate<Tuning>(first, merged.data(), n);
  } else {
    host::sort_through_pointers<Tuning>(first, n, less,
                                        [middle](auto* pointers, std::size_t count, auto& less_of_pointers) {
                                          host::inplace_merge<Tuning>(pointers, middle, count, less_of_pointers);
                                        });
  }
}

}  // namespace gpu::inline v1::detail::host
