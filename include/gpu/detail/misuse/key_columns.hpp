// Mistakes in several key columns: std::tie(day, price), and a direction for each.
#pragma once

#include <type_traits>

#include "misuse.hpp"

namespace gpu::inline v1::detail {

/// Whether an argument may follow key columns: directions, columns, indices; or nothing.
template <class Argument>
inline constexpr bool may_follow_key_columns_v =
    std::is_same_v<Argument, misuse::none> || sequence<Argument> || are_directions_v<std::remove_cvref_t<Argument>>;

/// The first mistake in key columns and their directions, which come first among the other arguments.
template <bool Writes, class Keys, class... Arguments>
constexpr auto find_in_key_columns() {
  using keys = std::remove_cvref_t<Keys>;
  using mistake =
      first_mistake<unless<are_key_columns_v<Writes, keys>,
                           misuse::key_columns_must_be_ranges_of_random_access_that_are_there_after_the_call>,
                    unless<columns_compare_v<keys>, misuse::key_columns_have_no_operator_less>,
                    unless<(may_follow_key_columns_v<Arguments> && ...),
                           misuse::key_columns_take_directions_and_neither_comparator_nor_projection>>;
  if constexpr (!std::is_same_v<mistake, misuse::none>)
    return mistake{};
  else
    return unless<directions_and_others<keys, Arguments...>::fit,
                  misuse::there_must_be_one_direction_for_each_key_column>{};
}

}  // namespace gpu::inline v1::detail
