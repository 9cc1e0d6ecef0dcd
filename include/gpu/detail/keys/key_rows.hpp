// The rows of several key columns: for the host, tuples of references in the order that by() would give; for kernels,
// the columns.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "../arguments/arguments.hpp"
#include "keys.hpp"
#include "order_by.hpp"

namespace gpu::inline v1::detail {

template <std::size_t Index>
struct column_element {
  template <class Row>
  GPUPAR_INLINE constexpr decltype(auto) operator()(const Row& row) const {
    return std::get<Index>(row);
  }
};

/// Extends an order by that of the columns from `Column` on, which decide between equivalent rows.
template <std::size_t Column, class Previous>
constexpr Previous then_by_columns(const Previous& previous) {
  return previous;
}
template <std::size_t Column, class Previous, class Compare, class... Compares>
constexpr auto then_by_columns(const Previous& previous, const Compare& compare, const Compares&... compares) {
  using part = order_part<column_element<Column>, Compare>;
  return detail::then_by_columns<Column + 1>(order_by<Previous, part>{previous, part{{}, compare}}, compares...);
}

/// The order of rows by all columns, each in its direction.
template <class Directions>
struct order_of_rows;
template <class... Compares>
struct order_of_rows<column_directions<Compares...>> {
  static constexpr auto make() { return detail::then_by_columns<0>(no_order{}, Compares{}...); }
  using type = decltype(make());
};

/// The type of the element at an index of a column: a reference, or a value if the iterator returns a proxy.
template <class Iterator>
using column_reference =
    std::conditional_t<std::is_lvalue_reference_v<std::iter_reference_t<plain_iterator_t<Iterator>>>,
                       std::iter_reference_t<plain_iterator_t<Iterator>>, std::iter_value_t<Iterator>>;

/// A read-only iterator over the rows of key columns.
template <class... Iterators>
class row_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = std::tuple<std::iter_value_t<Iterators>...>;
  using reference = std::tuple<column_reference<Iterators>...>;
  using pointer = void;

  row_iterator() = default;
  explicit row_iterator(Iterators... firsts) : firsts_{std::move(firsts)...} {}

  reference operator[](difference_type i) const {
    return std::apply(
        [&](const auto&... first) { return reference{*detail::advanced(first, static_cast<std::size_t>(at_ + i))...}; },
        firsts_);
  }
  reference operator*() const { return (*this)[0]; }
  friend row_iterator operator+(row_iterator it, difference_type n) {
    it.at_ += n;
    return it;
  }

  [[nodiscard]] const std::tuple<Iterators...>& columns() const { return firsts_; }

 private:
  std::tuple<Iterators...> firsts_;
  difference_type at_ = 0;
};

/// Where the numbers of key columns are, in every row of column i, according to the traits of its type and direction.
template <class Directions, class... Keys>
struct column_parts;
template <class... Compares, class... Keys>
struct column_parts<column_directions<Compares...>, Keys...> {
  template <class Key, class Compare>
  using traits = order_traits<Key, Compare>;

  /// Whether kernels can read all of them.
  static constexpr bool possible = ((traits<Keys, Compares>::known && traits<Keys, Compares>::in_place) && ...) &&
                                   (code_extent{} + ... + traits<Keys, Compares>::extent).fits() &&
                                   (std::size_t{0} + ... + traits<Keys, Compares>::parts) <= most_key_parts;

  static key_parts describe() {
    key_parts parts;
    std::uint8_t c = 0;
    const auto add = [&](key_part part) {
      part.column = c;
      parts.add(part);
    };
    ((traits<Keys, Compares>::describe(add, Compares{}, 0), ++c), ...);
    return parts;
  }
};

inline namespace GPUPAR_UNIT {

/// The rows of these columns in these directions.
template <class Directions, class... Columns>
struct key_rows {
  using iterator = row_iterator<Columns...>;
  using compare_type = typename order_of_rows<Directions>::type;
  using projection_type = std::identity;
  using row = compared_element<iterator>;
  using order = ordering<row, compare_type, std::identity>;
  using parts = column_parts<Directions, std::iter_value_t<Columns>...>;
  static constexpr bool are_rows = true;
  static constexpr std::size_t columns = sizeof...(Columns);
  static constexpr bool in_columns = (is_column_v<Columns> && ...) && order::compound && [] {
    if constexpr ((is_column_v<Columns> && ...))
      return parts::possible;
    else
      return false;
  }();
  /// How rows are sorted on the device: in place if kernels can access all columns, otherwise by codes and indices.
  template <placement Where, class... Others>
  static constexpr device_way way = Where == placement::host_only                ? device_way::none
                                    : in_columns && (is_column_v<Others> && ...) ? device_way::precompiled
                                    : order::natural || order::led               ? device_way::keys_by_index
                                                                                 : device_way::none;
  template <placement Where, residence Memory>
  static constexpr bool host_serves = host_may_serve<Where, Memory>;

  iterator rows;
  compare_type less = order_of_rows<Directions>::make();
  projection_type projection = {};

  explicit key_rows(Columns... firsts) : rows{std::move(firsts)...} {}

  template <class Work>
  decltype(auto) with_columns(const Work& work) const {
    return std::apply(work, rows.columns());
  }
  /// The columns for kernels. Those after the first are written to `more`, which must remain valid.
  [[nodiscard]] keyed_elements elements(column* more) const {
    return with_columns([&](const auto& first, const auto&... others) {
      const column elements = detail::as_column(first);
      keyed_elements made{elements.data, elements.element_bytes, 0, order::format, parts::describe()};
      made.more = more;
      ((*more++ = detail::as_column(others)), ...);
      return made;
    });
  }
  void complete(workload& work) const {
    work.element_bytes = (sizeof(std::iter_value_t<Columns>) + ...);
    work.key_is_element = false;
  }
};

}  // namespace GPUPAR_UNIT

/// Calls work(key_rows, count) with the rows of a tuple of ranges; refuses ranges of different lengths.
template <class Directions, class Keys, class Work>
decltype(auto) with_rows(const Keys& keys, const Work& work) {
  return std::apply(
      [&](auto&... columns) {
        const std::array counts{detail::size_of(columns)...};
        for (const std::size_t count : counts)
          if (count != counts[0]) refuse(errc::invalid_range, "key columns have different lengths: make them equal");
        return work(key_rows<Directions, decltype(std::ranges::begin(columns))...>{std::ranges::begin(columns)...},
                    counts[0]);
      },
      keys);
}

template <class Keys, class... Others>
inline constexpr residence residence_of_columns = residence::ask;
template <class... Columns, class... Others>
inline constexpr residence residence_of_columns<std::tuple<Columns...>, Others...> =
    residence_of<Columns..., Others...>;

}  // namespace gpu::inline v1::detail
