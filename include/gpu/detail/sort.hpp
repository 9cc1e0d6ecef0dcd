// The sorts between the public functions and the backends: describe the work, let choose() decide, call one side.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <optional>

#include "dispatch.hpp"
#include "few.hpp"
#include "host/permute.hpp"
#include "host/request.hpp"
#include "host/sort.hpp"
#include "index.hpp"
#include "keyed.hpp"
#include "leading.hpp"
#include "strings.hpp"
#if defined(__CUDACC__)
#include "device/rows/elements.cuh"
#endif

namespace gpu {
inline namespace v1 {
namespace detail {

/// 0, 1, 2 …
template <class Index>
host::buffer<Index> identity_permutation(std::size_t count) {
  host::buffer<Index> order{count};
  host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
    std::iota(order.data() + begin, order.data() + end, static_cast<Index>(begin));
  });
  return order;
}

/// The permutation that sorts [first, first + count) on the host; the elements stay where they are.
template <bool Stable, class Index, class Iterator, class Compare, class Projection>
host::buffer<Index> order_on_host(const Iterator& first, std::size_t count, const Compare& compare,
                                  const Projection& projection, algorithm how) {
  using T = compared_element<Iterator>;
  using order_type = ordering<T, Compare, Projection>;
  if constexpr (order_type::natural || order_type::led) {
    host::buffer<Index> order{count};
    const auto argsort = [&](const keyed_elements& elements) {
      host::argsort_by_keys({elements, count, {order.data(), sizeof(Index)}, Stable, how});
    };
    if constexpr (order_type::key_in_place && is_contiguous_v<Iterator>)
      if (const auto elements = detail::keyed(detail::address_of(first), compare, projection);
          elements.parts.count == 0) {
        argsort(elements);
        return order;
      }
    detail::with_order_by_codes<Index>(first, count, compare, projection, how, [&](const auto& entries) {
      host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) order[i] = static_cast<Index>(entries.index(i));
      });
    });
    return order;
  } else if constexpr (orders_texts_v<Iterator, Compare, Projection>) {
    return detail::order_by_texts<Stable, Index, Compare>(first, count, projection, how, backend::host, {});
  } else {
    auto order = detail::identity_permutation<Index>(count);
    const element_less<T, Compare, Projection> less{compare, projection};
    const auto by_element = [&](Index i, Index j) {
      return less(*detail::advanced(first, i), *detail::advanced(first, j));
    };
    if constexpr (Stable)
      host::stable_sort(order.data(), count, by_element, how);
    else
      host::sort(order.data(), count, by_element, how);
    return order;
  }
}

/// The host backend's sort: natural orders by the library's own code, others by one of its algorithms.
template <bool Stable, class T, class Compare, class Projection>
void sort_on_host(T* data, std::size_t count, const Compare& compare, const Projection& projection, algorithm how) {
  using order_type = ordering<T, Compare, Projection>;
  const element_less<T, Compare, Projection> less{compare, projection};
  if constexpr (order_type::natural && order_type::key_in_place && is_bytewise_v<T>) {
    const keyed_elements elements = detail::keyed(data, compare, projection);
    if constexpr (host::compact<T>) {
      constexpr std::size_t few = host::default_tuning::insertion_limit;  // to pack them would take as long
      if (count <= few && how == algorithm::radix && !elements.fills())
        return host::merge_sort_few<few>(data, count, less);
    }
    if (elements.parts.count == 0) return host::sort_by_keys({elements, count, nullptr, 0, Stable, how});
  }
  if constexpr (order_type::natural || order_type::textual || order_type::led) {
    if constexpr (sorts_by_places_v<T, Compare, Projection>) {
      if (count <= most_by_places) return detail::sort_by_places(data, count, compare, projection);
    } else if (count <= host::default_tuning::insertion_limit) {  // a permutation is dearer than a few moves
      return host::insertion_sort(data, count, less);
    }
    if (host::sorted_until(data, count, less) == count) return;
    detail::with_index(count, [&]<class Index>(Index) {
      if constexpr (order_type::textual) {
        const auto order = detail::order_on_host<Stable, Index>(data, count, compare, projection, how);
        host::permute(data, count, order.data());
      } else {
        detail::with_order_by_codes<Index>(data, count, compare, projection, how, [&](const auto& entries) {
          host::permute_from<host::default_tuning>(data, count, [&](std::size_t i) { return entries.index(i); });
        });
      }
    });
  } else {
    if constexpr (Stable)
      host::stable_sort(data, count, less, how);
    else
      host::sort(data, count, less, how);
  }
}

/// Device memory that order_by_keys_on_device takes: keys and order, staged, and what sorting them needs.
template <bool Stable, class T, class Compare, class Projection>
std::size_t order_scratch_bytes(std::size_t count, algorithm how) {
  using order = ordering<T, Compare, Projection>;
  return detail::with_index(count, [&]<class Index>(Index) {
    const argsort_request request{
        {nullptr, order::format.bytes, 0, order::format}, count, {nullptr, sizeof(Index)}, Stable, how};
    return count * (2 * order::format.bytes + sizeof(Index)) + detail::device_argsort_scratch_bytes(request);
  });
}

/// Whether the policy allows so much device memory.
inline bool is_within_limit(std::size_t bytes, const execution_options& options) {
  return options.memory_limit == 0 || bytes <= options.memory_limit;
}

/// An order is found at once or not at all: throws no_device_memory where the policy allows less.
inline void require_within_limit(std::size_t bytes, const execution_options& options) {
  if (!is_within_limit(bytes, options)) GPUPAR_THROW(no_device_memory{});
}

/// The permutation that sorts by a natural key which only the host can extract; sorted on the device.
template <bool Stable, class Index, class Iterator, class Compare, class Projection>
host::buffer<Index> order_by_keys_on_device(const Iterator& first, std::size_t count, const Compare& compare,
                                            const Projection& projection, algorithm how,
                                            const execution_options& options) {
  detail::require_within_limit(
      detail::order_scratch_bytes<Stable, compared_element<Iterator>, Compare, Projection>(count, how), options);
  if constexpr (orders_texts_v<Iterator, Compare, Projection>) {
    return detail::order_by_texts<Stable, Index, Compare>(first, count, projection, how, backend::device, options);
  } else {
    auto keys = detail::extract_keys(first, count, compare, projection);
    using order_type = ordering<compared_element<Iterator>, Compare, Projection>;
    constexpr key_format format = order_type::format;
    host::buffer<Index> order{count};
    const std::array places{detail::locate(keys.data()), detail::locate(order.data())};
    detail::device_argsort(
        {{keys.data(), format.bytes, 0, format}, count, {order.data(), sizeof(Index)}, Stable, how, places.data()},
        options);
    if constexpr (order_type::led) detail::settle_equal_codes(first, order, keys, compare, projection);
    return order;
  }
}

/// Device memory of a precompiled sort, beside the elements if those are in device memory.
inline std::size_t sort_bytes(const sort_request& request, const location& at, const execution_options& options) {
  return staging_bytes(at, 1) > 0 ? device_sort_host_data_bytes(request, options) : device_sort_scratch_bytes(request);
}

inline namespace GPUPAR_UNIT {

/// What choose() needs to know of a call on contiguous elements.
template <device_way Way, residence Memory, class T, class Compare, class Projection>
workload describe(operation what, const location& at, std::size_t count) {
  using order = ordering<T, Compare, Projection>;
  workload work;
  work.what = what;
  work.way = Way;
  work.at = at;
  work.count = count;
  work.element_bytes = sizeof(T);
  if constexpr (order::natural || order::textual || order::led) work.key = order::format;
  work.key_is_element = is_identity_v<Projection> && !order::compound && !order::led;
  if constexpr (order::compound || order::led) {
    work.shape.parts = static_cast<std::uint16_t>(order::traits::extent.parts);
    work.shape.code_bits = static_cast<std::uint8_t>(order::led ? 8 * order::format.bytes : order::traits::extent.bits);
    work.shape.leads = order::led;
  }
  work.typed_device = Memory == residence::device;
  return work;
}

template <bool Stable, residence Memory, placement Where, class T, class Compare, class Projection>
workload describe_sort(const location& at, std::size_t count, const Compare& compare, const Projection& projection) {
  auto work = detail::describe<detail::way_of<T, Compare, Projection, Where>(), Memory, T, Compare, Projection>(
      Stable ? operation::stable_sort : operation::sort, at, count);
  work.key_is_element = detail::are_keys<T>(compare, projection);
  return work;
}

/// Completes the plan of a sort of contiguous elements by what is told of it and does not decide anything: its scratch,
/// and a remark. `data` is not read.
template <bool Stable, residence Memory, placement Where, class T, class Compare, class Projection>
void explain_sort(plan& decided, const execution_options& options, const location& at, T* data, std::size_t count,
                  const Compare& compare, const Projection& projection) {
  constexpr device_way way = detail::way_of<T, Compare, Projection, Where>();
  if (decided.where == backend::device) {
    if constexpr (way == device_way::keys_by_index)
      decided.scratch_bytes = detail::order_scratch_bytes<Stable, T, Compare, Projection>(count, decided.how);
    if constexpr (way == device_way::precompiled) {
      const keyed_elements elements = detail::keyed(data, compare, projection);
      decided.scratch_bytes = detail::sort_bytes(
          {elements, count, nullptr, 0, detail::stability_shows<Stable>(elements), decided.how}, at, options);
    }
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated) {
      const device::compare_elements<T, Compare, Projection> less{compare, projection};
      decided.scratch_bytes =
          device::element_bytes<Stable, Memory != residence::device>(options, data, count, less, decided.how);
      if (!Stable && device::guesses_order<T, device::no_value, decltype(less)>(count, decided.how))
        decided.remark = "numbers are sorted as such if the comparator turns out to be their natural order, up or down";
    }
#endif
  }
  (void)options, (void)at, (void)data, (void)count, (void)compare, (void)projection;
}

/// Runs work on the device. False if there is too little memory there and the host can take over: nothing is lost then.
template <bool HostServes, class Work>
bool attempt(const location& at, const Work& work) {
  GPUPAR_TRY {
    work();
    return true;
  }
  GPUPAR_CATCH(const no_device_memory&) {
    if (!HostServes || !host_reaches(at)) GPUPAR_RETHROW;
    return false;
  }
}

/// What the host does about a call that the device has too little memory for.
inline plan plan_without_device(const workload& work, execution_options options) {
  options.where = placement::host_only;
  plan decided = choose(work, options);  // the device's algorithm need not be one of the host's
  decided.reason = "there is too little memory on the device";
  return decided;
}

/// The same when the device has tried; says so.
inline algorithm take_over(const workload& work, const execution_options& options) {
  const plan decided = plan_without_device(work, options);
  await_stream(work.at, options);
  announce(work, decided);
  return decided.how;
}

/// So few elements are sorted on the host before a plan is made. Those that are neither merged nor sorted by places
/// would be inserted, and move too often if they were more.
template <class T, class Compare, class Projection>
inline constexpr std::size_t at_once_v = host::compact<T> || sorts_by_places_v<T, Compare, Projection> ? 16 : 8;

/// Sorts keys that only the host can extract, and value columns with them: their order is found on the device, then the
/// host permutes them. False if the device has too little memory and the host can take over; what happens after the
/// device's part is no reason to try again.
template <bool Stable, bool HostServes, class Keys, class Compare, class Projection, class... Values>
bool permute_by_device(const location& at, const Keys& keys, std::size_t count, const Compare& compare,
                       const Projection& projection, algorithm how, const execution_options& options,
                       const Values&... values) {
  return detail::with_index(count, [&]<class Index>(Index) {
    std::optional<host::buffer<Index>> order;
    const auto find_order = [&] {
      order.emplace(detail::order_by_keys_on_device<Stable, Index>(keys, count, compare, projection, how, options));
    };
    if (!detail::attempt<HostServes>(at, find_order)) return false;
    host::permute_columns(count, order->data(), keys, values...);
    return true;
  });
}

/// Whether the host may read the data without asking, or waiting for, anyone.
inline bool is_at_once_in_reach(const void* data, const execution_options& options) {
  return options.stream == nullptr && locate(data).kind == memory_kind::pageable;
}

template <bool Stable, residence Memory, placement Where, class T, class Compare, class Projection>
void sort_contiguous(const execution_options& options, T* data, std::size_t count, const Compare& compare,
                     const Projection& projection) {
  constexpr device_way way = detail::way_of<T, Compare, Projection, Where>();
  constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;
  if (count < 2) return detail::require_way<way, Where, Memory>();
  if constexpr (Where == placement::host_only && host_serves)
    if (constexpr std::size_t few = at_once_v<T, Compare, Projection>;
        count <= few && options.forced == algorithm::automatic && !announces() &&
        detail::is_at_once_in_reach(data, options)) {
      constexpr std::size_t dear = ordering<T, Compare, Projection>::natural ? 6 : 4;
      if constexpr (sorts_by_places_v<T, Compare, Projection>)
        if (count >= dear) return detail::sort_by_places(data, count, compare, projection);
      const element_less<T, Compare, Projection> less{compare, projection};
      if constexpr (Stable) return host::merge_sort_few<few>(data, count, less);
      return host::sort_few<host::default_tuning>(data, count, less);
    }
  detail::require_way<way, Where, Memory>();
  const location at = detail::locate(data);
  const auto work =
      detail::describe_sort<Stable, Memory, Where, T, Compare, Projection>(at, count, compare, projection);
  plan decided = detail::decide(work, options);
  detail::announce(work, decided, [&](plan& told) {
    detail::explain_sort<Stable, Memory, Where>(told, options, at, data, count, compare, projection);
  });
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled) {
      const keyed_elements elements = detail::keyed(data, compare, projection);
      detail::device_sort({elements, count, nullptr, 0, detail::stability_shows<Stable>(elements), decided.how, &at},
                          options);
    }
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated)
      device::sort_elements<Stable, Memory != residence::device>(
          options, data, count, device::compare_elements<T, Compare, Projection>{compare, projection}, decided.how);
#endif
  };
  if (decided.where == backend::device) {
    if constexpr (way == device_way::keys_by_index) {
      if (detail::permute_by_device<Stable, host_serves>(at, data, count, compare, projection, decided.how, options))
        return;
    } else if (detail::attempt<host_serves>(at, on_device)) {
      return;
    }
    decided.how = detail::take_over(work, options);
  }
  if constexpr (host_serves)
    detail::sort_on_host<Stable>(data, count, compare, projection, decided.how);
  else
    refuse_device_callable();
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
