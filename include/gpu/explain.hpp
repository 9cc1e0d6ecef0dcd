// What would gpu::sort do here? explain() calls the same function that makes the decision for the call itself.
#pragma once

#include "detail/calls/sort.hpp"
#include "detail/keys/key_remark.hpp"
#include "detail/misuse/sort.hpp"

namespace gpu::inline v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

/// What run_call() would do.
template <class Call>
plan explain_call(const execution_options& options, const Call& call) {
  detail::require_way<Call::way, Call::where, Call::memory>();
  const auto locations = call.locations();
  const location at = detail::ruling_location(locations);
  const workload work = call.describe(at);
  plan decided = detail::choose(work, options);
  detail::complete(decided, call, at, options);
  if (Call::way == device_way::keys_by_index && decided.where == backend::device &&
      !is_within_limit(decided.scratch_bytes, options)) {
    if constexpr (Call::where == placement::device_only) GPUPAR_THROW(no_device_memory{});
    decided = detail::plan_without_device(work, options);
  }
  detail::announce(work, decided);
  detail::tell_of_key(work, decided);
  return decided;
}

template <bool Stable>
struct explain_function : refuses_misuse<misuse_of_sort<false>> {
  using refuses_misuse<misuse_of_sort<false>>::operator();

  template <execution_policy Policy, random_access_iterator Iterator, end_of<Iterator> Sentinel,
            class Compare = default_less<Iterator>, callable_projection<Iterator> Projection = std::identity>
    requires callable_comparator<Compare, Projection, Iterator>
  [[nodiscard]] plan operator()(const Policy& policy, Iterator first, Sentinel last, Compare compare = {},
                                Projection projection = {}) const {
    return run<residence_of<Iterator>>(policy, first, detail::count_of(first, last), compare, projection);
  }

  template <execution_policy Policy, random_access_range Range, class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  [[nodiscard]] plan operator()(const Policy& policy, Range&& range, Compare compare = {},
                                Projection projection = {}) const {
    return run<residence_of<Range>>(policy, std::ranges::begin(range), detail::size_of(range), compare, projection);
  }

 private:
  template <residence Memory, class Policy, class Iterator, class Compare, class Projection>
  static plan run(const Policy& policy, const Iterator& first, std::size_t count, const Compare& compare,
                  const Projection& projection) {
    std::iter_value_t<Iterator>* data = nullptr;  // elements that are not contiguous are moved to host memory first
    if constexpr (is_contiguous_v<Iterator>) {
      data = const_cast<std::iter_value_t<Iterator>*>(detail::address_of(first));
      detail::require_memory(data, count);
    }
    return detail::explain_call(
        policy.options(), sort_call{call_terms<Memory, Policy::where, Stable>{}, data, count, compare, projection});
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace detail

inline namespace GPUPAR_UNIT {

/// explain(policy, first, last, compare, projection), explain(policy, range, compare, projection) -> plan
/// What gpu::sort would do with these arguments: backend, algorithm, bytes of scratch, and the reason. Moves no
/// elements, so that const ranges are accepted; throws the errors with which the sort would refuse the call.
inline constexpr detail::explain_function<false> explain{};

/// explain_stable_sort(policy, first, last, compare, projection), explain_stable_sort(policy, range, …) -> plan
/// What gpu::stable_sort would do with these arguments.
inline constexpr detail::explain_function<true> explain_stable_sort{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
