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
/// An order is a comparator of elements: by the result of the first projection, among equivalent ones by that of the
/// next, and so on. A projection is a pointer to a data member or anything else that can be called with an element; a
/// comparator is std::ranges::less if omitted. Orders can be passed to every function of the library that takes a
/// comparator, and to those of the standard library. Keys that are numbers, strings, times, or pairs, tuples, arrays
/// and optionals of these are sorted as codes, not by calling the order. Directions are ascending or descending, one
/// for each column of a call that takes several key columns.
inline constexpr detail::by_function by{};

/// Direction of a key column whose least element goes first; an argument of by().
inline constexpr detail::column_direction<std::ranges::less> ascending{};

/// Direction of a key column whose greatest element goes first; an argument of by().
inline constexpr detail::column_direction<std::ranges::greater> descending{};

}  // namespace gpu::inline v1
