// Orders of several keys: "by day, then by price, the greatest first".
#pragma once

#include <functional>
#include <utility>

#include "detail/arguments/arguments.hpp"
#include "detail/keys/order_by.hpp"

namespace gpu::inline v1 {
namespace detail {

struct by_function {
  template <class Projection, class Compare = std::ranges::less>
    requires(!is_direction_v<Projection>)
  [[nodiscard]] constexpr auto operator()(Projection projection, Compare compare = {}) const {
    return order_by<no_order, order_part<Projection, Compare>>(no_order{}, {std::move(projection), std::move(compare)});
  }

  template <class... Compares>
  [[nodiscard]] constexpr column_directions<Compares...> operator()(column_direction<Compares>...) const {
    return {};
  }
};

}  // namespace detail

/// by(projection, compare).then(projection, compare)… -> an order,
/// by(direction, direction, …) -> directions of key columns
/// An order is a comparator: of elements by what the first projection says of them, among equivalent ones by the next,
/// and so on. A projection is a pointer to a data member or anything else that can be called with an element; a
/// comparator is std::ranges::less if left out. Orders are for every call of the library that takes a comparator, and
/// for the standard's. Keys that are numbers, strings, times, or pairs, tuples, arrays and optionals of them are sorted
/// as codes, not by calling the order. Directions are ascending or descending, one for each of the columns of a call
/// that takes several.
inline constexpr detail::by_function by{};

/// What by() takes for a key column whose least element goes first.
inline constexpr detail::column_direction<std::ranges::less> ascending{};

/// What by() takes for a key column whose greatest element goes first.
inline constexpr detail::column_direction<std::ranges::greater> descending{};

}  // namespace gpu::inline v1
