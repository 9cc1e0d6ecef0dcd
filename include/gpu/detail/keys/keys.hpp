// Keys as arguments of calls, either behind one iterator or as rows of several columns (key_rows.hpp), and the common
// base of calls on keys.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include "../calls/sort.hpp"

namespace gpu::inline v1::detail {

/// Whether kernels can move the elements behind this iterator.
template <class Iterator>
inline constexpr bool is_column_v = false;
template <class Iterator>
  requires is_contiguous_v<Iterator>
inline constexpr bool is_column_v<Iterator> = is_bytewise_v<std::iter_value_t<Iterator>>;

template <class Iterator>
column as_column(const Iterator& first) {
  using T = std::iter_value_t<Iterator>;
  return {const_cast<std::remove_const_t<T>*>(detail::address_of(first)), sizeof(T)};
}

template <class Iterator>
location locate_iterator(const Iterator& first) {
  if constexpr (is_contiguous_v<Iterator>)
    return detail::locate(detail::address_of(first));
  else
    return {};
}

/// Whether the keys themselves can be sorted: strings that are returned by value, anew each time, can only be compared.
template <class Keys, class Compare, class Projection>
inline constexpr bool keys_are_at_hand_v =
    !ordering<compared_element<Keys>, Compare, Projection>::textual || orders_texts_v<Keys, Compare, Projection>;

inline namespace GPUPAR_UNIT {

/// The device way of a call on several ranges: kernels need all of them contiguous and trivially copyable.
template <class Keys, class Compare, class Projection, placement Where, class... Others>
constexpr device_way way_of_columns() {
  using T = compared_element<Keys>;
  constexpr device_way way = detail::way_of<T, Compare, Projection, Where>();
  if constexpr (is_column_v<Keys> && (is_column_v<Others> && ...))
    return way;
  else if constexpr ((ordering<T, Compare, Projection>::natural || ordering<T, Compare, Projection>::led ||
                      orders_texts_v<Keys, Compare, Projection>) &&
                     Where != placement::host_only)
    return device_way::keys_by_index;
  else
    return device_way::none;
}

/// Keys behind one iterator and their order. Has the same interface as rows of several columns (key_rows.hpp).
template <class Keys, class Compare, class Projection>
struct single_keys {
  using row = compared_element<Keys>;
  using compare_type = Compare;
  using projection_type = Projection;
  static constexpr bool are_rows = false;
  static constexpr std::size_t columns = 1;
  template <placement Where, class... Others>
  static constexpr device_way way = detail::way_of_columns<Keys, Compare, Projection, Where, Others...>();
  template <placement Where, residence Memory>
  static constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;

  const Keys& rows;
  const Compare& less;
  const Projection& projection;

  /// Calls work(iterator...) with the iterators of all columns.
  template <class Work>
  decltype(auto) with_columns(const Work& work) const {
    return work(rows);
  }
  /// The keys for kernels; columns after the first would be written to the argument.
  [[nodiscard]] keyed_elements elements(column*) const {
    return detail::keyed(detail::address_of(rows), less, projection);
  }
  void complete(workload& work) const {
    work.element_bytes = sizeof(std::iter_value_t<Keys>);
    work.key_is_element = detail::are_keys<row>(less, projection);
    if constexpr (!keys_are_at_hand_v<Keys, Compare, Projection>) work.key = {};
  }
};

template <class Keys, class Compare, class Projection>
single_keys(const Keys&, const Compare&, const Projection&) -> single_keys<Keys, Compare, Projection>;

/// Base of calls on keys, either single ones or rows of several columns.
template <class Terms, class Rows, class... Others>
struct call_on_keys : Terms {
  using T = typename Rows::row;
  using Compare = typename Rows::compare_type;
  using Projection = typename Rows::projection_type;
  static constexpr device_way way = Rows::template way<Terms::where, Others...>;
  static constexpr bool host_serves = Rows::template host_serves<Terms::where, Terms::memory>;
  /// Whether the device may determine an order that the host then applies: for elements that kernels cannot move, and
  /// for rows that are not in device memory.
  static constexpr bool may_go_by_order =
      way == device_way::keys_by_index || (way == device_way::precompiled && Rows::are_rows);

  Rows keys;
  std::size_t count;

  [[nodiscard]] static bool goes_by_order(const location& at) {
    return way == device_way::keys_by_index || (Rows::are_rows && host_reaches(at));
  }
  void require_memory() const {
    keys.with_columns([&](const auto&... columns) { (detail::require_memory_of(columns, count), ...); });
  }
  /// The locations of the key columns, followed by those of the others.
  template <class... Iterators>
  [[nodiscard]] auto locations_with(const Iterators&... others) const {
    return keys.with_columns([&](const auto&... columns) {
      return std::array{detail::locate_iterator(columns)..., detail::locate_iterator(others)...};
    });
  }
  [[nodiscard]] workload describe_keys(operation what, const location& at) const {
    auto work = detail::describe<call_on_keys, T, Compare, Projection>(what, at, count);
    if (way == device_way::precompiled && goes_by_order(at)) work.way = device_way::keys_by_index;
    keys.complete(work);
    return work;
  }
  /// The sorting permutation of the keys, determined by the device for the host.
  template <bool Stable>
  [[nodiscard]] host::permutation order_by_device(algorithm how, const execution_options& options) const {
    return detail::order_by_keys_on_device<Stable>(keys.rows, count, keys.less, keys.projection, how, options);
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
