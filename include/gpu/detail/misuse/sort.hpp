// Mistakes in sorts, sorts by key, and calls that only examine an order.
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "key_columns.hpp"

namespace gpu::inline v1::detail {

template <bool Writes>
struct misuse_of_sort {
  template <class First, class Second, class Third, class Fourth, class...>
  static constexpr auto find() {
    if constexpr (!Writes && is_column_tuple_v<std::remove_cvref_t<First>>) {
      return detail::find_in_key_columns<Writes, First, Second, Third>();
    } else if constexpr (is_column_tuple_v<std::remove_cvref_t<First>>) {
      return misuse::several_key_columns_are_sorted_by_sort_by_key{};
    } else if constexpr (are_directions_v<std::remove_cvref_t<Second>>) {
      return misuse::directions_are_for_key_columns_in_a_tuple_as_of_std_tie{};
    } else if constexpr (beginning_and_end<First, Second>) {
      using iterator = std::decay_t<First>;
      return first_mistake<mistake_of_end<iterator, Second>, mistake_of_order<Writes, iterator, Third, Fourth>>{};
    } else if constexpr (std::ranges::range<First>) {
      return mistake_of_order<Writes, std::ranges::iterator_t<First>, Second, Third>{};
    } else {
      return misuse::none{};
    }
  }
};

/// The mistake in `Columns` value columns and the order that follows them.
template <class Keys, std::size_t Columns, class... Arguments>
constexpr auto find_in_value_columns() {
  using compare = typename argument_or<Columns, misuse::none, Arguments...>::type;
  using projection = typename argument_or<Columns + 1, misuse::none, Arguments...>::type;
  using mistake = first_mistake<unless<Columns != 0, misuse::a_value_column_is_needed_after_the_keys>,
                                mistake_of_order<true, Keys, compare, projection>>;
  if constexpr (std::is_same_v<mistake, misuse::none>)
    return mistake{};
  else
    return first_mistake<mistake_of_device_elements<compare>,
                         unless<!sequence<compare>, misuse::a_value_column_is_const_or_has_no_random_access>,
                         mistake>{};
}

/// The mistakes in value columns after a range of keys.
struct misuse_of_value_columns {
  template <class Keys, class... Others>
  static constexpr auto find() {
    using arguments = ranges_and_order<Others...>;
    return detail::find_in_value_columns<std::ranges::iterator_t<Keys>, arguments::columns, Others...>();
  }
};

struct misuse_of_sort_by_key {
  template <class First, class Second, class... Others>
  static constexpr auto find() {
    if constexpr (is_column_tuple_v<std::remove_cvref_t<First>>) {
      using mistake = decltype(detail::find_in_key_columns<true, First, Second, Others...>());
      using values = misuse::a_value_column_is_const_or_has_no_random_access;
      if constexpr (!std::is_same_v<mistake, misuse::none>)
        return mistake{};
      else
        return unless < (is_value_column<Second> || are_directions_v<std::remove_cvref_t<Second>>) &&
                   (is_value_column<Others> && ...),
               values > {};
    } else if constexpr (are_directions_v<std::remove_cvref_t<Second>>) {
      return misuse::directions_are_for_key_columns_in_a_tuple_as_of_std_tie{};
    } else if constexpr (beginning_and_end_beside_columns<First, Second>) {
      using keys = std::decay_t<First>;
      using arguments = iterators_and_order<std::decay_t<Others>...>;
      return first_mistake<mistake_of_end<keys, Second>,
                           decltype(detail::find_in_value_columns<keys, arguments::columns, Others...>())>{};
    } else if constexpr (std::ranges::range<First>) {
      return misuse_of_value_columns::find<First, Second, Others...>();
    } else {
      return misuse::none{};
    }
  }

 private:
  template <class Argument>
  static constexpr bool is_value_column = rearrangeable_range<Argument> || std::is_same_v<Argument, misuse::none>;
};

}  // namespace gpu::inline v1::detail
