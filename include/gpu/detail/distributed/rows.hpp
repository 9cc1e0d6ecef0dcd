// Sorting rows of several key columns over ranks. As other sorts over ranks, but in the end every rank sorts the rows
// that it has got instead of merging them: rows in columns have no merge.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../key_rows.hpp"
#include "calls.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// Key columns that a rank can give away as bytes.
template <class Keys>
inline constexpr bool are_part_columns_v = false;
template <class... Columns>
inline constexpr bool are_part_columns_v<std::tuple<Columns...>> = (part_range<Columns> && ...);

/// A row out of its bytes, column by column.
template <class... Keys>
std::tuple<Keys...> row_of_bytes(const std::byte* bytes) {
  static_assert((std::is_trivially_copyable_v<Keys> && ...), "gpu: key columns over ranks must be trivially copyable");
  const auto next = [&]<class Key>(std::type_identity<Key>) {
    Key key;
    std::memcpy(static_cast<void*>(&key), bytes, sizeof(Key));
    bytes += sizeof(Key);
    return key;
  };
  return std::tuple<Keys...>{next(std::type_identity<Keys>{})...};
}

/// work(sorted_part) for sorted rows wherever they are.
template <class Less, class Work, class... Keys>
void with_sorted_rows(const execution_options& options, std::size_t count, const Less& less, const Work& work,
                      const Keys*... keys) {
  constexpr std::size_t row_bytes = (sizeof(Keys) + ...);
  const bool on_device = (!detail::host_reaches(detail::locate(keys)) || ...);
  const auto read = [&](array_view<strided_elements> which, std::byte* to) {
    std::size_t some = 0, offset = 0;
    for (const strided_elements& each : which) some += each.count;
    std::vector<std::byte> column;
    const auto read_column = [&]<class Key>(const Key* data) {
      column.resize(some * sizeof(Key));
      detail::read_elements(data, on_device, which, column.data(), options);
      for (std::size_t i = 0; i < some; ++i)
        std::memcpy(to + i * row_bytes + offset, column.data() + i * sizeof(Key), sizeof(Key));
      offset += sizeof(Key);
    };
    (read_column(keys), ...);
  };
  const auto less_of = [&](const std::byte* left, const std::byte* right) {
    return less(detail::row_of_bytes<Keys...>(left), detail::row_of_bytes<Keys...>(right));
  };
  work(sorted_part{count, row_bytes, on_device ? device_probes : 1, read, less_of});
}

inline namespace GPUPAR_UNIT {

/// Sorts the rows of all ranks, whose keys and values are in these columns. Failures are as those of sort_over().
template <bool Stable, residence Memory, placement Where, class Directions, class FirstKey, class... Keys,
          class... Values>
void sort_rows_over(communicator& ranks, execution_options options, rank_call call,
                    const std::tuple<FirstKey*, Keys*...>& key_columns, Values*... values) {
  detail::begin_progress(call, options);
  const progress_listener done = std::exchange(options.progress, {});
  options.synchronous = true;
  const auto with_keys = [&](FirstKey* first, Keys*... keys) {
    const part_sizes sizes = detail::introduce_columns<Directions, std::identity>(
        ranks, options, call, detail::in_place(first), detail::in_place(keys)..., detail::in_place(values)...);
    const key_rows<Directions, FirstKey*, Keys*...> rows{first, keys...};
    const auto sort_mine = [&] {
      detail::run_call(options, sort_by_key_call{call_terms<Memory, Where, Stable>{}, rows, call.before, values...});
    };
    const auto with_room = [&](auto... columns) {
      detail::agreed(ranks, [&] {
        (columns.make_room(call.before, options), ...);
        sort_mine();
      });
      const auto targets = detail::targets_of(sizes);
      std::vector<std::size_t> cuts(targets.size());
      const std::size_t total = std::accumulate(sizes.after.begin(), sizes.after.end(), std::size_t{0});
      detail::with_sorted_rows(
          options, call.before, rows.less,
          [&](const sorted_part& part) { detail::select_among_ranks(ranks, {&part, 1}, total, targets, cuts.data()); },
          static_cast<const FirstKey*>(first), static_cast<const Keys*>(keys)...);
      const flows found = detail::flows_of(ranks, sizes.after, {&call.before, 1}, cuts)[0];
      detail::exchange_columns(ranks, found, sizes.on_device, options, columns...);
      detail::agreed(ranks, [&] {
        (columns.keep(options), ...);
        sort_mine();
        done(1);
      });
    };
    with_room(received_column<FirstKey>{detail::in_place(first)}, received_column<Keys>{detail::in_place(keys)}...,
              received_column<Values>{detail::in_place(values)}...);
  };
  std::apply(with_keys, key_columns);
}

template <bool Stable, class Policy, class Keys, class... Compares, part_range... Values>
  requires are_part_columns_v<Keys> && key_columns_and_directions<true, Keys, column_directions<Compares...>>
void over_ranks(std::type_identity<sort_by_key_function<Stable>>, const Policy& policy, communicator& ranks,
                const Keys& keys, const column_directions<Compares...>&, Values&&... values) {
  const auto pointers =
      std::apply([](auto&... columns) { return std::tuple{detail::address_of(std::ranges::begin(columns))...}; }, keys);
  const auto call = detail::enter(Stable ? "stable_sort_by_key" : "sort_by_key", [&] {
    const std::size_t rows =
        detail::with_rows<column_directions<Compares...>>(keys, [](const auto&, std::size_t count) { return count; });
    (detail::require_room(detail::size_of(values), rows), ...);
    std::apply([&](auto*... columns) { (detail::require_memory(columns, rows), ...); }, pointers);
    return detail::with_memory(rows, detail::address_of(std::ranges::begin(values))...);
  });
  detail::sort_rows_over<Stable, residence_of_columns<Keys, Values...>, Policy::where, column_directions<Compares...>>(
      ranks, policy.options(), call, pointers, detail::address_of(std::ranges::begin(values))...);
}

template <bool Stable, class Policy, class Keys, part_range... Values>
  requires are_part_columns_v<Keys> && key_columns_and_directions<true, Keys>
void over_ranks(std::type_identity<sort_by_key_function<Stable>> call, const Policy& policy, communicator& ranks,
                const Keys& keys, Values&&... values) {
  using directions = typename directions_and_others<Keys>::directions;
  detail::over_ranks(call, policy, ranks, keys, directions{}, values...);
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
