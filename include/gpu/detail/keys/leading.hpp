// Orders by keys of several parts, on the host: integers of the leading bits of the keys' codes, with indices below,
// are sorted first. What these leave together, of keys that are wider or hold strings, is sorted by the bits that
// follow, and at last, if codes do not tell the whole order, by comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../boundary/dispatch.hpp"
#include "../host/orders.hpp"
#include "../host/parallel.hpp"

namespace gpu::inline v1::detail {

/// The writer, after it has written an element's code.
template <class T, class Writer, class Compare, class Projection>
Writer written(Writer writer, const Compare& compare, Projection& projection, const T& element) {
  using order = ordering<T, Compare, Projection>;
  operand<typename order::projected> key = detail::call(projection, element);
  order::traits::write(writer, compare, key);
  return writer;
}

/// Sorts groups of elements whose codes agree in what has been sorted: host::sort_equal_codes() of the rest.
template <class Iterator, class Compare, class Projection, class... Sorted>
void sort_equal_codes(const Iterator& first, const Compare& compare, const Projection& projection, Sorted&&... sorted) {
  using T = compared_element<Iterator>;
  constexpr code_extent extent = ordering<T, Compare, Projection>::traits::extent;
  constexpr bool is_bounded = extent.whole && !extent.text;
  const auto rewrite = [&](uint128* entries, std::size_t n, std::size_t skip) {
    Projection projected = projection;
    bool is_cut = false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto index = static_cast<std::uint64_t>(entries[i]);
      const T& element = *detail::advanced(first, static_cast<std::size_t>(index));
      const auto writer = detail::written(code_writer<std::uint64_t, true>{skip}, compare, projected, element);
      entries[i] = uint128{writer.code()} << 64 | index;
      is_cut |= writer.is_cut();
    }
    return is_cut;
  };
  const element_less<T, Compare, Projection> less{compare, projection};
  const auto goes_before = [&](std::size_t i, std::size_t j) {
    return less(*detail::advanced(first, i), *detail::advanced(first, j));
  };
  host::sort_equal_codes(
      {is_bounded ? extent.bits : (std::numeric_limits<std::size_t>::max)(), extent.whole, rewrite, goes_before},
      sorted...);
}

/// Indices of [first, first + count), with something above them, in the stable order by a key that becomes a code, or
/// the beginning of one.
template <class Iterator, class Compare, class Projection>
host::code_entries order_by_codes(const Iterator& first, std::size_t count, const Compare& compare,
                                  const Projection& projection, algorithm how) {
  using T = compared_element<Iterator>;
  using order = ordering<T, Compare, Projection>;
  using code = std::conditional_t<sizeof(typename order::key) <= 4, std::uint32_t, std::uint64_t>;
  host::code_entries entries(count, sizeof(code));
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    Projection projected = projection;
    for (std::size_t i = begin; i < end; ++i) {
      const T& element = *detail::advanced(first, i);
      entries.set(i, detail::written(code_writer<code>{}, compare, projected, element).code(), i);
    }
  });
  entries.sort(how);
  if constexpr (order::led || sizeof(typename order::key) > 8)
    detail::sort_equal_codes(first, compare, projection, entries, 8 * sizeof(code));
  return entries;
}

}  // namespace gpu::inline v1::detail
