// Applying a permutation, as argsort returns it: to other columns, or in place.
#pragma once

#include <ranges>

#include "detail/arguments/arguments.hpp"
#include "detail/calls/gather.hpp"
#include "detail/misuse/argsort.hpp"

namespace gpu::inline v1 {
namespace detail {

inline namespace GPUPAR_UNIT {

/// A pointer if the elements are contiguous, otherwise the iterator itself.
template <class Range>
auto begin_of(Range& range) {
  const auto first = std::ranges::begin(range);
  if constexpr (is_contiguous_v<std::ranges::iterator_t<Range>>)
    return detail::address_of(first);
  else
    return first;
}

struct gather_function : refuses_misuse<misuse_of_gather> {
  using refuses_misuse<misuse_of_gather>::operator();

  template <execution_policy Policy, readable_indices Indices, random_access_range Source, copied_from<Source> Target>
  void operator()(const Policy& policy, Indices&& indices, Source&& source, Target&& target) const {
    const std::size_t count = detail::size_of(indices);
    detail::require_room(detail::size_of(target), count);
    using terms = call_terms<residence_of<Indices, Source, Target>, Policy::where>;
    detail::run_call(policy, gather_call{terms{}, detail::begin_of(indices), count, detail::begin_of(source),
                                         detail::size_of(source), detail::begin_of(target)});
  }

  template <execution_policy Policy, readable_indices Indices, random_access_range Source, copied_from<Source> Target,
            class... Others>
    requires(sizeof...(Others) >= 2)
  void operator()(const Policy& policy, Indices&& indices, Source&& source, Target&& target, Others&&... others) const
    requires requires { (*this)(policy, indices, others...); }
  {
    (*this)(policy, indices, source, target);
    (*this)(policy, indices, others...);
  }
};

struct permute_function : refuses_misuse<misuse_of_permute> {
  using refuses_misuse<misuse_of_permute>::operator();

  template <execution_policy Policy, readable_indices Indices, rearrangeable_range... Columns>
    requires(sizeof...(Columns) > 0)
  void operator()(const Policy& policy, Indices&& indices, Columns&&... columns) const {
    const std::size_t count = detail::size_of(indices);
    for (const std::size_t size : {detail::size_of(columns)...})
      if (size != count) refuse(errc::invalid_range, "a column is not as long as the permutation: make them equal");
    using terms = call_terms<residence_of<Indices, Columns...>, Policy::where>;
    detail::run_call(policy, permute_call{terms{}, detail::begin_of(indices), count, detail::begin_of(columns)...});
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace detail

inline namespace GPUPAR_UNIT {

/// gather(policy, indices, source, target, source, target…)
/// target[i] = source[indices[i]] for every index, for each pair of a source and a target. Sources are not changed and
/// do not overlap the targets, which have room for as many elements as there are indices. Indices are integers of 32 or
/// 64 bits, in any order, and may repeat. Throws gpu::error (errc::invalid_range) before anything is written if an
/// index is outside a source; with par_nosync and data in device memory, such an index is treated as that of the last
/// element.
inline constexpr detail::gather_function gather{};

/// permute(policy, permutation, columns...)
/// Element i of every column becomes the old element permutation[i]: if the permutation is the argsort of some keys,
/// this rearranges the columns as sort_by_key would. Columns have as many elements as the permutation; the elements may
/// be move-only. Scratch for the largest column. Throws gpu::error (errc::invalid_range) before anything has been moved
/// if an index is outside the columns or occurs twice; with par_nosync and data in device memory, an index outside is
/// treated as that of the last element.
inline constexpr detail::permute_function permute{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
