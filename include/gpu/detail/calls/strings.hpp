// Sorting by strings, between the public functions and the backends: characters are compared where they are, without
// copying.
#pragma once

#include <iterator>
#include <type_traits>
#include <vector>

#include "../boundary/dispatch.hpp"
#include "../boundary/texts.hpp"
#include "../host/permutation.hpp"

namespace gpu::inline v1::detail {

/// Whether the order is by strings that remain valid while they are compared, which those returned by proxies may not.
template <class Iterator, class Compare, class Projection>
inline constexpr bool orders_texts_v = ordering<std::iter_value_t<Iterator>, Compare, Projection>::textual &&
                                       std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>;

/// The permutation that sorts [first, first + count) by strings. The elements are not moved. Strings that a projection
/// creates are created once.
template <bool Stable, class Compare, class Iterator, class Projection>
host::permutation order_by_texts(const Iterator& first, std::size_t count, Projection projection, algorithm how,
                                 backend where, const execution_options& options) {
  using T = std::iter_value_t<Iterator>;
  using result = std::invoke_result_t<Projection&, T&>;
  constexpr bool is_new = !outlives_call_v<result>;
  std::vector<std::conditional_t<is_new, std::remove_cvref_t<result>, char>> made(is_new ? count : 0);
  host::buffer<text> texts{count};
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T& element = *detail::advanced(first, i);
      if constexpr (is_new)
        texts[i] = detail::text_of(made[i] = detail::call(projection, element));
      else
        texts[i] = detail::text_of(detail::call(projection, element));
    }
  });
  host::permutation order{count};
  constexpr bool descending = ordering<std::iter_value_t<Iterator>, Compare, Projection>::format.descending;
  detail::argsort_texts({texts.data(), count, order.indices(), descending, Stable, how, where}, options);
  return order;
}

}  // namespace gpu::inline v1::detail
