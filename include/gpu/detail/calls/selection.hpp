// Selections, between the public functions and the backends: the n-th element, and the first k, in place or written to
// an output.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "../host/first_order.hpp"
#include "../host/selection.hpp"
#include "../keys/keys.hpp"
#include "gather.hpp"
#include "outputs.hpp"
#include "sort.hpp"
#if defined(__CUDACC__)
#include "../device/rows/bring_forward.cuh"
#include "../device/rows/selected_elements.cuh"
#endif

namespace gpu::inline v1::detail {

/// The default order of calls that select the greatest elements.
template <class Elements>
using default_greater =
    std::conditional_t<std::is_same_v<default_less<Elements>, std::ranges::less>, std::ranges::greater, std::greater<>>;

/// Refuses to select more elements than there are.
inline void require_selectable(const char* call, std::size_t selected, std::size_t count) {
  if (selected <= count) return;
  const std::string words = std::string{call} + " is asked for " + std::to_string(selected) + " of " +
                            std::to_string(count) + " elements: ask for at most as many as there are";
  refuse(errc::invalid_range, words.c_str());
}

/// Whether so many elements are selected that, for natural keys, sorting all of them is fastest.
constexpr bool sorts_all(std::size_t count, std::size_t selected) { return selected >= count / 8; }

/// Up to this many elements, a selection on the host takes less time than making a plan.
inline constexpr std::size_t selected_at_once = 256;

/// Calls use(indices) with the indices of the first `selected` elements, at least one, in stable order.
template <class Iterator, class Compare, class Projection, class Use>
void with_first_order_on_host(const Iterator& first, std::size_t count, std::size_t selected, const Compare& compare,
                              const Projection& projection, const Use& use) {
  using T = compared_element<Iterator>;
  using order_type = ordering<T, Compare, Projection>;
  const element_less<T, Compare, Projection> less{compare, projection};
  std::array<std::uint64_t, host::most_inserted> few;
  if (host::find_few(first, count, selected, less, few.data())) return use(host::index_view{few.data()});
  if constexpr (order_type::natural || orders_texts_v<Iterator, Compare, Projection>)
    if (detail::sorts_all(count, selected))
      return use(detail::order_on_host<true>(first, count, compare, projection, algorithm::radix).view());
  detail::with_index(count, [&]<class Index>(Index) {
    use(host::index_view{host::first_order<Index>(first, count, selected, less).data()});
  });
}

/// A column that a selection writes in addition to the indices: rows of an input to an output.
template <class From, class To>
struct selected_column {
  From from;
  To to;
};
template <class From, class To>
selected_column(From, To) -> selected_column<From, To>;

/// Whether kernels can copy elements from one to the other.
template <class From, class To>
inline constexpr bool copies_bytes_v =
    is_column_v<From> && is_column_v<To> && std::is_same_v<std::iter_value_t<From>, std::iter_value_t<To>>;

inline namespace GPUPAR_UNIT {

/// Passed as indices if none are wanted.
inline constexpr std::uint32_t* no_indices = nullptr;

/// The device way of a selection, for which kernels must be able to access all inputs and outputs.
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

/// Writes the first `selected` of `count` elements as described by the columns, and their indices to `indices` unless
/// that is null.
template <class Terms, class Keys, class Compare, class Projection, class Index, class... Columns>
struct select_call : Terms {
  using T = compared_element<Keys>;
  static constexpr device_way way = way_of_selection<Keys, Compare, Projection, Terms::where, Columns...>;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;

  operation what;
  single_keys<Keys, Compare, Projection> keys;
  std::size_t count;
  std::size_t selected;
  Index* indices;
  std::tuple<Columns...> columns;

  select_call(Terms, operation given_what, const single_keys<Keys, Compare, Projection>& given_keys,
              std::size_t given_count, std::size_t given_selected, Index* given_indices,
              const Columns&... given_columns)
      : what{given_what},
        keys{given_keys},
        count{given_count},
        selected{given_selected},
        indices{given_indices},
        columns{given_columns...} {}

  [[nodiscard]] bool done_at_once(const execution_options& options) const {
    detail::require_memory_of(keys.rows, count);
    detail::with_all(columns, [&](const auto&... all) {
      (detail::require_disjoint(all.from, count, all.to, selected, selection_overlaps), ...);
    });
    if (sizeof...(Columns) == 0) detail::require_disjoint(keys.rows, count, indices, selected, selection_overlaps);
    if (selected == 0) return true;
    if constexpr (host_serves && Terms::where != placement::device_only)
      if (count <= selected_at_once && detail::needs_no_plan(locations(), options)) return on_host({}, options), true;
    return false;
  }
  [[nodiscard]] auto locations() const {
    return detail::with_all(columns, [&](const auto&... all) {
      return std::array{detail::locate_iterator(keys.rows), detail::locate_iterator(all.from)...,
                        detail::locate_iterator(all.to)..., detail::locate(indices)};
    });
  }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = detail::describe<select_call, T, Compare, Projection>(what, at, count);
    work.selected = selected;
    keys.complete(work);
    return work;
  }
  void on_device(algorithm how, const location* locations, const execution_options& options) const {
    if constexpr (way == device_way::keys_by_index)
      return write(
          detail::order_by_keys_on_device<true>(keys.rows, count, keys.less, keys.projection, how, options).view());
    constexpr std::size_t location_count = 2 + 2 * sizeof...(Columns);
    if (way == device_way::instantiated && host_reaches(ruling_location({locations, location_count})))
      detail::with_all(columns, [&](const auto&... all) {
        detail::require_within_limit(count * (sizeof(T) + ... + sizeof(std::iter_value_t<decltype(all.from)>)),
                                     options);
      });
    if constexpr (way == device_way::precompiled || way == device_way::instantiated)
      detail::with_all(columns, [&](const auto&... all) {
        const std::array<column, sizeof...(Columns)> inputs{detail::as_column(all.from)...};
        const std::array<column, sizeof...(Columns)> outputs{detail::as_column(all.to)...};
        select(inputs, outputs, locations, options);
      });
    (void)how;
  }
  void on_host(algorithm, const execution_options&) const {
    detail::with_first_order_on_host(keys.rows, count, selected, keys.less, keys.projection,
                                     [this](const host::index_view& order) { write(order); });
  }

 private:
  /// Writes rows and their indices according to an order of the elements.
  void write(const host::index_view& order) const {
    if (indices != nullptr) host::copy_indices(order, selected, indices);
    const auto source = [&](std::size_t i) { return order[i]; };
    detail::with_all(columns,
                     [&](const auto&... all) { (detail::copy_in_order(all.from, all.to, source, selected), ...); });
  }
  template <class All>
  void select(const All& inputs, const All& outputs, const location* locations,
              const execution_options& options) const {
    if constexpr (way == device_way::precompiled)
      detail::device_select({keys.elements(nullptr),
                             count,
                             selected,
                             inputs.data(),
                             outputs.data(),
                             inputs.size(),
                             {indices, sizeof(Index)},
                             locations},
                            options);
#if defined(__CUDACC__)
    else
      device::select_elements(options, detail::address_of(keys.rows), count, selected,
                              device::compare_elements<T, Compare, Projection>{keys.less, keys.projection},
                              inputs.data(), outputs.data(), inputs.size(), indices);
#endif
    (void)locations;
  }
};

/// nth_element and partial_sort on the host.
template <class T, class Compare, class Projection>
void partition_on_host(T* data, std::size_t count, std::size_t selected, bool sorted, const Compare& compare,
                       const Projection& projection) {
  const element_less<T, Compare, Projection> less{compare, projection};
  if (!sorted) return host::nth_element(data, count, selected - 1, less);
  if (host::sort_few_forward(data, count, selected, less)) return;
  if constexpr (ordering<T, Compare, Projection>::natural || ordering<T, Compare, Projection>::textual) {
    if (selected < count) host::nth_element(data, count, selected - 1, less);
    detail::sort_on_host<false>(data, selected, compare, projection, algorithm::radix);
  } else {
    host::partial_sort(data, count, selected, less);
  }
}

/// nth_element, or partial_sort if Sorted: moves the first elements, as many as `position` specifies, to the front,
/// sorted or with only the last of them in its sorted position.
template <bool Sorted, class Terms, class Iterator, class Compare, class Projection>
struct partition_call : call_on_elements<Terms, Iterator, Compare, Projection> {
  using base = call_on_elements<Terms, Iterator, Compare, Projection>;
  using base::elements, base::count, base::compare, base::projection;
  using typename base::T;
  static constexpr device_way way = detail::way_of<T, Compare, Projection, Terms::where>();

  std::size_t position;
  std::size_t selected;  ///< count only if Sorted, or if the last element is wanted

  partition_call(Terms, const Iterator& given_first, std::size_t given_position, std::size_t given_count,
                 const Compare& given_compare, const Projection& given_projection)
      : base{{}, given_first, given_count, given_compare, given_projection},
        position{given_position},
        selected{Sorted                          ? given_position
                 : given_position == given_count ? 0
                                                 : given_position + 1} {}

  [[nodiscard]] bool done_at_once(const execution_options& options) const {
    detail::require_selectable(Sorted ? "partial_sort" : "nth_element", position, count);
    detail::require_memory(elements.data(), count);
    if (count < 2 || selected == 0) return true;
    if constexpr (base::host_serves && Terms::where != placement::device_only)
      if (count <= selected_at_once && detail::needs_no_plan(this->locations(), options))
        return on_host({}, options), true;
    return false;
  }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = detail::describe<partition_call, T, Compare, Projection>(
        Sorted ? operation::partial_sort : operation::nth_element, at, count);
    work.selected = selected;
    return work;
  }
  void on_device(algorithm how, const location* at, const execution_options& options) const {
    if constexpr (way == device_way::keys_by_index)
      host::permute_columns(
          count,
          detail::order_by_keys_on_device<false>(elements.data(), count, compare, projection, how, options).view(),
          elements.data());
    if constexpr (way == device_way::precompiled) {
      if (host_reaches(*at)) detail::require_within_limit(count * sizeof(T), options);
      const keyed_elements keys = detail::keyed(elements.data(), compare, projection);
      if (selected == count && Sorted)
        detail::device_sort({keys, count, nullptr, 0, false, how, at}, options);
      else
        detail::device_partition({keys, count, selected, Sorted, *at}, options);
    }
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      device::sort_front<Terms::memory != residence::device>(
          options, elements.data(), count, selected, Sorted,
          device::compare_elements<T, Compare, Projection>{compare, projection}, how);
#endif
    (void)how, (void)at, (void)options;
  }
  void on_host(algorithm, const execution_options&) const {
    detail::partition_on_host(elements.data(), count, selected, Sorted, compare, projection);
  }
};
template <class... Arguments>
using nth_element_call = partition_call<false, Arguments...>;
template <class... Arguments>
using partial_sort_call = partition_call<true, Arguments...>;

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
