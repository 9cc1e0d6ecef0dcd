// Calls on a range with a position in it, given as three iterators or as a range and an iterator: inplace_merge,
// nth_element, partial_sort.
#pragma once

#include <cstddef>
#include <functional>
#include <ranges>

#include "../arguments/arguments.hpp"
#include "../misuse/range_with_position.hpp"
#include "call.hpp"

namespace gpu::inline v1::detail {
inline namespace GPUPAR_UNIT {

template <template <class...> class Call>
struct range_with_position_function : refuses_misuse<misuse_of_range_with_position> {
  using refuses_misuse<misuse_of_range_with_position>::operator();

  template <execution_policy Policy, rearrangeable Iterator, end_of<Iterator> Sentinel,
            class Compare = default_less<Iterator>, callable_projection<Iterator> Projection = std::identity>
    requires callable_comparator<Compare, Projection, Iterator>
  Iterator operator()(const Policy& policy, Iterator first, Iterator position, Sentinel last, Compare compare = {},
                      Projection projection = {}) const {
    using terms = call_terms<residence_of<Iterator>, Policy::where>;
    const std::size_t count = detail::count_of(first, last);
    detail::run_call(policy, Call<terms, Iterator, Compare, Projection>{
                                 {}, first, detail::count_of(first, position), count, compare, projection});
    return detail::advanced(first, count);
  }

  template <execution_policy Policy, rearrangeable_range Range, class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  std::ranges::borrowed_iterator_t<Range> operator()(const Policy& policy, Range&& range,
                                                     std::ranges::iterator_t<Range> position, Compare compare = {},
                                                     Projection projection = {}) const {
    using terms = call_terms<residence_of<Range>, Policy::where>;
    const auto first = std::ranges::begin(range);
    const std::size_t count = detail::size_of(range);
    detail::run_call(policy, Call<terms, std::ranges::iterator_t<Range>, Compare, Projection>{
                                 {}, first, detail::count_of(first, position), count, compare, projection});
    return detail::advanced(first, count);
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
