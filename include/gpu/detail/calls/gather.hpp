// gather and permute, between the public functions and the backends.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "../boundary/gather_request.hpp"
#include "../keys/keys.hpp"

namespace gpu::inline v1::detail {

/// Whether all indices are in [0, limit).
template <class Indices>
bool all_below(const Indices& indices, std::size_t count, std::size_t limit) {
  return host::all_hold<host::default_tuning>(
      count, [&](std::size_t i) { return static_cast<std::size_t>(*detail::advanced(indices, i)) < limit; });
}

/// Whether every index occurs once. All must be below `count`.
template <class Indices>
bool all_once(const Indices& indices, std::size_t count) {
  host::buffer<std::atomic<std::uint32_t>> seen((count + 31) / 32);
  host::for_each_part<host::default_tuning>(seen.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t word = begin; word < end; ++word)
      ::new (static_cast<void*>(&seen[word])) std::atomic<std::uint32_t>{0};
  });
  return host::all_hold<host::fetching<host::default_tuning>>(count, [&](std::size_t i) {
    const auto index = static_cast<std::size_t>(*detail::advanced(indices, i));
    const std::uint32_t bit = std::uint32_t{1} << index % 32;
    return (seen[index / 32].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  });
}

/// to[i] = from[source(i)]
template <class From, class To, class Source>
void copy_in_order(const From& from, const To& to, const Source& source, std::size_t count) {
  const auto copy = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) *detail::advanced(to, i) = *detail::advanced(from, source(i));
  };
  if constexpr (shares_words_v<To>)
    copy(0, count);
  else
    host::for_each_part<host::fetching<host::default_tuning>>(count, copy);
}

/// Indices in contiguous memory, as described to the precompiled library.
template <class Indices>
row_indices as_row_indices(const Indices& indices, std::size_t count) {
  return {detail::as_column(indices), count};
}

inline namespace GPUPAR_UNIT {

/// Whether kernels can move the elements of all these iterators.
template <placement Where, class... Iterators>
inline constexpr bool kernels_move_v = Where != placement::host_only && (is_column_v<Iterators> && ...);

/// target[i] = source[indices[i]].
template <class Terms, class Indices, class Source, class Target>
struct gather_call : Terms {
  static constexpr bool by_kernels = kernels_move_v<Terms::where, Indices, Source, Target> &&
                                     std::is_same_v<std::iter_value_t<Source>, std::iter_value_t<Target>>;
  static constexpr device_way way = by_kernels ? device_way::precompiled : device_way::none;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory>;

  const Indices& indices;
  std::size_t count;
  const Source& source;
  std::size_t source_count;
  const Target& target;

  gather_call(Terms, const Indices& given_indices, std::size_t given_count, const Source& given_source,
              std::size_t given_source_count, const Target& given_target)
      : indices{given_indices},
        count{given_count},
        source{given_source},
        source_count{given_source_count},
        target{given_target} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    detail::require_memory_of(indices, count);
    detail::require_memory_of(target, count);
    if (count == 0) return true;
    if (source_count == 0) refuse_index();
    detail::require_memory_of(source, source_count);
    return false;
  }
  [[nodiscard]] auto locations() const {
    return std::array{detail::locate_iterator(indices), detail::locate_iterator(source),
                      detail::locate_iterator(target)};
  }
  [[nodiscard]] workload describe(const location& at) const {
    return detail::describe<gather_call>(operation::gather, at, count, sizeof(std::iter_value_t<Source>));
  }
  void on_device(algorithm, const location*, const execution_options& options) const {
    if constexpr (by_kernels) {
      const column from = detail::as_column(source), to = detail::as_column(target);
      detail::device_gather(detail::as_row_indices(indices, count), {&from, 1}, source_count, {&to, 1}, options);
    }
  }
  void on_host(algorithm, const execution_options&) const {
    if (!detail::all_below(indices, count, source_count)) refuse_index();
    const auto index = [&](std::size_t i) { return static_cast<std::size_t>(*detail::advanced(indices, i)); };
    detail::copy_in_order(source, target, index, count);
  }
};

/// Element i of every column becomes the old element indices[i].
template <class Terms, class Indices, class... Columns>
struct permute_call : Terms {
  static constexpr bool by_kernels = kernels_move_v<Terms::where, Indices, Columns...>;
  static constexpr device_way way = by_kernels ? device_way::precompiled : device_way::none;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory>;

  const Indices& indices;
  std::size_t count;
  std::tuple<Columns...> columns;

  permute_call(Terms, const Indices& given_indices, std::size_t given_count, const Columns&... given_columns)
      : indices{given_indices}, count{given_count}, columns{given_columns...} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    detail::require_memory_of(indices, count);
    detail::with_all(columns, [&](const auto&... all) { (detail::require_memory_of(all, count), ...); });
    return count == 0;
  }
  [[nodiscard]] auto locations() const {
    return detail::with_all(columns, [&](const auto&... all) {
      return std::array{detail::locate_iterator(indices), detail::locate_iterator(all)...};
    });
  }
  [[nodiscard]] workload describe(const location& at) const {
    return detail::describe<permute_call>(operation::permute, at, count, (sizeof(std::iter_value_t<Columns>) + ...));
  }
  void on_device(algorithm, const location*, const execution_options& options) const {
    if constexpr (by_kernels) {
      const auto all =
          detail::with_all(columns, [](const auto&... each) { return std::array{detail::as_column(each)...}; });
      detail::device_permute(detail::as_row_indices(indices, count), all, options);
    }
  }
  void on_host(algorithm, const execution_options&) const {
    if (!detail::all_below(indices, count, count)) refuse_index();
    if (!detail::all_once(indices, count)) refuse_repeated_index();
    const auto permute = [&](const auto* order) {
      detail::with_all(columns, [&](const auto&... all) { host::permute_columns(count, order, all...); });
    };
    if constexpr (std::is_pointer_v<Indices>) {
      permute(indices);
    } else {
      host::buffer<std::size_t> order(count);
      host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) order[i] = static_cast<std::size_t>(*detail::advanced(indices, i));
      });
      permute(order.data());
    }
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
