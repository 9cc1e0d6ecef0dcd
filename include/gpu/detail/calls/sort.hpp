// Sorts of elements, and functions common to all sorts: permutations determined on the host, or on the device for the
// host.
#pragma once

#include <array>
#include <numeric>
#include <utility>

#include "../boundary/dispatch.hpp"
#include "../host/few.hpp"
#include "../host/orders.hpp"
#include "../host/permutation.hpp"
#include "../host/permute.hpp"
#include "../host/request.hpp"
#include "../host/sort.hpp"
#include "../index.hpp"
#include "../keys/keyed.hpp"
#include "../keys/leading.hpp"
#include "call.hpp"
#include "strings.hpp"
#if defined(__CUDACC__)
#include "../device/rows/elements.cuh"
#endif

namespace gpu::inline v1::detail {

/// 0, 1, 2 …
template <class Index>
host::buffer<Index> identity_permutation(std::size_t count) {
  host::buffer<Index> order{count};
  host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
    std::iota(order.data() + begin, order.data() + end, static_cast<Index>(begin));
  });
  return order;
}

/// The permutation that sorts [first, first + count), determined on the host; the elements are not moved.
template <bool Stable, class Iterator, class Compare, class Projection>
host::permutation order_on_host(const Iterator& first, std::size_t count, const Compare& compare,
                                const Projection& projection, algorithm how) {
  using T = compared_element<Iterator>;
  using order_type = ordering<T, Compare, Projection>;
  if constexpr (order_type::natural || order_type::led) {
    host::permutation order{count};
    if constexpr (order_type::key_in_place && is_contiguous_v<Iterator>)
      if (const auto elements = detail::keyed(detail::address_of(first), compare, projection);
          elements.parts.count == 0) {
        host::argsort_by_keys({elements, count, order.indices(), Stable, how});
        return order;
      }
    detail::with_coded_elements(first, compare, projection, [&](const host::coded_elements& elements) {
      host::argsort_by_codes(elements, order, how);
    });
    return order;
  } else if constexpr (orders_texts_v<Iterator, Compare, Projection>) {
    return detail::order_by_texts<Stable, Compare>(first, count, projection, how, backend::host, {});
  } else {
    const element_less<T, Compare, Projection> less{compare, projection};
    const auto by_element = [&](std::size_t i, std::size_t j) {
      return less(*detail::advanced(first, i), *detail::advanced(first, j));
    };
    return detail::with_index(count, [&]<class Index>(Index) {
      auto order = detail::identity_permutation<Index>(count);
      if constexpr (sizeof(Index) > sizeof(std::uint32_t))
        host::sort_indices(order.data(), count, by_element, Stable, how);
      else
        host::sort_as<Stable>(order.data(), count, by_element, how);
      return host::permutation{std::move(order)};
    });
  }
}

/// The host backend's sort: natural orders by the library's specialised code, others by one of its algorithms.
template <bool Stable, class T, class Compare, class Projection>
void sort_on_host(T* data, std::size_t count, const Compare& compare, const Projection& projection, algorithm how) {
  using order_type = ordering<T, Compare, Projection>;
  const element_less<T, Compare, Projection> less{compare, projection};
  if constexpr (order_type::natural && order_type::key_in_place && is_bytewise_v<T>) {
    const keyed_elements elements = detail::keyed(data, compare, projection);
    if constexpr (host::compact<T>) {
      constexpr std::size_t few = host::default_tuning::insertion_limit;  // packing them would take as long
      if (count <= few && how == algorithm::radix && !elements.fills())
        return host::merge_sort_few<few>(data, count, less);
    }
    if (elements.parts.count == 0) return host::sort_by_keys({elements, count, nullptr, 0, Stable, how});
  }
  if constexpr (order_type::natural || order_type::textual || order_type::led) {
    if constexpr (sorts_by_indices_v<T, Compare, Projection>) {
      if (count <= most_by_indices) return detail::sort_by_indices(data, count, compare, projection);
    } else if (count <= host::default_tuning::insertion_limit) {  // a permutation costs more than a few moves
      return host::insertion_sort(data, count, less);
    }
    if (host::sorted_until(data, count, less) == count) return;
    host::permute(data, count, detail::order_on_host<Stable>(data, count, compare, projection, how).view());
  } else {
    host::sort_as<Stable>(data, count, less, how);
  }
}

/// Device memory that order_by_keys_on_device needs: staged keys and order, and the scratch of the sort.
template <bool Stable, class T, class Compare, class Projection>
std::size_t order_scratch_bytes(std::size_t count, algorithm how) {
  using order = ordering<T, Compare, Projection>;
  const column indices{nullptr, detail::index_bytes(count)};
  const argsort_request request{{nullptr, order::format.bytes, 0, order::format}, count, indices, Stable, how};
  return count * (2 * order::format.bytes + indices.element_bytes) + detail::device_argsort_scratch_bytes(request);
}

/// The permutation that sorts by a natural key that only the host can extract; the keys are sorted on the device.
/// Throws no_device_memory.
template <bool Stable, class Iterator, class Compare, class Projection>
host::permutation order_by_keys_on_device(const Iterator& first, std::size_t count, const Compare& compare,
                                          const Projection& projection, algorithm how,
                                          const execution_options& options) {
  detail::require_within_limit(
      detail::order_scratch_bytes<Stable, compared_element<Iterator>, Compare, Projection>(count, how), options);
  if constexpr (orders_texts_v<Iterator, Compare, Projection>) {
    return detail::order_by_texts<Stable, Compare>(first, count, projection, how, backend::device, options);
  } else {
    auto keys = detail::extract_keys(first, count, compare, projection);
    using order_type = ordering<compared_element<Iterator>, Compare, Projection>;
    constexpr key_format format = order_type::format;
    host::permutation order{count};
    const column codes{keys.data(), format.bytes}, indices = order.indices();
    const std::array locations{detail::locate(codes.data), detail::locate(indices.data)};
    detail::device_argsort({{codes.data, format.bytes, 0, format}, count, indices, Stable, how, locations.data()},
                           options);
    if constexpr (order_type::led)
      detail::with_coded_elements(first, compare, projection, [&](const host::coded_elements& elements) {
        host::sort_equal_codes(elements, order, codes);
      });
    return order;
  }
}

/// Device memory needed by a precompiled sort, in addition to the elements if those are in device memory.
inline std::size_t sort_bytes(const sort_request& request, const location& at, const execution_options& options) {
  return kernels_reach(at) ? device_sort_scratch_bytes(request) : device_sort_host_data_bytes(request, options);
}

inline namespace GPUPAR_UNIT {

/// Up to this many elements are sorted on the host before a plan is made. Elements that are neither merged nor sorted
/// by indices are sorted by insertion, which would move more of them too often.
template <class T, class Compare, class Projection>
inline constexpr std::size_t at_once_v = host::compact<T> || sorts_by_indices_v<T, Compare, Projection> ? 16 : 8;

/// Sorts elements. They are not read before done_at_once().
template <class Terms, class Iterator, class Compare, class Projection>
struct sort_call : call_on_elements<Terms, Iterator, Compare, Projection> {
  using base = call_on_elements<Terms, Iterator, Compare, Projection>;
  using base::base, base::elements, base::count, base::compare, base::projection, base::host_serves;
  using typename base::T;
  static constexpr bool stable = Terms::stable;
  static constexpr device_way way = detail::way_of<T, Compare, Projection, Terms::where>();

  [[nodiscard]] bool done_at_once(const execution_options& options) const {
    T* const data = elements.data();
    detail::require_memory(data, count);
    if (count < 2) return true;
    if constexpr (Terms::where == placement::host_only && host_serves)
      if (constexpr std::size_t few = at_once_v<T, Compare, Projection>;
          count <= few && detail::needs_no_plan(std::array{detail::locate(data)}, options)) {
        constexpr std::size_t dear = ordering<T, Compare, Projection>::natural ? 6 : 4;
        const element_less<T, Compare, Projection> less{compare, projection};
        if (sorts_by_indices_v<T, Compare, Projection> && count >= dear) {
          if constexpr (sorts_by_indices_v<T, Compare, Projection>)
            detail::sort_by_indices(data, count, compare, projection);
        } else if constexpr (stable) {
          host::merge_sort_few<few>(data, count, less);
        } else {
          host::sort_few<host::default_tuning>(data, count, less);
        }
        return true;
      }
    return false;
  }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = detail::describe<sort_call, T, Compare, Projection>(stable ? operation::stable_sort : operation::sort,
                                                                    at, count);
    work.key_is_element = detail::are_keys<T>(compare, projection);
    return work;
  }
  void complete(plan& decided, const location& at, const execution_options& options) const {
    if constexpr (way == device_way::keys_by_index)
      decided.scratch_bytes = detail::order_scratch_bytes<stable, T, Compare, Projection>(count, decided.how);
    if constexpr (way == device_way::precompiled)
      decided.scratch_bytes = detail::sort_bytes(request(decided.how, nullptr), at, options);
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated) {
      const device::compare_elements<T, Compare, Projection> less{compare, projection};
      decided.scratch_bytes = device::element_bytes<stable, Terms::memory != residence::device>(
          options, elements.data(), count, less, decided.how);
      if (!stable && device::guesses_order<T, device::no_value, decltype(less)>(count, decided.how))
        decided.remark = "numbers are sorted as such if the comparator turns out to be their natural order, up or down";
    }
#endif
    (void)at, (void)options;
  }
  void on_device(algorithm how, const location* at, const execution_options& options) const {
    if constexpr (way == device_way::precompiled) detail::device_sort(request(how, at), options);
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated)
      device::sort_elements<stable, Terms::memory != residence::device>(
          options, elements.data(), count, device::compare_elements<T, Compare, Projection>{compare, projection}, how);
#endif
    else if constexpr (way == device_way::keys_by_index)
      host::permute_columns(
          count,
          detail::order_by_keys_on_device<stable>(elements.data(), count, compare, projection, how, options).view(),
          elements.data());
    (void)at;
  }
  void on_host(algorithm how, const execution_options&) const {
    detail::sort_on_host<stable>(elements.data(), count, compare, projection, how);
  }

 private:
  [[nodiscard]] sort_request request(algorithm how, const location* at) const {
    const keyed_elements keys = detail::keyed(elements.data(), compare, projection);
    return {keys, count, nullptr, 0, detail::stability_shows<stable>(keys), how, at};
  }
};
template <class Terms, class Iterator, class Compare, class Projection>
sort_call(Terms, const Iterator&, std::size_t, const Compare&,
          const Projection&) -> sort_call<Terms, Iterator, Compare, Projection>;

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
