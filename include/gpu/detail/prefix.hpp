// is_sorted and is_sorted_until between the public functions and the backends.
#pragma once

#include "host/sorted.hpp"
#include "sort.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

/// The length of the longest sorted prefix. Reads only; data that the host reaches are looked at where they are.
template <residence Memory, placement Where, class Iterator, class Compare, class Projection>
std::size_t sorted_prefix(const execution_options& options, const Iterator& first, std::size_t count,
                          const Compare& compare, const Projection& projection) {
  using T = compared_element<Iterator>;
  if constexpr (is_contiguous_v<Iterator>) {
    constexpr device_way way = detail::way_of<T, Compare, Projection, Where>();
    constexpr bool by_kernels = way == device_way::precompiled || way == device_way::instantiated;
    detail::require_way<way, Where, Memory>();
    auto* data = detail::address_of(first);
    detail::require_memory(data, count);
    if (count < 2) return count;
    const auto work = detail::describe < by_kernels ? way : device_way::none, Memory, T, Compare,
               Projection > (operation::sorted_prefix, detail::locate(data), count);
    const plan decided = detail::decide(work, options);
    detail::announce(work, decided);
    if (decided.where == backend::device) {
      if constexpr (way == device_way::precompiled)
        return detail::device_sorted_prefix(detail::keyed(data, compare, projection), count, options);
#if defined(__CUDACC__)
      if constexpr (way == device_way::instantiated)
        return device::sorted_prefix(options, data, count,
                                     device::compare_elements<T, Compare, Projection>{compare, projection});
#endif
    }
  }
  if constexpr (host_may_serve<Where, Memory, Compare, Projection>)
    return host::sorted_until(first, count, element_less<T, Compare, Projection>{compare, projection});
  else
    refuse_device_callable();
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
