// Mistakes in calls on segments.
#pragma once

#include <ranges>

#include "../calls/range_of_ranges.hpp"
#include "selection.hpp"
#include "sort.hpp"

namespace gpu::inline v1::detail {

template <class Range>
using mistake_without_offsets = first_mistake<mistake_of_access<std::ranges::iterator_t<Range>>,
                                              misuse::offsets_must_be_a_range_of_integers_of_32_or_64_bits>;

struct misuse_of_segmented_sort {
  template <class First, class Second, class Third, class Fourth, class Fifth, class...>
  static constexpr auto find() {
    if constexpr (!std::ranges::range<First>)
      return misuse::none{};
    else if constexpr (offset_range<Second> && offset_range<Third>)
      return mistake_of_order<true, std::ranges::iterator_t<First>, Fourth, Fifth>{};
    else if constexpr (offset_range<Second>)
      return mistake_of_order<true, std::ranges::iterator_t<First>, Third, Fourth>{};
    else if constexpr (std::ranges::range<Second> || !std::ranges::range<inner_range<First>>)
      return mistake_without_offsets<First>{};
    else
      return first_mistake<unless<random_access_range<First> && random_access_range<inner_range<First>> &&
                                      std::ranges::borrowed_range<inner_range<First>>,
                                  misuse::a_range_of_random_access_ranges_is_needed>,
                           mistake_of_order<true, inner_iterator<First>, Second, Third>>{};
  }
};

/// For calls with offsets after the first range; `Misuse` finds the mistakes in that range and in the arguments after
/// the offsets.
template <class Misuse>
struct misuse_of_segments {
  template <class First, class Second, class... Others>
  static constexpr auto find() {
    if constexpr (!std::ranges::range<First>)
      return misuse::none{};
    else if constexpr (!offset_range<Second>)
      return mistake_without_offsets<First>{};
    else
      return Misuse::template find<First, Others...>();
  }
};

/// For calls with the number of selected elements between the output and the order.
struct misuse_of_selection_of_k {
  template <class Input, class Output, class, class Compare, class Projection, class... Others>
  static constexpr auto find() {
    return misuse_of_selection<false>::template find<Input, Output, Compare, Projection, Others..., misuse::none>();
  }
};

}  // namespace gpu::inline v1::detail
