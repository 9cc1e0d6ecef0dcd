// Mistakes in calls on a range with a position in it.
#pragma once

#include <concepts>
#include <ranges>
#include <type_traits>

#include "misuse.hpp"

namespace gpu::inline v1::detail {

struct misuse_of_range_with_position {
  template <class First, class Second, class Third, class Fourth, class Fifth, class...>
  static constexpr auto find() {
    using mistake_of_middle = misuse::the_middle_is_of_another_range;
    if constexpr (beginning_and_end<First, Third>) {
      using iterator = std::decay_t<First>;
      return first_mistake<mistake_of_end<iterator, Third>,
                           unless<std::is_same_v<std::decay_t<Second>, iterator>, mistake_of_middle>,
                           mistake_of_order<true, iterator, Fourth, Fifth>>{};
    } else if constexpr (std::ranges::range<First>) {
      using iterator = std::ranges::iterator_t<First>;
      return first_mistake<unless<std::convertible_to<Second, iterator>, mistake_of_middle>,
                           mistake_of_order<true, iterator, Third, Fourth>>{};
    } else {
      return misuse::none{};
    }
  }
};

}  // namespace gpu::inline v1::detail
