// Selections between the public functions and the backends: the n-th element, and the first k, in place or elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "by_key.hpp"
#include "gather.hpp"
#include "host/first_order.hpp"
#include "host/selection.hpp"
#include "sort.hpp"
#if defined(__CUDACC__)
#include "device/rows/selected_elements.cuh"
#endif

namespace gpu {
inline namespace v1 {
namespace detail {

/// The order without a comparator of calls that select the greatest elements.
template <class Elements>
using default_greater =
    std::conditional_t<std::is_same_v<default_less<Elements>, std::ranges::less>, std::ranges::greater, std::greater<>>;

/// Refuses to select more elements than there are.
inline void require_selectable(const char* call, std::size_t selected, std::size_t count) {
  if (selected <= count) return;
  const std::string words = std::string{call} + " is asked for " + std::to_string(selected) + " of " +
                            std::to_string(count) + " elements: ask for at most as many as there are";
  refuse(static_cast<int>(errc::invalid_range), words.c_str());
}

/// Refuses an output that shares memory with an input of the selection.
template <class Input, class Output>
void require_selected_apart(const Input& input, std::size_t count, const Output& output, std::size_t selected) {
  if constexpr (is_contiguous_v<Input> && is_contiguous_v<Output>) {
    detail::require_memory(detail::address_of(input), count);
    detail::require_memory(detail::address_of(output), selected);
    const auto in = reinterpret_cast<std::uintptr_t>(detail::address_of(input));
    const auto out = reinterpret_cast<std::uintptr_t>(detail::address_of(output));
    if (count > 0 && selected > 0 && in < out + selected * sizeof(std::iter_value_t<Output>) &&
        out < in + count * sizeof(std::iter_value_t<Input>))
      refuse(static_cast<int>(errc::overlapping_ranges),
             "the output of a selection overlaps an input: select into memory of its own, or use gpu::partial_sort");
  }
}

/// So large a part of natural keys is in order soonest when all are.
constexpr bool sorts_all(std::size_t count, std::size_t selected) { return selected >= count / 8; }

/// The places of the first `selected` elements, in stable order.
template <class Index, class Iterator, class Compare, class Projection>
std::vector<Index> first_order_on_host(const Iterator& first, std::size_t count, std::size_t selected,
                                       const Compare& compare, const Projection& projection) {
  using T = compared_element<Iterator>;
  using order_type = ordering<T, Compare, Projection>;
  if constexpr (order_type::natural || orders_texts_v<Iterator, Compare, Projection>)
    if (detail::sorts_all(count, selected)) {
      const auto order = detail::order_on_host<true, Index>(first, count, compare, projection, algorithm::radix);
      return {order.data(), order.data() + selected};
    }
  return host::first_order<Index>(first, count, selected, element_less<T, Compare, Projection>{compare, projection});
}

/// What a selection writes beside the places: rows of an input at an output.
template <class From, class To>
struct selected_column {
  From from;
  To to;
};

/// Whether kernels can bring elements from one to the other.
template <class From, class To>
inline constexpr bool copies_bytes_v =
    is_column_v<From> && is_column_v<To> && std::is_same_v<std::iter_value_t<From>, std::iter_value_t<To>>;

inline namespace GPUPAR_UNIT {

/// Stands for indices where none are wanted.
inline constexpr std::uint32_t* no_indices = nullptr;

/// The device way of a selection, whose inputs and outputs all have to be within the reach of kernels.
template <class Keys, class Compare, class Projection, placement Where, class... Columns>
inline constexpr device_way way_of_selection = [] {
  constexpr device_way way = detail::way_of_columns<Keys, Compare, Projection, Where>();
  if constexpr ((copies_bytes_v<decltype(Columns::from), decltype(Columns::to)> && ...))
    return way;
  else if constexpr (way == device_way::precompiled || way == device_way::keys_by_index)
    return device_way::keys_by_index;
  else
    return device_way::none;
}();

/// Writes what columns say of the first `selected` of `count` elements, and their places to `indices` unless that is
/// null.
template <residence Memory, placement Where, class Keys, class Compare, class Projection, class Index, class... Columns>
void select_first(operation what, const execution_options& options, const Keys& keys, std::size_t count,
                  std::size_t selected, const Compare& compare, const Projection& projection, Index* indices,
                  const Columns&... columns) {
  using T = compared_element<Keys>;
  constexpr device_way way = way_of_selection<Keys, Compare, Projection, Where, Columns...>;
  detail::require_way<way, Where, Memory>();
  if constexpr (is_contiguous_v<Keys>) detail::require_memory(detail::address_of(keys), count);
  (detail::require_selected_apart(columns.from, count, columns.to, selected), ...);
  if (sizeof...(Columns) == 0) detail::require_selected_apart(keys, count, indices, selected);
  if (selected == 0) return;

  const std::array places{detail::locate_iterator(keys), detail::locate_iterator(columns.from)...,
                          detail::locate_iterator(columns.to)..., detail::locate(indices)};
  const location at = detail::ruling_location(places);
  auto work = detail::describe<way, Memory, T, Compare, Projection>(what, at, count);
  work.element_bytes = sizeof(std::iter_value_t<Keys>);
  work.selected = selected;
  if constexpr (!keys_are_at_hand_v<Keys, Compare, Projection>) work.key = {};
  const plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled || way == device_way::instantiated) {
      if (way == device_way::instantiated && host_reaches(at))
        detail::require_within_limit(count * (sizeof(T) + ... + sizeof(std::iter_value_t<decltype(columns.from)>)),
                                     options);
      const std::array<column, sizeof...(Columns)> inputs{detail::as_column(columns.from)...};
      const std::array<column, sizeof...(Columns)> outputs{detail::as_column(columns.to)...};
      if constexpr (way == device_way::precompiled)
        detail::device_select({detail::keyed(detail::address_of(keys), compare, projection),
                               count,
                               selected,
                               inputs.data(),
                               outputs.data(),
                               sizeof...(Columns),
                               {indices, sizeof(Index)},
                               places.data()},
                              options);
#if defined(__CUDACC__)
      else
        device::select_elements(options, detail::address_of(keys), count, selected,
                                device::compare_elements<T, Compare, Projection>{compare, projection}, inputs.data(),
                                outputs.data(), sizeof...(Columns), indices);
#endif
    }
  };
  const auto write = [&](const auto* order) {
    if (indices != nullptr) std::copy_n(order, selected, indices);
    (detail::copy_in_order(columns.from, columns.to, order, selected), ...);
  };
  constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;
  if (decided.where == backend::device) {
    if constexpr (way == device_way::keys_by_index) {
      const bool done = detail::with_index(count, [&]<class Order>(Order) {
        std::optional<host::buffer<Order>> order;
        const auto find_order = [&] {
          order.emplace(detail::order_by_keys_on_device<true, Order>(keys, count, compare, projection,
                                                                     algorithm::quicksort, options));
        };
        if (!detail::attempt<host_serves>(at, find_order)) return false;
        write(order->data());
        return true;
      });
      if (done) return;
    } else if (detail::attempt<host_serves>(at, on_device)) {
      return;
    }
    (void)detail::take_over(work, options);
  }
  if constexpr (host_serves)
    detail::with_index(count, [&]<class Order>(Order) {
      write(detail::first_order_on_host<Order>(keys, count, selected, compare, projection).data());
    });
  else
    refuse_device_callable();
}

/// nth_element and partial_sort on the host.
template <class T, class Compare, class Projection>
void partition_on_host(T* data, std::size_t count, std::size_t selected, bool sorted, const Compare& compare,
                       const Projection& projection) {
  const element_less<T, Compare, Projection> less{compare, projection};
  if (!sorted) return host::nth_element(data, count, selected - 1, less);
  if constexpr (ordering<T, Compare, Projection>::natural || ordering<T, Compare, Projection>::textual) {
    if (selected < count) host::nth_element(data, count, selected - 1, less);
    detail::sort_on_host<false>(data, selected, compare, projection, algorithm::radix);
  } else {
    host::partial_sort(data, count, selected, less);
  }
}

/// Moves the first `selected` of the elements to the front, sorted or with the last of them at its place.
/// 0 < selected <= count; if not sorted, selected may be the whole range only for its last element's sake.
template <residence Memory, placement Where, class T, class Compare, class Projection>
void partition_contiguous(const execution_options& options, T* data, std::size_t count, std::size_t selected,
                          bool sorted, const Compare& compare, const Projection& projection) {
  constexpr device_way way = detail::way_of<T, Compare, Projection, Where>();
  constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;
  detail::require_way<way, Where, Memory>();
  if (count < 2 || selected == 0) return;
  const location at = detail::locate(data);
  auto work = detail::describe<way, Memory, T, Compare, Projection>(
      sorted ? operation::partial_sort : operation::nth_element, at, count);
  work.selected = selected;
  const plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled) {
      if (host_reaches(at)) detail::require_within_limit(count * sizeof(T), options);
      const auto elements = detail::keyed(data, compare, projection);
      if (selected == count && sorted)
        detail::device_sort({elements, count, nullptr, 0, false, algorithm::quicksort, &at}, options);
      else
        detail::device_partition({elements, count, selected, sorted, at}, options);
    }
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated)
      device::sort_elements<false, Memory != residence::device>(
          options, data, count, device::compare_elements<T, Compare, Projection>{compare, projection},
          algorithm::quicksort);
#endif
  };
  if (decided.where == backend::device) {
    if constexpr (way == device_way::keys_by_index) {
      if (detail::permute_by_device<false, host_serves>(at, data, count, compare, projection, algorithm::quicksort,
                                                        options))
        return;
    } else if (detail::attempt<host_serves>(at, on_device)) {
      return;
    }
    (void)detail::take_over(work, options);
  }
  if constexpr (host_serves)
    detail::partition_on_host(data, count, selected, sorted, compare, projection);
  else
    refuse_device_callable();
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
