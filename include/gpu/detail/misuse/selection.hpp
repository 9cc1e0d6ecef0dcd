// Mistakes in selections.
#pragma once

#include <ranges>
#include <type_traits>

#include "misuse.hpp"

namespace gpu::inline v1::detail {

/// Iterators: whether input and output may be given as beginning and end.
template <bool Iterators>
struct misuse_of_selection {
  template <class First, class Second, class Third, class Fourth, class Fifth, class Sixth, class...>
  static constexpr auto find() {
    if constexpr (Iterators && beginnings_and_ends<First, Second, Third, Fourth>) {
      using input = std::decay_t<First>;
      using output = std::decay_t<Third>;
      return first_mistake<mistake_of_end<input, Second>, mistake_of_end<output, Fourth>, mistake_of_access<input>,
                           mistake_of_output<output, input>, mistake_of_order<false, input, Fifth, Sixth>>{};
    } else if constexpr (std::ranges::range<First>) {
      using input = std::ranges::iterator_t<First>;
      if constexpr (rearrangeable_range<Second>)
        return first_mistake<mistake_of_access<input>, mistake_of_output<std::ranges::iterator_t<Second>, input>,
                             mistake_of_order<false, input, Third, Fourth>>{};
      else
        return misuse::the_output_must_be_a_range_with_random_access_that_takes_the_elements{};
    } else {
      return misuse::none{};
    }
  }
};

struct misuse_of_arg_top_k {
  template <class Keys, class Indices, class Compare, class Projection, class...>
  static constexpr auto find() {
    if constexpr (std::ranges::range<Keys>) {
      using keys = std::ranges::iterator_t<Keys>;
      return first_mistake<mistake_of_access<keys>, mistake_of_device_elements<Indices>,
                           unless<index_range<Indices>, misuse::indices_must_be_writable_integers_of_32_or_64_bits>,
                           mistake_of_order<false, keys, Compare, Projection>>{};
    } else {
      return misuse::none{};
    }
  }
};

struct misuse_of_top_k_by_key {
  template <class Keys, class KeysOut, class Values, class ValuesOut, class Compare, class Projection, class...>
  static constexpr auto find() {
    if constexpr (std::ranges::range<Keys> && std::ranges::range<Values>) {
      using of_keys =
          decltype(misuse_of_selection<false>::template find<Keys, KeysOut, Compare, Projection, int, int>());
      using values = std::ranges::iterator_t<Values>;
      if constexpr (rearrangeable_range<ValuesOut>)
        return first_mistake<of_keys, mistake_of_access<values>,
                             mistake_of_output<std::ranges::iterator_t<ValuesOut>, values>>{};
      else
        return misuse::the_output_must_be_a_range_with_random_access_that_takes_the_elements{};
    } else {
      return misuse::none{};
    }
  }
};

}  // namespace gpu::inline v1::detail
