// The indices of the first k elements in stable order, on the host; the elements are not moved. An element of a sample
// almost surely bounds the first k from above; all threads collect the indices of the elements that do not go behind
// it, and these few are sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../boundary/dispatch.hpp"
#include "../config.hpp"
#include "../sample_key.hpp"
#include "first_few.hpp"
#include "parallel.hpp"
#include "selection.hpp"
#include "sort.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Orders indices by their elements and those of equivalent elements by index, so that every sort of them is stable.
template <class Iterator, class Less>
struct compare_indices {
  const Iterator& first;
  Less& less;

  template <class Index>
  bool operator()(Index i, Index j) const {
    if (less(*detail::advanced(first, i), *detail::advanced(first, j))) return true;
    return i < j && !less(*detail::advanced(first, j), *detail::advanced(first, i));
  }
};

/// A copy of an element and its index.
template <class T, class Index>
struct indexed_element {
  T element;
  Index index;
};

template <class Less>
struct compare_indexed {
  Less& less;

  template <class T, class Index>
  bool operator()(const indexed_element<T, Index>& a, const indexed_element<T, Index>& b) const {
    if (less(a.element, b.element)) return true;
    return a.index < b.index && !less(b.element, a.element);
  }
};

/// Puts the first k of these indices in order; compares copies of the elements if these are trivially copyable.
template <class Tuning, class Iterator, class Index, class Less>
void order_indices(const Iterator& first, std::vector<Index>& indices, std::size_t k, Less& less) {
  using T = std::iter_value_t<Iterator>;
  if constexpr (is_contiguous_v<Iterator> && compact<T> && std::is_trivially_copyable_v<T>) {
    const T* const elements = detail::address_of(first);
    std::vector<indexed_element<T, Index>> candidates;
    candidates.reserve(indices.size());
    for (const Index index : indices) candidates.push_back({elements[index], index});
    host::partial_sort<Tuning>(candidates.data(), candidates.size(), k, compare_indexed<Less>{less});
    std::transform(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(k), indices.begin(),
                   [](const auto& candidate) { return candidate.index; });
  } else {
    host::partial_sort<Tuning>(indices.data(), indices.size(), k, compare_indices<Iterator, Less>{first, less});
  }
}

/// The indices, in ascending order, of all elements that do not go behind the one at `bound`.
template <class Tuning, class Index, class Iterator, class Less>
std::vector<Index> indices_up_to(const Iterator& first, std::size_t n, std::size_t bound, Less& less) {
  const partition_of parts = host::divide_to_scan<Tuning, Iterator>(n);
  std::vector<std::vector<Index>> taken(parts.count);
  host::for_each_index(parts.count, [&](std::size_t part) {
    std::vector<Index> own;
    const auto& last = *detail::advanced(first, bound);
    host::take_some(
        first, parts.begin(part), parts.end(part), [&](const auto& x) -> bool { return !less(last, x); },
        [&own](std::size_t i) { return own.push_back(static_cast<Index>(i)), true; });
    taken[part] = std::move(own);
  });
  std::vector<Index> all = std::move(taken.front());
  for (std::size_t part = 1; part < parts.count; ++part) all.insert(all.end(), taken[part].begin(), taken[part].end());
  return all;
}

/// 0, 1, 2 … n - 1
template <class Tuning, class Index>
std::vector<Index> all_indices(std::size_t n) {
  std::vector<Index> all(n);
  host::for_each_part<Tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) all[i] = static_cast<Index>(i);
  });
  return all;
}

/// Indices that include those of the first k: those of the elements up to an element of a sample, or of all elements if
/// no sample bounds them.
template <class Tuning, class Index, class Iterator, class Less>
std::vector<Index> candidate_indices(const Iterator& first, std::size_t n, std::size_t k, Less& less) {
  // A larger sample takes longer to sort, but leaves fewer candidates.
  const std::size_t size = std::clamp<std::size_t>(host::root_of(n) + k / 32, 64, 4096);
  const auto expected =
      static_cast<std::size_t>(static_cast<double>(k) / static_cast<double>(n) * static_cast<double>(size));
  std::size_t rank = expected + 4 * host::root_of(expected) + 4;
  if (n <= Tuning::piece || rank >= size / 2) return host::all_indices<Tuning, Index>(n);
  const std::uint64_t word = detail::process_sample_key().second;
  std::vector<Index> sample(size);
  for (std::size_t i = 0; i < size; ++i) sample[i] = static_cast<Index>(detail::random_position(word, n, i, n));
  host::order_indices<Tuning>(first, sample, size, less);
  for (; rank < size; rank *= 4) {
    auto indices = host::indices_up_to<Tuning, Index>(first, n, sample[rank], less);
    if (indices.size() >= k) return indices;
  }
  return host::all_indices<Tuning, Index>(n);
}

/// The indices of the first k of [first, first + n) in stable order, k <= n. `less` compares elements, and may be
/// called from several threads at once. The indices are distinct whatever it returns. Scratch for somewhat more than k
/// indices; for n indices where k is a large part of n.
template <class Index, class Tuning = default_tuning, class Iterator, class Less>
std::vector<Index> first_order(const Iterator& first, std::size_t n, std::size_t k, Less&& less) {
  auto indices = host::candidate_indices<Tuning, Index>(first, n, k, less);
  host::order_indices<Tuning>(first, indices, k, less);
  indices.resize(k);
  return indices;
}

}  // namespace gpu::inline v1::detail::host
