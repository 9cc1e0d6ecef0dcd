// argsort, between the public functions and the backends.
#pragma once

#include <array>
#include <cstddef>

#include "../keys/keys.hpp"

namespace gpu::inline v1::detail {
inline namespace GPUPAR_UNIT {

/// Writes the stable sorting permutation of keys to contiguous unsigned indices.
template <class Terms, class Rows, class Index>
struct argsort_call : call_on_keys<Terms, Rows> {
  using base = call_on_keys<Terms, Rows>;
  using base::count, base::keys, base::way;
  using typename base::Compare, typename base::Projection, typename base::T;

  Index* indices;

  argsort_call(Terms, const Rows& given_keys, std::size_t given_count, Index* given_indices)
      : base{{}, given_keys, given_count}, indices{given_indices} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    this->require_memory();
    detail::require_memory(indices, count);
    return count == 0;
  }
  [[nodiscard]] auto locations() const { return this->locations_with(indices); }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = this->describe_keys(operation::argsort, at);
    work.value_columns = 1;
    work.value_bytes = sizeof(Index);
    return work;
  }
  void on_device(algorithm how, const location* locations, const execution_options& options) const {
    const location at = ruling_location({locations, Rows::columns + 1});
    if constexpr (base::may_go_by_order)
      if (this->goes_by_order(at)) return write(this->template order_by_device<true>(how, options));
    if constexpr (way == device_way::precompiled) {
      if (host_reaches(at))
        detail::require_within_limit(
            count * sizeof(T) + detail::order_scratch_bytes<true, T, Compare, Projection>(count, how), options);
      std::array<column, Rows::columns> more;
      const std::array ends{locations[0], locations[Rows::columns]};
      detail::device_argsort({keys.elements(more.data()), count, {indices, sizeof(Index)}, true, how, ends.data()},
                             options);
    }
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated) {
      using device_less = device::compare_elements<T, Compare, Projection>;
      if (host_reaches(at))
        detail::require_within_limit(device::argsort_bytes<T, device_less, Index>(count, how), options);
      device::argsort_elements(options, detail::address_of(keys.rows), count, device_less{keys.less, keys.projection},
                               indices, how);
    }
#endif
    (void)at, (void)how, (void)options;
  }
  void on_host(algorithm how, const execution_options&) const {
    write(detail::order_on_host<true>(keys.rows, count, keys.less, keys.projection, how));
  }

 private:
  void write(const host::permutation& order) const { host::copy_indices(order.view(), count, indices); }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
