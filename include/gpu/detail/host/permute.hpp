// Rearranging a sequence by a list of indices, and sorting through pointers, which is how elements that are large or
// not trivially copyable are sorted. The comparator sees all elements in their old places; they move only afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../arguments/iterator.hpp"
#include "../config.hpp"
#include "buffer.hpp"
#include "parallel.hpp"

namespace gpu::inline v1::detail::host {

/// Swaps two elements, including through proxies without a swap of their own.
template <class It>
void swap_elements(const It& a, const It& b) {
  if constexpr (requires { std::ranges::iter_swap(a, b); }) {
    std::ranges::iter_swap(a, b);
  } else {
    using T = std::iter_value_t<It>;
    T held(std::ranges::iter_move(a));
    *a = T(std::ranges::iter_move(b));
    *b = std::move(held);
  }
}

/// Follows the cycles of the permutation by swaps: for types whose moves may throw. visited[0, n) is scratch.
template <class It, class Order>
void permute_by_swaps(It first, std::size_t n, const Order& order, buffer<unsigned char>& visited) {
  using difference = std::iter_difference_t<It>;
  std::uninitialized_fill_n(visited.data(), n, static_cast<unsigned char>(0));
  for (std::size_t start = 0; start < n; ++start) {
    for (std::size_t i = start; !visited[i];) {
      visited[i] = 1;
      const auto from = static_cast<std::size_t>(order[i]);
      if (from == start) break;
      host::swap_elements(first + static_cast<difference>(i), first + static_cast<difference>(from));
      i = from;
    }
  }
}

/// How many elements ahead permute() prefetches, to hide memory latency.
inline constexpr std::size_t elements_ahead = 16;

/// Prefetches the cache lines of an element; of a large one the first two.
template <class T>
void prefetch(const T* element) {
  const auto* const bytes = reinterpret_cast<const char*>(const_cast<const std::remove_volatile_t<T>*>(element));
  __builtin_prefetch(bytes);
  if constexpr (sizeof(T) > 16) __builtin_prefetch(bytes + (std::min)(sizeof(T), std::size_t{65}) - 1);
}

/// Rearranges first[0, n): element i of the result is the old element order[i]. `order` is a permutation of [0, n).
/// Any random-access iterator, proxies included; elements are moved, never copied. Takes scratch for n elements (n
/// bytes if moving them may throw), or throws std::bad_alloc and leaves the range as it was.
template <class Tuning = default_tuning, class It, class Order>
void permute(It first, std::size_t n, const Order& order) {
  using T = std::iter_value_t<It>;
  using difference = std::iter_difference_t<It>;
  if (n < 2) return;
  const auto source = [order](std::size_t i) { return static_cast<std::size_t>(order[i]); };
  if constexpr (std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>) {
    buffer<T> moved(n);
    host::for_each_part<fetching<Tuning>>(n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if constexpr (std::is_pointer_v<It>) host::prefetch(first + source((std::min)(i + elements_ahead, n - 1)));
        ::new (static_cast<void*>(moved.data() + i))
            T(std::ranges::iter_move(first + static_cast<difference>(source(i))));
      }
    });
    const auto move_back = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        first[static_cast<difference>(i)] = std::move(moved[i]);
        std::destroy_at(moved.data() + i);
      }
    };
    if constexpr (shares_words_v<It>)
      move_back(0, n);
    else
      host::for_each_part<fetching<Tuning>>(n, move_back);
  } else {
    buffer<unsigned char> visited(n);
    host::permute_by_swaps(first, n, order, visited);
  }
}

/// Permutes several ranges by one order, all of them or none: memory for following its cycles, a byte per element, is
/// allocated before the first element moves, and is used for any range that gets no memory for its elements.
template <class Tuning = default_tuning, class Order, class... Its>
void permute_columns(std::size_t n, const Order& order, Its... firsts) {
  buffer<unsigned char> visited(n);
  const auto permute_one = [&](auto first) {
    GPUPAR_TRY { host::permute<Tuning>(first, n, order); }
    GPUPAR_CATCH(const std::bad_alloc&) { host::permute_by_swaps(first, n, order, visited); }
  };
  (permute_one(firsts), ...);
}

/// Compares elements through pointers: one comparator type for all sorts through pointers.
template <class T, class Less>
struct less_of_pointers {
  Less& less;
  bool operator()(const T* a, const T* b) const { return less(*a, *b); }
};

/// The index of the element that belongs at i.
template <class T>
struct index_of_pointer {
  const T* const* pointers;
  const T* first;
  std::size_t operator[](std::size_t i) const { return static_cast<std::size_t>(pointers[i] - first); }
};

/// Sorts an array of pointers to the elements of first[0, n) by sort(pointers, n, less_of_pointers), then puts the
/// elements in that order. If anything throws before this last step, no element has moved.
template <class Tuning, class T, class Less, class Sort>
void sort_through_pointers(T* first, std::size_t n, Less& less, Sort sort) {
  buffer<const T*> pointers(n);
  host::for_each_part<Tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) pointers[i] = first + i;
  });
  less_of_pointers<T, Less> by_target{less};
  sort(pointers.data(), n, by_target);
  host::permute<Tuning>(first, n, index_of_pointer<T>{pointers.data(), first});
}

}  // namespace gpu::inline v1::detail::host
