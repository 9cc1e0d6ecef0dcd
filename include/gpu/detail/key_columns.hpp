// Keys in several columns between the public functions and the backends: sorts, permutations and checks of rows by what
// stands in all of them.
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "by_key.hpp"
#include "host/sorted.hpp"
#include "key_rows.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// Calls work(key_rows, count) with the rows of a tuple of ranges; refuses ranges of different lengths.
template <class Directions, class Keys, class Work>
decltype(auto) with_rows(const Keys& keys, const Work& work) {
  return std::apply(
      [&](auto&... columns) {
        const std::array counts{detail::size_of(columns)...};
        for (const std::size_t count : counts)
          if (count != counts[0])
            refuse(static_cast<int>(errc::invalid_range), "key columns have different lengths: make them equal");
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

inline namespace GPUPAR_UNIT {

/// How rows get sorted on the device by this unit: where they are if kernels reach them, else by codes and indices.
template <class Rows, placement Where, class... Others>
constexpr device_way way_of_rows() {
  if constexpr (Where == placement::host_only)
    return device_way::none;
  else if constexpr (Rows::in_columns && (is_column_v<Others> && ...))
    return device_way::precompiled;
  else
    return Rows::order::natural || Rows::order::led ? device_way::keys_by_index : device_way::none;
}

template <device_way Way, residence Memory, class Rows>
workload describe_rows(operation what, const location& at, std::size_t count) {
  using compare = typename Rows::compare;
  auto work = detail::describe<Way, Memory, typename Rows::row, compare, std::identity>(what, at, count);
  if (Way == device_way::precompiled && host_reaches(at) && what != operation::sorted_prefix)
    work.way = device_way::keys_by_index;
  work.element_bytes = Rows::bytes;
  work.key_is_element = false;
  return work;
}

/// Sorts key columns and value columns by the rows of the key columns.
template <bool Stable, residence Memory, placement Where, class Rows, class... Values>
void sort_rows(const execution_options& options, const Rows& keys, std::size_t count, const Values&... values) {
  using row = typename Rows::row;
  using compare = typename Rows::compare;
  constexpr device_way way = detail::way_of_rows<Rows, Where, Values...>();
  detail::require_way<way, Where, Memory>();
  keys.require_memory(count);
  (detail::require_memory_of(values, count), ...);
  if (count < 2) return;

  const location at = keys.place(values...);
  auto work = detail::describe_rows<way, Memory, Rows>(Stable ? operation::stable_sort_by_key : operation::sort_by_key,
                                                       at, count);
  work.value_columns = sizeof...(Values);
  work.value_bytes = (std::size_t{0} + ... + sizeof(std::iter_value_t<Values>));
  plan decided = detail::decide(work, options);
  constexpr bool host_serves = host_may_serve<Where, Memory>;
  const auto permute = [&](const auto& order) {
    keys.with_columns(
        [&](const auto&... columns) { host::permute_columns(count, order.data(), columns..., values...); });
  };
  const auto by_index = [&] {
    if constexpr (way == device_way::none)
      return false;
    else {
      detail::announce(work, decided, [&](plan& told) {
        told.scratch_bytes = detail::order_scratch_bytes<Stable, row, compare, std::identity>(count, told.how);
      });
      return detail::with_index(count, [&]<class Index>(Index) {
        std::optional<host::buffer<Index>> order;
        const auto find = [&] {
          order.emplace(detail::order_by_keys_on_device<Stable, Index>(keys.rows, count, keys.less, std::identity{},
                                                                       decided.how, options));
        };
        if (!detail::attempt<host_serves>(at, find)) return false;
        permute(*order);
        return true;
      });
    }
  };
  const auto in_columns = [&] {
    if constexpr (way == device_way::precompiled) {
      std::vector<column> all;
      keyed_elements elements = keys.elements(all);
      elements.more = nullptr;
      (all.push_back(detail::as_column(values)), ...);
      std::vector<location> places{detail::locate(elements.data)};
      for (const column& each : all) places.push_back(detail::locate(each.data));
      const sort_request request{elements, count, all.data(), all.size(), Stable, decided.how, places.data()};
      detail::announce(work, decided, [&](plan& told) { told.scratch_bytes = device_sort_scratch_bytes(request); });
      device_sort(request, options);
    }
  };
  if (decided.where == backend::device) {
    if (work.way == device_way::keys_by_index ? by_index() : detail::attempt<host_serves>(at, in_columns)) return;
    decided.how = detail::take_over(work, options);
  }
  if constexpr (host_serves) {
    if (decided.where == backend::host) detail::announce(work, decided);
    detail::with_index(count, [&]<class Index>(Index) {
      permute(detail::order_on_host<Stable, Index>(keys.rows, count, keys.less, std::identity{}, decided.how));
    });
  }
}

/// Writes the stable sorting permutation of rows to contiguous unsigned indices.
template <residence Memory, placement Where, class Index, class Rows>
void order_rows(const execution_options& options, const Rows& keys, std::size_t count, Index* indices) {
  constexpr device_way way = detail::way_of_rows<Rows, Where>();
  detail::require_way<way, Where, Memory>();
  keys.require_memory(count);
  detail::require_memory(indices, count);
  if (count == 0) return;

  const location at = keys.place(indices);
  auto work = detail::describe_rows<way, Memory, Rows>(operation::argsort, at, count);
  work.value_columns = 1;
  work.value_bytes = sizeof(Index);
  plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  constexpr bool host_serves = host_may_serve<Where, Memory>;
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled) {
      if (work.way == device_way::precompiled) {
        std::vector<column> more;
        const keyed_elements elements = keys.elements(more);
        const std::array places{detail::locate(elements.data), detail::locate(indices)};
        return detail::device_argsort({elements, count, {indices, sizeof(Index)}, true, decided.how, places.data()},
                                      options);
      }
    }
    if constexpr (way != device_way::none) {
      const auto order = detail::order_by_keys_on_device<true, Index>(keys.rows, count, keys.less, std::identity{},
                                                                      decided.how, options);
      std::copy_n(order.data(), count, indices);
    }
  };
  if (decided.where == backend::device) {
    if (detail::attempt<host_serves>(at, on_device)) return;
    decided.how = detail::take_over(work, options);
  }
  if constexpr (host_serves) {
    const auto order = detail::order_on_host<true, Index>(keys.rows, count, keys.less, std::identity{}, decided.how);
    std::copy_n(order.data(), count, indices);
  }
}

/// The length of the longest sorted prefix of rows.
template <residence Memory, placement Where, class Rows>
std::size_t sorted_rows(const execution_options& options, const Rows& keys, std::size_t count) {
  constexpr device_way way = detail::way_of_rows<Rows, Where>();
  detail::require_way<way, Where, Memory>();
  keys.require_memory(count);
  if (count < 2) return count;
  auto work = detail::describe_rows<way, Memory, Rows>(operation::sorted_prefix, keys.place(), count);
  if (way == device_way::keys_by_index) work.way = device_way::none;
  const plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  if constexpr (way == device_way::precompiled)
    if (decided.where == backend::device) {
      std::vector<column> more;
      const keyed_elements elements = keys.elements(more);
      return detail::device_sorted_prefix(elements, count, options);
    }
  using row = typename Rows::row;
  if constexpr (host_may_serve<Where, Memory>)
    return host::sorted_until(keys.rows, count,
                              element_less<row, typename Rows::compare, std::identity>{keys.less, {}});
  else
    refuse_device_callable();
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
