// Segmented sorts, between the public functions and the backends.
#pragma once

#include <array>
#include <numeric>
#include <tuple>

#include "by_key.hpp"
#include "located_segments.hpp"
#if defined(__CUDACC__)
#include "../device/segmented/elements.cuh"
#endif

namespace gpu::inline v1::detail {

/// Sorts a segment on the host.
template <bool Stable, class T, class Compare, class Projection>
void sort_segment(T* data, std::size_t count, const Compare& compare, const Projection& projection) {
  using order = ordering<T, Compare, Projection>;
  if (count < 2) return;
  if constexpr (order::natural && host::compact<T>) {
    constexpr std::size_t merged = 128;  // sorts by digits have a higher start-up cost
    if (count <= merged) {
      const element_less<T, Compare, Projection> less{compare, projection};
      if (count > 2) return host::merge_sort_few<merged>(data, count, less);
      const T first = data[0], second = data[1];  // no branch: if all have two elements, half would be mispredicted
      const bool exchanged = less(second, first);
      data[0] = exchanged ? second : first;
      data[1] = exchanged ? first : second;
      return;
    }
  } else if constexpr (host::compact<T> && !order::textual) {
    constexpr std::size_t few = host::default_tuning::insertion_limit;
    if (count <= few) {
      const element_less<T, Compare, Projection> less{compare, projection};
      if constexpr (Stable) return host::merge_sort_few<few>(data, count, less);
      return host::sort_few<host::default_tuning>(data, count, less);
    }
  }
  if constexpr (order::natural || order::textual || order::led) {
    detail::sort_on_host<Stable>(data, count, compare, projection,
                                 order::natural ? algorithm::radix : algorithm::automatic);
  } else {
    host::sort_as<Stable>(data, count, element_less<T, Compare, Projection>{compare, projection});
  }
}

/// Writes the permutation that stably sorts a segment, on the host.
template <class Index, class Keys, class Compare, class Projection>
void order_segment(const Keys& keys, std::size_t count, const Compare& compare, const Projection& projection,
                   Index* indices) {
  using T = compared_element<Keys>;
  constexpr std::size_t few = host::default_tuning::insertion_limit;
  if (count <= few) {
    std::iota(indices, indices + count, Index{0});
    const element_less<T, Compare, Projection> less{compare, projection};
    const auto by_element = [&](Index i, Index j) {
      return less(*detail::advanced(keys, static_cast<std::size_t>(i)),
                  *detail::advanced(keys, static_cast<std::size_t>(j)));
    };
    return host::merge_sort_few<few>(indices, count, by_element);
  }
  constexpr bool by_codes = ordering<T, Compare, Projection>::natural;
  const auto order =
      detail::order_on_host<true>(keys, count, compare, projection, by_codes ? algorithm::radix : algorithm::automatic);
  host::copy_indices(order.view(), count, indices);
}

inline namespace GPUPAR_UNIT {

/// The device way of a segmented call: either kernels can access everything, or there is none.
template <class Keys, class Compare, class Projection, placement Where, class... Others>
constexpr device_way segmented_way() {
  constexpr device_way way = detail::way_of_columns<Keys, Compare, Projection, Where, Others...>();
  return way == device_way::keys_by_index ? device_way::none : way;
}

/// Base of calls on the segments of n elements. Invalid segments are refused if the host may read the bounds.
template <class Terms, class Keys, class Compare, class Projection, class... Others>
struct call_on_segments : Terms {
  using T = compared_element<Keys>;
  static constexpr device_way way = detail::segmented_way<Keys, Compare, Projection, Terms::where, Others...>();
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;

  single_keys<Keys, Compare, Projection> keys;
  std::size_t n;
  const located_segments& segments;

  /// The locations of the keys, of the others, and of the bounds of the segments.
  template <class... Iterators>
  [[nodiscard]] auto locations_with(const Iterators&... others) const {
    return std::array{detail::locate_iterator(keys.rows), detail::locate_iterator(others)..., segments.begins_at,
                      segments.ends_at};
  }
  [[nodiscard]] workload describe_segments(operation what, const location& at) const {
    auto work = detail::describe<call_on_segments, T, Compare, Projection>(what, at, n);
    work.selected = segments.bounds.count;
    keys.complete(work);
    return work;
  }
  [[nodiscard]] segmented_request request(const location* at, bool stable) const {
    segmented_request made{keys.elements(nullptr), n, checked_bounds()};
    made.stable = stable;
    made.at = at;
    return made;
  }
  [[nodiscard]] const segment_bounds& checked_bounds() const {
    if (segments.at_hand()) detail::require_segments(segments.bounds, n);
    return segments.bounds;
  }
  void check_on_host(const execution_options& options) const {
    await_stream(segments.begins_at, options);
    await_stream(segments.ends_at, options);
    detail::require_segments(segments.bounds, n);
  }
};

/// Sorts the segments of keys and the value columns with them.
template <class Terms, class Keys, class Compare, class Projection, class... Values>
struct sort_segments_call : call_on_segments<Terms, Keys, Compare, Projection, Values...> {
  using base = call_on_segments<Terms, Keys, Compare, Projection, Values...>;
  using base::keys, base::n, base::segments, base::way;
  using typename base::T;
  static constexpr bool stable = Terms::stable, keys_alone = sizeof...(Values) == 0;

  std::tuple<Values...> values;

  sort_segments_call(Terms, const single_keys<Keys, Compare, Projection>& given_keys, std::size_t given_n,
                     const located_segments& given_segments, const Values&... given_values)
      : base{{}, given_keys, given_n, given_segments}, values{given_values...} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    detail::require_memory_of(keys.rows, n);
    detail::with_all(values, [&](const auto&... all) { (detail::require_memory_of(all, n), ...); });
    return false;
  }
  [[nodiscard]] auto locations() const {
    return detail::with_all(values, [&](const auto&... all) { return this->locations_with(all...); });
  }
  [[nodiscard]] workload describe(const location& at) const {
    const auto what = keys_alone ? (stable ? operation::segmented_stable_sort : operation::segmented_sort)
                      : stable   ? operation::segmented_stable_sort_by_key
                                 : operation::segmented_sort_by_key;
    auto work = this->describe_segments(what, at);
    work.value_columns = sizeof...(Values);
    work.value_bytes = (std::size_t{0} + ... + sizeof(std::iter_value_t<Values>));
    return work;
  }
  void on_device(algorithm, const location* at, const execution_options& options) const {
    if constexpr (way == device_way::precompiled || way == device_way::instantiated) {
      const auto columns = detail::with_all(
          values, [](const auto&... all) { return std::array<column, sizeof...(Values)>{detail::as_column(all)...}; });
      if constexpr (way == device_way::precompiled) {
        auto request = this->request(at, stable);
        request.values = columns.data();
        request.value_columns = columns.size();
        detail::device_sort_segments(request, options);
      }
#if defined(__CUDACC__)
      else
        device::sort_element_segments(options, detail::address_of(keys.rows), n, this->checked_bounds(),
                                      device::compare_elements<T, Compare, Projection>{keys.less, keys.projection},
                                      columns.data(), columns.size());
#endif
    }
    (void)at, (void)options;
  }
  void on_host(algorithm, const execution_options& options) const {
    this->check_on_host(options);
    constexpr bool shared = shares_words_v<Keys> || (shares_words_v<Values> || ...);
    constexpr auto how = ordering<T, Compare, Projection>::natural ? algorithm::radix : algorithm::automatic;
    detail::visit_each_segment<shared>(segments, n, [&](std::size_t, std::size_t begin, std::size_t count) {
      if constexpr (keys_alone)
        detail::sort_segment<stable>(keys.rows + begin, count, keys.less, keys.projection);
      else if (count > 1)
        detail::with_all(values, [&](const auto&... all) {
          detail::sort_columns_on_host<stable>(detail::advanced(keys.rows, begin), count, keys.less, keys.projection,
                                               how, detail::advanced(all, begin)...);
        });
    });
  }
};

/// Writes the stable sorting permutation of every segment to contiguous unsigned indices.
template <class Terms, class Keys, class Compare, class Projection, class Index>
struct argsort_segments_call : call_on_segments<Terms, Keys, Compare, Projection> {
  using base = call_on_segments<Terms, Keys, Compare, Projection>;
  using base::keys, base::n, base::segments, base::way;
  using typename base::T;

  Index* indices;

  argsort_segments_call(Terms, const single_keys<Keys, Compare, Projection>& given_keys, std::size_t given_n,
                        const located_segments& given_segments, Index* given_indices)
      : base{{}, given_keys, given_n, given_segments}, indices{given_indices} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    detail::require_memory_of(keys.rows, n);
    detail::require_memory(indices, n);
    return false;
  }
  [[nodiscard]] auto locations() const { return this->locations_with(indices); }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = this->describe_segments(operation::segmented_argsort, at);
    work.value_columns = 1;
    work.value_bytes = sizeof(Index);
    return work;
  }
  void on_device(algorithm, const location* at, const execution_options& options) const {
    if constexpr (way == device_way::precompiled) {
      auto request = this->request(at, true);
      request.indices = {indices, sizeof(Index)};
      detail::device_sort_segments(request, options);
    }
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      device::order_element_segments(options, detail::address_of(keys.rows), n, this->checked_bounds(),
                                     device::compare_elements<T, Compare, Projection>{keys.less, keys.projection},
                                     indices);
#endif
    (void)at, (void)options;
  }
  void on_host(algorithm, const execution_options& options) const {
    this->check_on_host(options);
    detail::visit_each_segment<false>(segments, n, [&](std::size_t, std::size_t begin, std::size_t count) {
      detail::order_segment(detail::advanced(keys.rows, begin), count, keys.less, keys.projection, indices + begin);
    });
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
