// How the host sorts keys of several parts: by their codes, 64 bits at a time, and finally by comparison if the codes
// do not determine the whole order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "../boundary/dispatch.hpp"
#include "../host/introsort.hpp"
#include "../host/orders.hpp"

namespace gpu::inline v1::detail {

/// Calls use(coded_elements) for the elements behind `first`.
template <class Iterator, class Compare, class Projection, class Use>
void with_coded_elements(const Iterator& first, const Compare& compare, const Projection& projection, const Use& use) {
  using T = compared_element<Iterator>;
  using order = ordering<T, Compare, Projection>;
  constexpr code_extent extent = order::traits::extent;
  constexpr bool is_bounded = extent.whole && !extent.text;
  const auto rewrite = [&](uint128* entries, std::size_t n, std::size_t skip) {
    Projection projected = projection;
    bool is_cut = false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto index = static_cast<std::uint64_t>(entries[i]);
      const T& element = *detail::advanced(first, static_cast<std::size_t>(index));
      code_writer<std::uint64_t, true> writer{skip};
      operand<typename order::projected> key = detail::call(projected, element);
      order::traits::write(writer, compare, key);
      entries[i] = uint128{writer.code()} << 64 | index;
      is_cut |= writer.is_cut();
    }
    return is_cut;
  };
  const element_less<T, Compare, Projection> less{compare, projection};
  const auto goes_before = [&](std::size_t i, std::size_t j) {
    return less(*detail::advanced(first, i), *detail::advanced(first, j));
  };
  const auto sort = [&](uint128* entries, std::size_t n) {
    if constexpr (!order::traits::extent.whole)  // otherwise codes leave few elements to compare
      if (n < host::default_tuning::parallel_grain) {
        const auto is_before = [&](uint128 a, uint128 b) {
          const auto i = static_cast<std::uint64_t>(a), j = static_cast<std::uint64_t>(b);
          return goes_before(i, j) || (i < j && !goes_before(j, i));
        };
        return host::introsort(entries, n, is_before);
      }
    host::sort_entries(entries, n, goes_before);
  };
  use(host::coded_elements{is_bounded ? extent.bits : (std::numeric_limits<std::size_t>::max)(), extent.whole, rewrite,
                           sort});
}

}  // namespace gpu::inline v1::detail
