// is_sorted and is_sorted_until between the public functions and the backends.
#pragma once

#include "../host/sorted.hpp"
#include "../keys/keys.hpp"

namespace gpu::inline v1::detail {
inline namespace GPUPAR_UNIT {

/// Determines the length of the longest sorted prefix. Only reads; data that the host can access are examined in place.
template <class Terms, class Rows>
struct sorted_prefix_call : call_on_keys<Terms, Rows> {
  using base = call_on_keys<Terms, Rows>;
  using base::count, base::keys, base::way;
  using typename base::Compare, typename base::Projection, typename base::T;

  std::size_t length;

  sorted_prefix_call(Terms, const Rows& given_keys, std::size_t given_count)
      : base{{}, given_keys, given_count}, length{given_count} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    this->require_memory();
    return count < 2;
  }
  [[nodiscard]] auto locations() const { return this->locations_with(); }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = this->describe_keys(operation::sorted_prefix, at);
    work.way = way == device_way::keys_by_index ? device_way::none : way;  // keys are not transferred just to be read
    return work;
  }
  void on_device(algorithm, const location*, const execution_options& options) {
    if constexpr (way == device_way::precompiled) {
      std::array<column, Rows::columns> more;
      length = detail::device_sorted_prefix(keys.elements(more.data()), count, options);
    }
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      length = device::sorted_prefix(options, detail::address_of(keys.rows), count,
                                     device::compare_elements<T, Compare, Projection>{keys.less, keys.projection});
#endif
    (void)options;
  }
  void on_host(algorithm, const execution_options&) {
    length = host::sorted_until(keys.rows, count, element_less<T, Compare, Projection>{keys.less, keys.projection});
  }
};

template <residence Memory, placement Where, class Rows>
std::size_t sorted_prefix(const execution_options& options, const Rows& keys, std::size_t count) {
  sorted_prefix_call call{call_terms<Memory, Where>{}, keys, count};
  detail::run_call(options, call);
  return call.length;
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
