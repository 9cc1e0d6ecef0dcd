// The rows of several key columns: to the host tuples of references, ordered as by() orders, to kernels the columns.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "by_key.hpp"
#include "order_by.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

template <std::size_t Index>
struct column_element {
  template <class Row>
  GPUPAR_INLINE constexpr decltype(auto) operator()(const Row& row) const {
    return std::get<Index>(row);
  }
};

/// An order, and among its equivalents that of the columns from one on.
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

/// What stands at an index in a column: a reference, or a value where a proxy stands for it.
template <class Iterator>
using column_reference =
    std::conditional_t<std::is_lvalue_reference_v<std::iter_reference_t<plain_iterator_t<Iterator>>>,
                       std::iter_reference_t<plain_iterator_t<Iterator>>, std::iter_value_t<Iterator>>;

/// Rows of key columns, to be read.
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

/// Where the numbers of key columns are: in every row of column i, what traits of its type and direction say.
template <class Directions, class... Keys>
struct column_parts;
template <class... Compares, class... Keys>
struct column_parts<column_directions<Compares...>, Keys...> {
  template <class Key, class Compare>
  using traits = order_traits<Key, Compare>;

  /// Whether kernels can read them all.
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

/// All that is known of rows of these columns in these directions.
template <class Directions, class... Columns>
struct key_rows {
  using iterator = row_iterator<Columns...>;
  using compare = typename order_of_rows<Directions>::type;
  using row = compared_element<iterator>;
  using order = ordering<row, compare, std::identity>;
  using parts = column_parts<Directions, std::iter_value_t<Columns>...>;
  static constexpr bool in_columns = (is_column_v<Columns> && ...) && order::compound && [] {
    if constexpr ((is_column_v<Columns> && ...))
      return parts::possible;
    else
      return false;
  }();
  static constexpr std::size_t bytes = (sizeof(std::iter_value_t<Columns>) + ...);

  iterator rows;
  compare less = order_of_rows<Directions>::make();

  explicit key_rows(Columns... columns) : rows{std::move(columns)...} {}

  template <class Work>
  decltype(auto) with_columns(const Work& work) const {
    return std::apply(work, rows.columns());
  }

  /// The columns for kernels; `more` keeps those behind the first.
  [[nodiscard]] keyed_elements elements(std::vector<column>& more) const {
    with_columns([&](const auto&... columns) { more = {detail::as_column(columns)...}; });
    keyed_elements made{more[0].data, more[0].element_bytes, 0, order::format, parts::describe()};
    more.erase(more.begin());
    made.more = more.data();
    return made;
  }

  void require_memory(std::size_t count) const {
    with_columns([&](const auto&... columns) { (detail::require_memory_of(columns, count), ...); });
  }

  /// Where the columns are, and others.
  template <class... Others>
  [[nodiscard]] location place(const Others&... others) const {
    return with_columns([&](const auto&... columns) {
      const std::array places{detail::locate_iterator(columns)..., detail::locate_iterator(others)...};
      return detail::ruling_location(places);
    });
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace gpu
