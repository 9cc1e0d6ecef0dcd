// The sorts between the public functions and the backends: describe the work, let choose() decide, call one side.
#pragma once

#include <algorithm>
#include <numeric>

#include "dispatch.hpp"
#include "host/permute.hpp"
#include "host/request.hpp"
#include "host/sort.hpp"
#include "index.hpp"
#include "strings.hpp"
#if defined(__CUDACC__)
#include "device/elements.cuh"
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

template <class T, class Compare, class Projection>
keyed_elements keyed(const T* data, const Projection& projection) {
  using order = ordering<T, Compare, Projection>;
  return {const_cast<std::remove_const_t<T>*>(data), sizeof(T), order::key_offset(data, projection), order::format};
}

/// The natural keys of [first, first + count), side by side.
template <class Compare, class Iterator, class Projection>
auto extract_keys(const Iterator& first, std::size_t count, Projection projection) {
  using key = typename ordering<std::iter_value_t<Iterator>, Compare, Projection>::key;
  host::buffer<bits_of_size<sizeof(key)>> keys{count};
  host::for_each_part<host::default_tuning>(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::iter_value_t<Iterator>& element = *advanced(first, i);
      keys[i] = key_bits<key>(call(projection, element));
    }
  });
  return keys;
}

/// The permutation that sorts [first, first + count) on the host; the elements stay where they are.
template <bool Stable, class Index, class Iterator, class Compare, class Projection>
host::buffer<Index> order_on_host(const Iterator& first, std::size_t count, const Compare& compare,
                                  const Projection& projection, algorithm how) {
  using T = std::iter_value_t<Iterator>;
  using order_type = ordering<T, Compare, Projection>;
  if constexpr (order_type::natural) {
    host::buffer<Index> order{count};
    const auto argsort = [&](const keyed_elements& elements) {
      host::argsort_by_keys({elements, count, {order.data(), sizeof(Index)}, Stable, how});
    };
    if constexpr (order_type::key_in_place && is_contiguous_v<Iterator>) {
      argsort(keyed<T, Compare>(address_of(first), projection));
    } else {
      auto keys = extract_keys<Compare>(first, count, projection);
      argsort({keys.data(), sizeof(keys[0]), 0, order_type::format});
    }
    return order;
  } else if constexpr (orders_texts_v<Iterator, Compare, Projection>) {
    return order_by_texts<Stable, Index, Compare>(first, count, projection, how, backend::host, {});
  } else {
    auto order = identity_permutation<Index>(count);
    const element_less<T, Compare, Projection> less{compare, projection};
    const auto by_element = [&](Index i, Index j) { return less(*advanced(first, i), *advanced(first, j)); };
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
  if constexpr (order_type::natural && order_type::key_in_place && std::is_trivially_copyable_v<T>) {
    if constexpr (!is_identity_v<Projection> && host::compact<T>) {
      constexpr std::size_t few = host::default_tuning::insertion_limit;  // to pack them would take as long
      const element_less<T, Compare, Projection> less{compare, projection};
      if (count <= few && how == algorithm::radix) return host::merge_sort_few<few>(data, count, less);
    }
    host::sort_by_keys({keyed<T, Compare>(data, projection), count, nullptr, 0, Stable, how});
  } else if constexpr (order_type::natural || order_type::textual) {
    constexpr std::size_t few = Stable ? host::default_tuning::insertion_limit : 48;
    if (count <= few) {  // a permutation is dearer than a few moves
      const element_less<T, Compare, Projection> less{compare, projection};
      if constexpr (Stable)
        return host::insertion_sort(data, count, less);
      else
        return host::introsort(data, count, less);
    }
    with_index(count, [&]<class Index>(Index) {
      const auto order = order_on_host<Stable, Index>(data, count, compare, projection, how);
      host::permute(data, count, order.data());
    });
  } else {
    const element_less<T, Compare, Projection> less{compare, projection};
    if constexpr (Stable)
      host::stable_sort(data, count, less, how);
    else
      host::sort(data, count, less, how);
  }
}

/// The permutation that sorts by a natural key which only the host can extract; sorted on the device.
template <bool Stable, class Index, class Compare, class Iterator, class Projection>
host::buffer<Index> order_by_keys_on_device(const Iterator& first, std::size_t count, const Projection& projection,
                                            algorithm how, const execution_options& options) {
  if constexpr (orders_texts_v<Iterator, Compare, Projection>)
    return order_by_texts<Stable, Index, Compare>(first, count, projection, how, backend::device, options);
  else {
    auto keys = extract_keys<Compare>(first, count, projection);
    constexpr key_format format = ordering<std::iter_value_t<Iterator>, Compare, Projection>::format;
    host::buffer<Index> order{count};
    device_argsort({{keys.data(), format.bytes, 0, format}, count, {order.data(), sizeof(Index)}, Stable, how},
                   options);
    return order;
  }
}

/// Device memory that order_by_keys_on_device takes: keys and order, staged, and what sorting them needs.
template <bool Stable, class T, class Compare, class Projection>
std::size_t order_scratch_bytes(std::size_t count, algorithm how) {
  using order = ordering<T, Compare, Projection>;
  return with_index(count, [&]<class Index>(Index) {
    const column indices{nullptr, sizeof(Index)};
    return count * (2 * order::format.bytes + sizeof(Index)) +
           device_sort_scratch_bytes(
               {{nullptr, order::format.bytes, 0, order::format}, count, &indices, 1, Stable, how});
  });
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
  if constexpr (order::natural || order::textual) work.key = order::format;
  work.key_is_element = is_identity_v<Projection>;
  work.typed_device = Memory == residence::device;
  return work;
}

/// The plan of a sort of contiguous elements. `data` tells where they are and is not read.
template <bool Stable, residence Memory, placement Where, class T, class Compare, class Projection>
plan plan_sort(const execution_options& options, T* data, std::size_t count, const Compare& compare,
               const Projection& projection) {
  constexpr device_way way = way_of<T, Compare, Projection, Where>();
  require_way<way, Where, Memory>();
  const location at = locate(data);
  const auto work =
      describe<way, Memory, T, Compare, Projection>(Stable ? operation::stable_sort : operation::sort, at, count);
  plan decided = choose(work, options);
  if (decided.where == backend::device) {
    decided.scratch_bytes = staging_bytes(at, count * sizeof(T));
    if constexpr (way == device_way::keys_by_index)
      decided.scratch_bytes = order_scratch_bytes<Stable, T, Compare, Projection>(count, decided.how);
    if constexpr (way == device_way::precompiled)
      decided.scratch_bytes +=
          device_sort_scratch_bytes({keyed<T, Compare>(data, projection), count, nullptr, 0, Stable, decided.how});
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      decided.scratch_bytes +=
          device::element_scratch_bytes<T, device::compare_elements<T, Compare, Projection>>(count, decided.how);
#endif
  }
  announce(work, decided);
  (void)compare, (void)projection;
  return decided;
}

/// Runs work on the device. False if there is too little memory and the host can take over: nothing has moved then.
template <bool HostServes, class Work>
bool attempt(const location& at, const Work& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    if (!HostServes || !host_reaches(at)) throw;
    return false;
  }
}

/// So few elements are sorted on the host before a plan is made.
inline constexpr std::size_t at_once = 8;

template <bool Stable, residence Memory, placement Where, class T, class Compare, class Projection>
void sort_contiguous(const execution_options& options, T* data, std::size_t count, const Compare& compare,
                     const Projection& projection) {
  constexpr device_way way = way_of<T, Compare, Projection, Where>();
  constexpr bool host_serves = host_may_serve<Where, Memory, Compare, Projection>;
  if (count < 2) return require_way<way, Where, Memory>();
  if constexpr (Where == placement::host_only && host_serves)
    if (count <= at_once && options.forced == algorithm::automatic && !announces()) {
      const element_less<T, Compare, Projection> less{compare, projection};
      return host::insertion_sort(data, count, less);
    }
  const plan decided = plan_sort<Stable, Memory, Where>(options, data, count, compare, projection);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled)
      device_sort({keyed<T, Compare>(data, projection), count, nullptr, 0, Stable, decided.how}, options);
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated)
      device::sort_elements<Stable>(options, data, count,
                                    device::compare_elements<T, Compare, Projection>{compare, projection}, decided.how);
#endif
    else if constexpr (way == device_way::keys_by_index)
      with_index(count, [&]<class Index>(Index) {
        const auto order =
            order_by_keys_on_device<Stable, Index, Compare>(data, count, projection, decided.how, options);
        host::permute(data, count, order.data());
      });
  };
  if (decided.where == backend::device && attempt<host_serves>(locate(data), on_device)) return;
  if constexpr (host_serves)
    sort_on_host<Stable>(data, count, compare, projection, decided.how);
  else
    refuse_device_callable();
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
