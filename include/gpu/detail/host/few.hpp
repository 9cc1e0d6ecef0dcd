// Sorting a few elements that are expensive to compare or to move, such as strings and records that own memory. Their
// keys, or the first bytes of strings, are sorted on the stack together with their indices; then every element moves
// once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../boundary/texts.hpp"
#include "../keys/ordering.hpp"
#include "merge_sort.hpp"

namespace gpu::inline v1::detail {

/// Above this many elements, the fixed costs of a sort without these arrays have paid for themselves.
inline constexpr std::size_t most_by_indices = 128;

/// Whether sort_by_indices() can sort elements T in this order, and pays.
template <class T, class Compare, class Projection>
inline constexpr bool sorts_by_indices_v = [] {
  using order = ordering<T, Compare, Projection>;
  return (order::textual || order::led || (order::natural && !std::is_trivially_copyable_v<T>)) &&
         std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
}();

template <class Key>
struct indexed_key {
  Key key;
  std::uint32_t index;
};

/// Permutes first[0, n) along the cycles: element i of the result is the one that was at entries[i].index.
template <class T, class Key>
void follow_indices(T* first, std::size_t n, indexed_key<Key>* entries) noexcept {
  for (std::size_t start = 0; start < n; ++start) {
    std::size_t from = entries[start].index;
    if (from == start) continue;
    T held(std::move(first[start]));  // braces might select an initializer_list constructor
    std::size_t hole = start;
    while (from != start) {
      first[hole] = std::move(first[from]);
      entries[hole].index = static_cast<std::uint32_t>(hole);
      hole = std::exchange(from, entries[from].index);
    }
    first[hole] = std::move(held);
    entries[hole].index = static_cast<std::uint32_t>(hole);
  }
}

/// Sorts first[0, n), n <= most_by_indices; stable. If the projection throws, no element has moved.
template <class T, class Compare, class Projection>
void sort_by_indices(T* first, std::size_t n, const Compare& compare, Projection projection) {
  using order = ordering<T, Compare, Projection>;
  using key = std::conditional_t<order::textual, std::uint64_t, typename order::key>;
  using entry = indexed_key<key>;
  constexpr bool ascending = order::ascending;
  std::array<entry, most_by_indices> entries;
  for (std::size_t i = 0; i < n; ++i) {
    entries[i].index = static_cast<std::uint32_t>(i);
    if constexpr (order::textual)
      entries[i].key = detail::prefix_at(detail::text_of(detail::call(projection, std::as_const(first[i]))), 0);
    else if constexpr (order::single)
      entries[i].key = detail::call(projection, std::as_const(first[i]));
    else
      entries[i].key = order::bits_of(compare, projection, std::as_const(first[i]));
  }
  const element_less<T, Compare, Projection> less{compare, projection};
  auto less_of_entries = [&](const entry& a, const entry& b) -> bool {
    const key& left = ascending ? a.key : b.key;
    const key& right = ascending ? b.key : a.key;
    if constexpr (order::textual || order::led)
      return left != right ? left < right : less(first[a.index], first[b.index]);
    else
      return detail::naturally_less<key>(left, right);
  };
  host::merge_sort_few<most_by_indices>(entries.data(), n, less_of_entries);
  detail::follow_indices(first, n, entries.data());
}

}  // namespace gpu::inline v1::detail
