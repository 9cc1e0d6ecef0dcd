// sort_by_key and argsort between the public functions and the backends. Where keys and values can be reached by
// kernels they are sorted together there; elsewhere a permutation is found and applied on the host.
#pragma once

#include <array>
#include <tuple>

#include "sort.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// Can kernels move the elements behind this iterator?
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

/// Refuses a null pointer with elements where the elements of an iterator lie side by side.
template <class Iterator>
void require_memory_of(const Iterator& first, std::size_t count) {
  if constexpr (is_contiguous_v<Iterator>) detail::require_memory(detail::address_of(first), count);
}

/// The host backend's sort of keys with columns: by the library's own code where it can reach all of them.
template <bool Stable, class Keys, class Compare, class Projection, class... Values>
void sort_columns_on_host(const Keys& keys, std::size_t count, const Compare& compare, const Projection& projection,
                          algorithm how, const Values&... values) {
  using T = compared_element<Keys>;
  using order_type = ordering<T, Compare, Projection>;
  if constexpr (order_type::natural && order_type::key_in_place && is_column_v<Keys> && (is_column_v<Values> && ...)) {
    const std::array<column, sizeof...(Values)> columns{detail::as_column(values)...};
    const keyed_elements elements = detail::keyed(detail::address_of(keys), compare, projection);
    if (elements.parts.count == 0)
      return host::sort_by_keys({elements, count, columns.data(), columns.size(), Stable, how});
  }
  detail::with_index(count, [&]<class Index>(Index) {
    const auto order = detail::order_on_host<Stable, Index>(keys, count, compare, projection, how);
    host::permute_columns(count, order.data(), keys, values...);
  });
}

/// Whether keys are sorted as such: strings that come by value, new each time, can only be compared.
template <class Keys, class Compare, class Projection>
inline constexpr bool keys_are_at_hand_v =
    !ordering<compared_element<Keys>, Compare, Projection>::textual || orders_texts_v<Keys, Compare, Projection>;

/// The device way of a call on several ranges: kernels need all of them contiguous and trivially copyable.
inline namespace GPUPAR_UNIT {
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

template <bool Stable, residence Memory, placement Where, class Keys, class Compare, class Projection, class... Values>
void sort_columns(const execution_options& options, const Keys& keys, std::size_t count, const Compare& compare,
                  const Projection& projection, const Values&... values) {
  using T = compared_element<Keys>;
  constexpr device_way way = detail::way_of_columns<Keys, Compare, Projection, Where, Values...>();
  detail::require_way<way, Where, Memory>();
  detail::require_memory_of(keys, count);
  (detail::require_memory_of(values, count), ...);
  if (count < 2) return;

  const std::array places{detail::locate_iterator(keys), detail::locate_iterator(values)...};
  const location at = detail::ruling_location(places);
  auto work = detail::describe<way, Memory, T, Compare, Projection>(
      Stable ? operation::stable_sort_by_key : operation::sort_by_key, at, count);
  work.element_bytes = sizeof(std::iter_value_t<Keys>);
  work.key_is_element = detail::are_keys<T>(compare, projection);
  work.value_columns = sizeof...(Values);
  if constexpr (!keys_are_at_hand_v<Keys, Compare, Projection>) work.key = {};
  work.value_bytes = (sizeof(std::iter_value_t<Values>) + ...);
  plan decided = detail::decide(work, options);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled || way == device_way::instantiated) {
      const std::array<column, sizeof...(Values)> columns{detail::as_column(values)...};
      if constexpr (way == device_way::precompiled) {
        const sort_request request{detail::keyed(detail::address_of(keys), compare, projection),
                                   count,
                                   columns.data(),
                                   columns.size(),
                                   Stable,
                                   decided.how,
                                   places.data()};
        detail::announce(work, decided, [&](plan& told) { told.scratch_bytes = sort_bytes(request, at, options); });
        device_sort(request, options);
      }
#if defined(__CUDACC__)
      if constexpr (way == device_way::instantiated) {
        detail::announce(work, decided, [&](plan& told) {
          told.scratch_bytes = detail::staging_bytes(at, count * (work.element_bytes + work.value_bytes));
        });
        device::sort_columns<Stable, Memory != residence::device>(
            options, detail::address_of(keys), count,
            device::compare_elements<T, Compare, Projection>{compare, projection}, columns.data(), columns.size(),
            decided.how);
      }
#endif
    }
  };
  constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;
  if (decided.where == backend::device) {
    if constexpr (way == device_way::keys_by_index) {
      detail::announce(work, decided, [&](plan& told) {
        told.scratch_bytes = detail::order_scratch_bytes<Stable, T, Compare, Projection>(count, told.how);
      });
      if (detail::permute_by_device<Stable, host_serves>(at, keys, count, compare, projection, decided.how, options,
                                                         values...))
        return;
    } else if (detail::attempt<host_serves>(at, on_device)) {
      return;
    }
    decided.how = detail::take_over(work, options);
  }
  if constexpr (host_serves) {
    if (decided.where == backend::host) detail::announce(work, decided);
    detail::sort_columns_on_host<Stable>(keys, count, compare, projection, decided.how, values...);
  } else {
    refuse_device_callable();
  }
}

/// Writes the stable sorting permutation of keys to contiguous unsigned indices.
template <residence Memory, placement Where, class Index, class Keys, class Compare, class Projection>
void order_keys(const execution_options& options, const Keys& keys, std::size_t count, const Compare& compare,
                const Projection& projection, Index* indices) {
  using T = compared_element<Keys>;
  constexpr device_way way = detail::way_of_columns<Keys, Compare, Projection, Where>();
  detail::require_way<way, Where, Memory>();
  detail::require_memory_of(keys, count);
  detail::require_memory(indices, count);
  if (count == 0) return;

  const std::array places{detail::locate_iterator(keys), detail::locate(indices)};
  const location at = detail::ruling_location(places);
  auto work = detail::describe<way, Memory, T, Compare, Projection>(operation::argsort, at, count);
  work.element_bytes = sizeof(std::iter_value_t<Keys>);
  work.key_is_element = detail::are_keys<T>(compare, projection);
  work.value_columns = 1;
  work.value_bytes = sizeof(Index);
  if constexpr (!keys_are_at_hand_v<Keys, Compare, Projection>) work.key = {};
  plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled) {
      if (host_reaches(at))
        detail::require_within_limit(
            count * sizeof(T) + detail::order_scratch_bytes<true, T, Compare, Projection>(count, decided.how), options);
      detail::device_argsort({detail::keyed(detail::address_of(keys), compare, projection),
                              count,
                              {indices, sizeof(Index)},
                              true,
                              decided.how,
                              places.data()},
                             options);
    }
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated) {
      using device_less = device::compare_elements<T, Compare, Projection>;
      if (host_reaches(at))
        detail::require_within_limit(device::argsort_bytes<T, device_less, Index>(count, decided.how), options);
      device::argsort_elements(options, detail::address_of(keys), count, device_less{compare, projection}, indices,
                               decided.how);
    }
#endif
    else if constexpr (way == device_way::keys_by_index) {
      const auto order =
          detail::order_by_keys_on_device<true, Index>(keys, count, compare, projection, decided.how, options);
      std::copy_n(order.data(), count, indices);
    }
  };
  constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;
  if (decided.where == backend::device) {
    if (detail::attempt<host_serves>(at, on_device)) return;
    decided.how = detail::take_over(work, options);
  }
  if constexpr (host_serves) {
    const auto order = detail::order_on_host<true, Index>(keys, count, compare, projection, decided.how);
    std::copy_n(order.data(), count, indices);
  } else {
    refuse_device_callable();
  }
}

}  // namespace GPUPAR_UNIT

}  // namespace detail
}  // namespace v1
}  // namespace gpu
