// Mistakes in merges.
#pragma once

#include <ranges>
#include <type_traits>

#include "misuse.hpp"

namespace gpu::inline v1::detail {

struct misuse_of_merge {
  template <class First, class Second, class Third, class Fourth, class Fifth, class Sixth, class Seventh, class Eighth,
            class...>
  static constexpr auto find() {
    if constexpr (beginnings_and_ends<First, Second, Third, Fourth>) {
      using a = std::decay_t<First>;
      using b = std::decay_t<Third>;
      return first_mistake<mistake_of_end<a, Second>, mistake_of_end<b, Fourth>, mistake_of_access<a, b>,
                           mistake_of_output<Fifth, a, b>, mistake_of_order_between<a, b, Sixth, Seventh, Eighth>>{};
    } else if constexpr (std::ranges::range<First> && std::ranges::range<Second>) {
      using a = std::ranges::iterator_t<First>;
      using b = std::ranges::iterator_t<Second>;
      return first_mistake<mistake_of_access<a, b>, mistake_of_output<Third, a, b>,
                           mistake_of_order_between<a, b, Fourth, Fifth, Sixth>>{};
    } else {
      return misuse::none{};
    }
  }
};

struct misuse_of_merge_by_key {
  template <class First, class Second, class Third, class Fourth, class Fifth, class Sixth, class Seventh, class Eighth,
            class Ninth, class Tenth>
  static constexpr auto find() {
    if constexpr (beginnings_and_ends<First, Second, Third, Fourth>) {
      using a = std::decay_t<First>;
      using b = std::decay_t<Third>;
      using a_values = std::decay_t<Fifth>;
      using b_values = std::decay_t<Sixth>;
      return first_mistake<mistake_of_end<a, Second>, mistake_of_end<b, Fourth>,
                           mistake_of_access<a, b, a_values, b_values>, mistake_of_output<Seventh, a, b>,
                           mistake_of_output<Eighth, a_values, b_values>,
                           mistake_of_order_between<a, b, Ninth, Tenth, Tenth>>{};
    } else {
      return unless<!std::ranges::range<First>, misuse::merge_by_key_takes_iterators_and_no_ranges>{};
    }
  }
};

struct misuse_of_multiway_merge {
  template <class Ranges, class Output, class Compare, class Projection, class...>
  static constexpr auto find() {
    if constexpr (!std::ranges::range<Ranges>) {
      return misuse::none{};
    } else if constexpr (!range_of_lasting_ranges<Ranges>) {
      return misuse::a_range_of_random_access_ranges_is_needed{};
    } else {
      using iterator = std::ranges::iterator_t<std::remove_reference_t<std::ranges::range_reference_t<Ranges>>>;
      using output = std::decay_t<Output>;
      return first_mistake<mistake_of_output<Output, iterator>,
                           unless<written_anywhere_v<output> || filled_from_copy_of<output, iterator>,
                                  misuse::the_output_must_be_an_iterator_that_takes_the_elements>,
                           mistake_of_order<false, iterator, Compare, Projection>>{};
    }
  }
};

}  // namespace gpu::inline v1::detail
