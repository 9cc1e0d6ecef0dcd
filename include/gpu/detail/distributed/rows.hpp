// Rows of several key columns over ranks: sorting them, determining their order as indices, and checking whether they
// are sorted. As the other calls over ranks, except that at the end every rank sorts the rows that it has received
// instead of merging them, because there is no merge of rows in columns.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../keys/key_rows.hpp"
#include "queries.hpp"

namespace gpu::inline v1::detail {

/// Key columns that a rank can send as bytes.
template <class Keys>
inline constexpr bool are_part_columns_v = false;
template <class... Columns>
inline constexpr bool are_part_columns_v<std::tuple<Columns...>> = (part_range<Columns> && ...);

template <class Column>
const std::ranges::range_value_t<Column>* const_address_of(Column& column) {
  return detail::address_of(std::ranges::begin(column));
}

/// A row from its bytes, column by column.
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

/// Calls work(sorted_part) for sorted rows in host or device memory.
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

/// A rank's call on the rows of key columns; check(rows) may refuse the other arguments.
template <class Directions, class Keys, class Check>
rank_call enter_rows(std::string_view name, const Keys& keys, const Check& check) {
  return detail::enter(name, [&] {
    const std::size_t rows = detail::with_rows<Directions>(keys, [](const auto&, std::size_t count) { return count; });
    detail::with_all(keys, [&](auto&... columns) {
      (detail::require_memory(detail::address_of(std::ranges::begin(columns)), rows), ...);
    });
    check(rows);
    return rows;
  });
}

inline namespace GPUPAR_UNIT {

/// Sorts the rows of all ranks, whose keys and values are in these columns. Failures have the same effects as in
/// sort_over().
template <bool Stable, residence Memory, placement Where, class Directions, class FirstKey, class... Keys,
          class... Values>
void sort_rows_over(communicator& ranks, execution_options options, rank_call call,
                    const std::tuple<FirstKey*, Keys*...>& key_columns, Values*... values) {
  const progress_listener done = detail::begin_phases(call, options);
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
      const std::size_t total = detail::sum_of(sizes.after);
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
  const auto call = detail::enter_rows<column_directions<Compares...>>(
      Stable ? "stable_sort_by_key" : "sort_by_key", keys, [&]([[maybe_unused]] std::size_t rows) {
        (detail::require_room(detail::size_of(values), rows), ...);
        (detail::require_memory(detail::address_of(std::ranges::begin(values)), rows), ...);
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

/// Writes, as indices in the sequence of all parts, the rows that this rank would have if all were sorted stably.
template <class Policy, class Keys, class... Compares, index_range Indices>
  requires part_range<Indices> && are_part_columns_v<Keys> &&
           key_columns_and_directions<false, Keys, column_directions<Compares...>>
std::ranges::borrowed_iterator_t<Indices> over_ranks(std::type_identity<argsort_function>, const Policy& policy,
                                                     communicator& ranks, const Keys& keys,
                                                     const column_directions<Compares...>&, Indices&& indices) {
  using directions = column_directions<Compares...>;
  using integer = std::ranges::range_value_t<Indices>;
  const execution_options options = policy.options();
  integer* const index_data = detail::address_of(std::ranges::begin(indices));
  const auto call = detail::enter_rows<directions>("argsort", keys, [&](std::size_t rows) {
    detail::require_room(detail::size_of(indices), rows);
    detail::require_memory(index_data, rows);
  });
  std::vector<std::unique_ptr<rank_memory>> copies;
  const auto copy = [&]<class Key>(const Key* column) {
    const std::size_t bytes = call.before * sizeof(Key);
    copies.push_back(std::make_unique<rank_memory>(detail::locate(column), bytes, alignof(Key), options));
    detail::copy_rank_bytes(copies.back()->data(), column, bytes, options);
    return reinterpret_cast<Key*>(copies.back()->data());
  };
  const auto with_columns = [&]<class... Key>(const Key*... columns) {
    const part_sizes sizes = detail::introduce_columns<directions, std::identity>(
        ranks, options, call, detail::in_place(columns)..., detail::in_place(index_data));
    const std::size_t first = detail::first_index<integer>(ranks, sizes);
    std::tuple<Key*...> copied;
    detail::agreed(ranks, [&] {
      copied = std::tuple<Key*...>{copy(columns)...};
      detail::write_places(index_data, sizeof(integer), first, call.before, options);
    });
    detail::sort_rows_over<true, residence_of_columns<Keys, Indices>, Policy::where, directions>(ranks, options, call,
                                                                                                 copied, index_data);
  };
  std::apply([&](auto&... columns) { with_columns(detail::const_address_of(columns)...); }, keys);
  return detail::advanced(std::ranges::begin(indices), call.before);
}

/// Whether each part is sorted, and no part begins with a row that goes before the last one in front of it.
template <class Policy, class Keys, class... Compares>
  requires are_part_columns_v<Keys> && key_columns_and_directions<false, Keys, column_directions<Compares...>>
bool over_ranks(std::type_identity<is_sorted_function>, const Policy& policy, communicator& ranks, const Keys& keys,
                const column_directions<Compares...>&) {
  using directions = column_directions<Compares...>;
  execution_options options = policy.options();
  options.progress = {};
  const auto call = detail::enter_rows<directions>("is_sorted", keys, [](std::size_t) {});
  bool sorted = false;
  const auto with_columns = [&]<class... Key>(const Key*... columns) {
    (void)detail::introduce_columns<directions, std::identity>(ranks, options, call, detail::in_place(columns)...);
    const key_rows<directions, const Key*...> rows{columns...};
    const auto own = [&] {
      return detail::sorted_prefix<residence_of_columns<Keys>, Policy::where>(options, rows, call.before) ==
             call.before;
    };
    detail::with_sorted_rows(
        options, call.before, rows.less,
        [&](const sorted_part& mine) { sorted = detail::parts_are_sorted(ranks, mine, own); }, columns...);
  };
  std::apply([&](auto&... columns) { with_columns(detail::const_address_of(columns)...); }, keys);
  return sorted;
}

template <class Policy, class Keys, index_range Indices>
  requires part_range<Indices> && are_part_columns_v<Keys> && key_columns_and_directions<false, Keys>
std::ranges::borrowed_iterator_t<Indices> over_ranks(std::type_identity<argsort_function> call, const Policy& policy,
                                                     communicator& ranks, const Keys& keys, Indices&& indices) {
  return detail::over_ranks(call, policy, ranks, keys, typename directions_and_others<Keys>::directions{}, indices);
}

template <class Policy, class Keys>
  requires are_part_columns_v<Keys> && key_columns_and_directions<false, Keys>
bool over_ranks(std::type_identity<is_sorted_function> call, const Policy& policy, communicator& ranks,
                const Keys& keys) {
  return detail::over_ranks(call, policy, ranks, keys, typename directions_and_others<Keys>::directions{});
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
