// The places of the first k elements in stable order, on the host; the elements stay where they are. An element of a
// sample bounds the first k from above, almost surely; all threads keep the places of what does not go behind it, and
// these few are sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../boundary/dispatch.hpp"
#include "../config.hpp"
#include "../sample_key.hpp"
#include "buffer.hpp"
#include "first_few.hpp"
#include "parallel.hpp"
#include "selection.hpp"
#include "sort.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Places by the elements there; of equivalent ones the first goes first, so that every sort of them is stable.
template <class Iterator, class Less>
struct compare_places {
  const Iterator& first;
  Less& less;

  template <class Index>
  bool operator()(Index i, Index j) const {
    if (less(*detail::advanced(first, i), *detail::advanced(first, j))) return true;
    return i < j && !less(*detail::advanced(first, j), *detail::advanced(first, i));
  }
};

/// Calls take(i) for the elements of [begin, end) that do not go behind the one at `bound`.
template <class Iterator, class Less, class Take>
void take_up_to(const Iterator& first, std::size_t begin, std::size_t end, std::size_t bound, Less& less,
                const Take& take) {
  constexpr std::size_t together = 16;  // looked at without a branch each: hardly one in as many is taken
  const auto scan = [&](const auto& elements, const auto& last) {
    std::size_t i = begin;
    for (; i + together <= end; i += together) {
      int any = 0;  // of a type that compilers make vectors of
      for (std::size_t j = 0; j < together; ++j)
        any |= static_cast<int>(!less(last, *detail::advanced(elements, i + j)));
      if (any == 0) continue;
      for (std::size_t j = i; j < i + together; ++j)
        if (!less(last, *detail::advanced(elements, j))) take(j);
    }
    for (; i < end; ++i)
      if (!less(last, *detail::advanced(elements, i))) take(i);
  };
  using T = std::iter_value_t<Iterator>;
  if constexpr (is_contiguous_v<Iterator> && compact<T>) {
    const T* const elements = detail::address_of(first);
    const held<T> copy(elements + bound);  // which nothing that is written can change
    scan(elements, copy.value);
  } else {
    scan(first, *detail::advanced(first, bound));
  }
}

/// The places, in rising order, of all elements that do not go behind the one at `bound`.
template <class Tuning, class Index, class Iterator, class Less>
std::vector<Index> places_up_to(const Iterator& first, std::size_t n, std::size_t bound, Less& less) {
  const partition_of parts = n < Tuning::pass_grain ? partition_of{n, 1} : host::divide<Tuning>(n);
  std::vector<std::vector<Index>> taken(parts.count);
  const auto do_part = [&](std::size_t part) {
    std::vector<Index> own;
    host::take_up_to(first, parts.begin(part), parts.end(part), bound, less,
                     [&own](std::size_t i) { own.push_back(static_cast<Index>(i)); });
    taken[part] = std::move(own);
  };
  if (parts.count == 1)
    do_part(0);
  else
    host::for_each_index(parts.count, do_part);
  std::vector<Index> all = std::move(taken.front());
  for (std::size_t part = 1; part < parts.count; ++part) all.insert(all.end(), taken[part].begin(), taken[part].end());
  return all;
}

/// 0, 1, 2 … n - 1
template <class Tuning, class Index>
std::vector<Index> all_places(std::size_t n) {
  std::vector<Index> all(n);
  host::for_each_part<Tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) all[i] = static_cast<Index>(i);
  });
  return all;
}

/// Places among which the first k are: those up to an element of a sample, of all elements if no sample tells.
template <class Tuning, class Index, class Iterator, class Less>
std::vector<Index> candidate_places(const Iterator& first, std::size_t n, std::size_t k, Less& less) {
  const compare_places<Iterator, Less> before{first, less};
  const std::size_t size = std::clamp<std::size_t>(n / 256, 64, 4096);
  const auto expected =
      static_cast<std::size_t>(static_cast<double>(k) / static_cast<double>(n) * static_cast<double>(size));
  std::size_t rank = expected + 4 * host::root_of(expected) + 4;
  if (n <= Tuning::piece || rank >= size / 2) return host::all_places<Tuning, Index>(n);
  const std::uint64_t word = detail::process_sample_key().second;
  std::vector<Index> sample(size);
  for (std::size_t i = 0; i < size; ++i) sample[i] = static_cast<Index>(detail::random_position(word, n, i, n));
  host::sort<Tuning>(sample.data(), size, before);
  for (; rank < size; rank *= 4) {
    auto places = host::places_up_to<Tuning, Index>(first, n, sample[rank], less);
    if (places.size() >= k) return places;
  }
  return host::all_places<Tuning, Index>(n);
}

/// An element and its place, for elements that are as good as their copies.
template <class T, class Index>
struct placed {
  T element;
  Index place;
};

template <class Less>
struct compare_placed {
  Less& less;

  template <class T, class Index>
  bool operator()(const placed<T, Index>& a, const placed<T, Index>& b) const {
    if (less(a.element, b.element)) return true;
    return a.place < b.place && !less(b.element, a.element);
  }
};

/// The places of the first k, in order, on the calling thread: one comparison does for most of the elements. `at(i)`
/// makes what stands for the element at place i in a heap, by `before`; `goes_before(i, last)`: whether that one goes
/// before `last` of the heap.
template <class Entry, class At, class Before, class GoesBefore>
std::vector<Entry> heap_of_few(std::size_t n, std::size_t k, const At& at, Before& before,
                               const GoesBefore& goes_before) {
  std::vector<Entry> heap;
  heap.reserve(k);
  for (std::size_t i = 0; i < k; ++i) heap.push_back(at(i));
  host::make_heap(heap.data(), k, before);
  for (std::size_t i = k; i < n; ++i)
    if (goes_before(i, heap.front())) {
      heap.front() = at(i);
      host::sift_down(heap.data(), 0, k, before);
    }
  host::heap_sort(heap.data(), k, before);
  return heap;
}

template <class Index, class Iterator, class Less>
std::vector<Index> first_of_few(const Iterator& first, std::size_t n, std::size_t k, Less& less) {
  using T = std::iter_value_t<Iterator>;
  if constexpr (is_contiguous_v<Iterator> && compact<T> && std::is_trivially_copyable_v<T>) {
    using entry = placed<T, Index>;
    const T* const elements = detail::address_of(first);
    compare_placed<Less> before{less};
    const auto heap = host::heap_of_few<entry>(
        n, k, [elements](std::size_t i) { return entry{elements[i], static_cast<Index>(i)}; }, before,
        [elements, &less](std::size_t i, const entry& last) { return less(elements[i], last.element); });
    std::vector<Index> places(k);
    for (std::size_t i = 0; i < k; ++i) places[i] = heap[i].place;
    return places;
  } else {
    compare_places<Iterator, Less> before{first, less};
    return host::heap_of_few<Index>(
        n, k, [](std::size_t i) { return static_cast<Index>(i); }, before,
        [&first, &less](std::size_t i, Index last) {
          return less(*detail::advanced(first, i), *detail::advanced(first, last));
        });
  }
}

/// The places of the first k of [first, first + n) in stable order, k <= n. `less` compares elements, and may be called
/// from several threads at once; whatever it says, the places are different ones. Scratch for the places of k elements
/// and some more; for all where k is a large part of n.
template <class Index, class Tuning = default_tuning, class Iterator, class Less>
std::vector<Index> first_order(const Iterator& first, std::size_t n, std::size_t k, Less&& less) {
  if (k == 0) return {};
  if (k <= most_inserted) {
    std::vector<Index> few(k);
    if (host::find_few<Tuning>(first, n, k, less, few.data())) return few;
  }
  if (n <= Tuning::piece && host::few_to_select(n, k)) return host::first_of_few<Index>(first, n, k, less);
  const compare_places<Iterator, std::remove_reference_t<Less>> before{first, less};
  auto places = host::candidate_places<Tuning, Index>(first, n, k, less);
  host::partial_sort<Tuning>(places.data(), places.size(), k, before);
  places.resize(k);
  return places;
}

}  // namespace gpu::inline v1::detail::host
