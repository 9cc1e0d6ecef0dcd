// The calls with a policy on several devices, between the public functions and sort_on_devices().
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>
#include <vector>

#include "devices.hpp"
#include "merge_calls.hpp"
#include "progress.hpp"

namespace gpu::inline v1::detail {

/// The policy of a rank, made from given options.
template <placement Where>
struct fixed_policy {
  static constexpr placement where = Where;
  execution_options made;

  [[nodiscard]] const execution_options& options() const noexcept { return made; }
};

template <class T>
inline constexpr bool is_partitioned_v = false;
template <class T>
inline constexpr bool is_partitioned_v<partitioned<T>> = true;

/// Value columns on devices, then optionally a comparator and a projection.
template <class... Arguments>
using partitions_and_order =
    columns_and_order<detail::count_leading<is_partitioned_v<std::remove_cvref_t<Arguments>>...>(), Arguments...>;

inline namespace GPUPAR_UNIT {

/// Sorts columns in host memory on devices; on a single device, by that device alone.
template <bool Stable, class Policy, class Compare, class Projection, class... Columns>
void sort_columns_on_devices(const Policy& policy, const std::vector<int>& ids, std::size_t count,
                             const Compare& compare, const Projection& projection, Columns*... columns) {
  detail::with_progress(policy, [&](execution_options options) {
    options.progress = {};
    if (ids.size() != 1)
      return detail::sort_host_columns<Stable, Policy::where>(ids, options, count, compare, projection, columns...);
    detail::run_on_devices(ids, [&](communicator&, stream_handle stream) {
      execution_options own = options;
      if (own.stream == nullptr) own.stream = stream;
      detail::sort_part<Stable, residence::ask, Policy::where>(own, count, compare, projection, columns...);
    });
  });
}

/// Calls call(ranks, options) on each device that has a span of each of these parts; reports to the policy's listener.
template <class Policy, class Call, class... Parts>
void call_on_partitioned(const Policy& policy, const std::vector<int>& ids, const Call& call, const Parts&... parts) {
  detail::with_progress(
      policy, [&](const execution_options& options) { detail::on_partitioned(ids, options, call, parts...); });
}

/// Makes the call over the devices, as ranks, each with its own span of each of these parts.
template <class Function, class Policy, class Compare, class Projection, class... Parts>
void call_with_spans(const Policy& policy, const std::vector<int>& ids, const Compare& compare,
                     const Projection& projection, const Parts&... parts) {
  const auto call = [&](communicator& ranks, const execution_options& own) {
    detail::over_ranks(std::type_identity<Function>{}, fixed_policy<Policy::where>{own}, ranks,
                       parts.spans[ranks.rank()]..., compare, projection);
  };
  detail::call_on_partitioned(policy, ids, call, parts...);
}

template <bool Stable, class Policy, part_iterator Iterator, end_of<Iterator> Sentinel, class Compare = left_out,
          class Projection = left_out>
  requires ordered_by<Compare, Projection, Iterator, Iterator>
Iterator on_devices(std::type_identity<sort_function<Stable>>, const Policy& policy, const std::vector<int>& ids,
                    Iterator first, Sentinel last, const Compare& compare = {}, const Projection& projection = {}) {
  const std::size_t count = detail::count_of(first, last);
  detail::sort_columns_on_devices<Stable>(policy, ids, count, detail::given<default_less<Iterator>>(compare),
                                          detail::given<std::identity>(projection), detail::address_of(first));
  return detail::advanced(first, count);
}

template <bool Stable, class Policy, part_range Range, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, std::ranges::iterator_t<Range>, Range>
std::ranges::borrowed_iterator_t<Range> on_devices(std::type_identity<sort_function<Stable>>, const Policy& policy,
                                                   const std::vector<int>& ids, Range&& range,
                                                   const Compare& compare = {}, const Projection& projection = {}) {
  const std::size_t count = detail::size_of(range);
  const auto first = std::ranges::begin(range);
  detail::sort_columns_on_devices<Stable>(policy, ids, count, detail::given<default_less<Range>>(compare),
                                          detail::given<std::identity>(projection), detail::address_of(first));
  return detail::advanced(first, count);
}

template <bool Stable, class Policy, part_range Keys, class... Arguments>
  requires columns_and_callable_comparator<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>
std::ranges::borrowed_iterator_t<Keys> on_devices(std::type_identity<sort_by_key_function<Stable>>,
                                                  const Policy& policy, const std::vector<int>& ids, Keys&& keys,
                                                  Arguments&&... values_and_order) {
  const std::size_t count = detail::size_of(keys);
  const auto first = std::ranges::begin(keys);
  detail::with_columns_and_order<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>(
      [&](const auto& compare, const auto& projection, auto&... values) {
        (detail::require_room(detail::size_of(values), count), ...);
        detail::sort_columns_on_devices<Stable>(policy, ids, count, compare, projection, detail::address_of(first),
                                                detail::address_of(std::ranges::begin(values))...);
      },
      values_and_order...);
  return detail::advanced(first, count);
}

template <bool Stable, class Policy, class T, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, T*, T*>
void on_devices(std::type_identity<sort_function<Stable>>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<T>& parts, const Compare& compare = {}, const Projection& projection = {}) {
  detail::call_with_spans<sort_function<Stable>>(policy, ids, compare, projection, parts);
}

/// For keys and values on the devices; the spans of values are at least as long as those of the keys.
template <bool Stable, class Policy, class Key, class... Arguments>
  requires columns_and_callable_comparator<partitions_and_order<Arguments...>, Key*>
void on_devices(std::type_identity<sort_by_key_function<Stable>>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<Key>& keys, const Arguments&... values_and_order) {
  detail::with_columns_and_order<partitions_and_order<Arguments...>, Key*>(
      [&](const auto& compare, const auto& projection, const auto&... values) {
        detail::call_with_spans<sort_by_key_function<Stable>>(policy, ids, compare, projection, keys, values...);
      },
      values_and_order...);
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
