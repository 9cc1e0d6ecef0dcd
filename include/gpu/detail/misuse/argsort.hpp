// Mistakes in calls that write or read indices: argsort, gather, permute.
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "key_columns.hpp"

namespace gpu::inline v1::detail {

/// The mistake in indices that are only read, if any.
template <class Indices>
constexpr auto find_in_indices() {
  if constexpr (random_access_range<Indices>)
    return unless<readable_indices<Indices>, misuse::indices_must_be_integers_of_32_or_64_bits>{};
  else
    return misuse::none{};
}

struct misuse_of_argsort {
  template <class First, class Second, class Third, class Fourth, class Fifth, class...>
  static constexpr auto find() {
    using keys = std::decay_t<First>;
    if constexpr (is_column_tuple_v<std::remove_cvref_t<First>>) {
      using mistake = decltype(detail::find_in_key_columns<false, First, Second, Third>());
      using indices = std::conditional_t<are_directions_v<std::remove_cvref_t<Second>>, Third, Second>;
      if constexpr (std::is_same_v<mistake, misuse::none>)
        return mistake_of_indices<indices>{};
      else
        return mistake{};
    } else if constexpr (are_directions_v<std::remove_cvref_t<Second>>) {
      return misuse::directions_are_for_key_columns_in_a_tuple_as_of_std_tie{};
    } else if constexpr (beginning_and_end_beside_columns<First, Second>) {
      return first_mistake<mistake_of_end<keys, Second>, mistake_of_access<keys>,
                           decltype(find_in_rest<keys, Third, Fourth, Fifth>())>{};
    } else if constexpr (std::ranges::range<First>) {
      using iterator = std::ranges::iterator_t<First>;
      return first_mistake<mistake_of_access<iterator>, decltype(find_in_rest<iterator, Second, Third, Fourth>())>{};
    } else {
      return misuse::none{};
    }
  }

 private:
  template <class Indices>
  using mistake_of_indices =
      first_mistake<mistake_of_device_elements<std::decay_t<Indices>>,
                    unless<!sequence<Indices> || index_range<Indices> || index_output<Indices, std::size_t>,
                           misuse::indices_must_be_writable_integers_of_32_or_64_bits>>;

  /// The mistake in the optional indices, comparator and projection.
  template <class Keys, class First, class Second, class Third>
  static constexpr auto find_in_rest() {
    if constexpr (sequence<First>)
      return first_mistake<mistake_of_indices<First>, mistake_of_order<false, Keys, Second, Third>>{};
    else
      return mistake_of_order<false, Keys, First, Second>{};
  }
};

struct misuse_of_gather {
  template <class First, class... Others>
  static constexpr auto find() {
    return first_mistake<unless<random_access_range<First>, misuse::elements_need_random_access_iterators>,
                         decltype(detail::find_in_indices<First>()), decltype(find_in_pairs<Others...>())>{};
  }

 private:
  template <class Source, class Target, class... Others>
  static constexpr auto find_in_pairs() {
    using mistake = misuse::sources_must_be_followed_by_targets_that_take_their_elements;
    if constexpr (std::is_same_v<Source, misuse::none> && std::is_same_v<Target, misuse::none>)
      return misuse::none{};
    else if constexpr (!copied_from<Target, Source>)
      return mistake{};
    else if constexpr (sizeof...(Others) >= 2)
      return find_in_pairs<Others...>();
    else
      return misuse::none{};
  }
};

struct misuse_of_permute {
  template <class First, class... Columns>
  static constexpr auto find() {
    return first_mistake<unless<random_access_range<First>, misuse::elements_need_random_access_iterators>,
                         decltype(detail::find_in_indices<First>()),
                         unless<((rearrangeable_range<Columns> || std::is_same_v<Columns, misuse::none>) && ...),
                                misuse::elements_are_const_or_cannot_be_moved>>{};
  }
};

}  // namespace gpu::inline v1::detail
