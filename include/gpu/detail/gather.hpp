// gather and permute between the public functions and the backends.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "by_key.hpp"
#include "gather_request.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// Whether all indices are below `limit`. Negative ones are not.
template <class Indices>
bool all_below(const Indices& indices, std::size_t count, std::size_t limit) {
  std::atomic<bool> all{true};
  host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
    bool here = true;
    for (std::size_t i = begin; i < end; ++i) here &= static_cast<std::size_t>(*detail::advanced(indices, i)) < limit;
    if (!here) all.store(false, std::memory_order_relaxed);
  });
  return all;
}

/// Whether every index comes once; all are below `count`.
template <class Indices>
bool all_once(const Indices& indices, std::size_t count) {
  host::buffer<std::atomic<std::uint32_t>> seen((count + 31) / 32);
  host::for_each_part<host::default_tuning>(seen.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t word = begin; word < end; ++word)
      ::new (static_cast<void*>(&seen[word])) std::atomic<std::uint32_t>{0};
  });
  std::atomic<bool> all{true};
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto index = static_cast<std::size_t>(*detail::advanced(indices, i));
      const std::uint32_t bit = std::uint32_t{1} << index % 32;
      if ((seen[index / 32].fetch_or(bit, std::memory_order_relaxed) & bit) != 0)
        all.store(false, std::memory_order_relaxed);
    }
  });
  return all;
}

/// to[i] = from[order[i]]
template <class From, class To, class Order>
void copy_in_order(const From& from, const To& to, const Order& order, std::size_t count) {
  const auto copy = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      *detail::advanced(to, i) = *detail::advanced(from, static_cast<std::size_t>(*detail::advanced(order, i)));
  };
  if constexpr (shares_words_v<To>)
    copy(0, count);
  else
    host::for_each_part<host::fetching<host::default_tuning>>(count, copy);
}

/// Indices in contiguous memory as the library takes them.
template <class Indices>
row_indices as_row_indices(const Indices& indices, std::size_t count) {
  return {detail::as_column(indices), count};
}

inline namespace GPUPAR_UNIT {

/// What a call that moves rows by indices is.
template <residence Memory, bool ByKernels>
workload describe_move(operation what, const location& at, std::size_t count, std::size_t row_bytes) {
  workload work;
  work.what = what;
  work.way = ByKernels ? device_way::precompiled : device_way::none;
  work.at = at;
  work.count = count;
  work.element_bytes = row_bytes;
  work.typed_device = Memory == residence::device;
  return work;
}

/// Whether kernels can move elements of all these iterators.
template <placement Where, class... Iterators>
inline constexpr bool kernels_move_v = Where != placement::host_only && (is_column_v<Iterators> && ...);

/// targets[i] = sources[indices[i]], for pairs of a source and a target.
template <residence Memory, placement Where, class Indices, class Source, class Target>
void gather_rows(const execution_options& options, const Indices& indices, std::size_t count, const Source& source,
                 std::size_t source_count, const Target& target) {
  constexpr bool by_kernels = kernels_move_v<Where, Indices, Source, Target> &&
                              std::is_same_v<std::iter_value_t<Source>, std::iter_value_t<Target>>;
  constexpr device_way way = by_kernels ? device_way::precompiled : device_way::none;
  detail::require_way<way, Where, Memory>();
  detail::require_memory_of(indices, count);
  detail::require_memory_of(target, count);
  if (count == 0) return;
  if (source_count == 0) refuse_index();
  detail::require_memory_of(source, source_count);
  const std::array places{detail::locate_iterator(indices), detail::locate_iterator(source),
                          detail::locate_iterator(target)};
  const auto work = detail::describe_move<Memory, by_kernels>(operation::gather, detail::ruling_location(places), count,
                                                              sizeof(std::iter_value_t<Source>));
  const plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  if constexpr (by_kernels)
    if (decided.where == backend::device) {
      const column from = detail::as_column(source), to = detail::as_column(target);
      return detail::device_gather(detail::as_row_indices(indices, count), {&from, 1}, source_count, {&to, 1}, options);
    }
  if constexpr (host_may_serve<Where, Memory>) {
    if (!detail::all_below(indices, count, source_count)) refuse_index();
    detail::copy_in_order(source, target, indices, count);
  }
}

/// Element i of every column becomes the old element indices[i].
template <residence Memory, placement Where, class Indices, class... Columns>
void permute_rows(const execution_options& options, const Indices& indices, std::size_t count,
                  const Columns&... columns) {
  constexpr bool by_kernels = kernels_move_v<Where, Indices, Columns...>;
  constexpr device_way way = by_kernels ? device_way::precompiled : device_way::none;
  detail::require_way<way, Where, Memory>();
  detail::require_memory_of(indices, count);
  (detail::require_memory_of(columns, count), ...);
  if (count == 0) return;
  const std::array places{detail::locate_iterator(indices), detail::locate_iterator(columns)...};
  const auto work = detail::describe_move<Memory, by_kernels>(operation::permute, detail::ruling_location(places),
                                                              count, (sizeof(std::iter_value_t<Columns>) + ...));
  const plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  if constexpr (by_kernels)
    if (decided.where == backend::device) {
      const std::array all{detail::as_column(columns)...};
      return detail::device_permute(detail::as_row_indices(indices, count), all, options);
    }
  if constexpr (host_may_serve<Where, Memory>) {
    if (!detail::all_below(indices, count, count)) refuse_index();
    if (!detail::all_once(indices, count)) refuse_repeated_index();
    if constexpr (std::is_pointer_v<Indices>) {
      host::permute_columns(count, indices, columns...);
    } else {
      host::buffer<std::size_t> order(count);
      host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) order[i] = static_cast<std::size_t>(*detail::advanced(indices, i));
      });
      host::permute_columns(count, order.data(), columns...);
    }
  }
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
