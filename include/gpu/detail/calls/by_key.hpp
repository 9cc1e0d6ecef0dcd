// sort_by_key, between the public functions and the backends. If kernels can access keys and values, they are sorted
// together on the device; otherwise a permutation is determined and applied on the host.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>

#include "../keys/keys.hpp"

namespace gpu::inline v1::detail {

/// The host backend's sort of keys with columns; uses the library's own code if that can access all of them.
template <bool Stable, class Keys, class Compare, class Projection, class... Values>
void sort_columns_on_host(const Keys& keys, std::size_t count, const Compare& compare, const Projection& projection,
                          algorithm how, const Values&... values) {
  using T = compared_element<Keys>;
  using order_type = ordering<T, Compare, Projection>;
  if constexpr (order_type::natural && order_type::key_in_place && is_column_v<Keys> && (is_column_v<Values> && ...)) {
    const std::array<column, sizeof...(Values)> columns{detail::as_column(values)...};
    const keyed_elements elements = detail::keyed(detail::address_of(keys), compare, projection);
    if (elements.parts.count == 0)
      return host::sort_by_keys({elements, count, columns.data(), columns.size(), Stable, how});
  }
  const auto order = detail::order_on_host<Stable>(keys, count, compare, projection, how);
  host::permute_columns(count, order.view(), keys, values...);
}

inline namespace GPUPAR_UNIT {

/// Sorts keys and the value columns with them.
template <class Terms, class Rows, class... Values>
struct sort_by_key_call : call_on_keys<Terms, Rows, Values...> {
  using base = call_on_keys<Terms, Rows, Values...>;
  using base::count, base::keys, base::way;
  using typename base::Compare, typename base::Projection, typename base::T;
  static constexpr bool stable = Terms::stable;
  static constexpr std::size_t columns_behind = Rows::columns - 1 + sizeof...(Values);
  using columns = std::array<column, columns_behind>;

  std::tuple<Values...> values;

  sort_by_key_call(Terms, const Rows& given_keys, std::size_t given_count, const Values&... given_values)
      : base{{}, given_keys, given_count}, values{given_values...} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    this->require_memory();
    detail::with_all(values, [&](const auto&... all) { (detail::require_memory_of(all, count), ...); });
    return count < 2;
  }
  [[nodiscard]] auto locations() const {
    return detail::with_all(values, [&](const auto&... all) { return this->locations_with(all...); });
  }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = this->describe_keys(stable ? operation::stable_sort_by_key : operation::sort_by_key, at);
    work.value_columns = sizeof...(Values);
    work.value_bytes = (std::size_t{0} + ... + sizeof(std::iter_value_t<Values>));
    return work;
  }
  void complete(plan& decided, const location& at, const execution_options& options) const {
    columns behind;
    if (this->goes_by_order(at)) {
      if constexpr (base::may_go_by_order)
        decided.scratch_bytes = detail::order_scratch_bytes<stable, T, Compare, Projection>(count, decided.how);
    } else if constexpr (way == device_way::precompiled) {
      decided.scratch_bytes = detail::sort_bytes(request(behind, decided.how, nullptr), at, options);
    } else if constexpr (way == device_way::instantiated) {
      constexpr std::size_t row_bytes = (sizeof(T) + ... + sizeof(std::iter_value_t<Values>));
      decided.scratch_bytes = detail::staging_bytes(at, count * row_bytes);
    }
    (void)behind, (void)options;
  }
  void on_device(algorithm how, const location* at, const execution_options& options) const {
    if constexpr (base::may_go_by_order)
      if (this->goes_by_order(ruling_location({at, columns_behind + 1})))
        return permute(this->template order_by_device<stable>(how, options));
    columns behind;
    if constexpr (way == device_way::precompiled) detail::device_sort(request(behind, how, at), options);
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated) {
      write_values(behind);
      device::sort_columns<stable, Terms::memory != residence::device>(
          options, detail::address_of(keys.rows), count,
          device::compare_elements<T, Compare, Projection>{keys.less, keys.projection}, behind.data(), behind.size(),
          how);
    }
#endif
    (void)behind, (void)how, (void)at, (void)options;
  }
  void on_host(algorithm how, const execution_options&) const {
    if constexpr (Rows::are_rows)
      permute(detail::order_on_host<stable>(keys.rows, count, keys.less, keys.projection, how));
    else
      detail::with_all(values, [&](const auto&... all) {
        detail::sort_columns_on_host<stable>(keys.rows, count, keys.less, keys.projection, how, all...);
      });
  }

 private:
  void permute(const host::permutation& order) const {
    keys.with_columns([&](const auto&... key_columns) {
      detail::with_all(values,
                       [&](const auto&... all) { host::permute_columns(count, order.view(), key_columns..., all...); });
    });
  }
  void write_values(columns& behind) const {
    column* next = behind.data() + (Rows::columns - 1);
    detail::with_all(values, [&](const auto&... all) { ((*next++ = detail::as_column(all)), ...); });
  }
  /// Key columns after the first are value columns of the request.
  [[nodiscard]] sort_request request(columns& behind, algorithm how, const location* at) const {
    keyed_elements elements = keys.elements(behind.data());
    elements.more = nullptr;
    write_values(behind);
    return {elements, count, behind.data(), behind.size(), stable, how, at};
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
