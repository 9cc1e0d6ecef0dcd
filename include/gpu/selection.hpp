// Selection: the standard's nth_element, partial_sort and partial_sort_copy with a policy first; and the k greatest
// elements, or the first k in any order, with their indices or with values.
//
// Place, order of floats, projections and errors are as in sort.hpp. On data that the host can access, the host does
// the selection unless the policy requires the device: one pass over them costs less than the transfer. Selection from
// device memory runs on the policy's stream; other calls return when the result is complete. Outputs overlap no input;
// an overlap is refused with gpu::error (errc::overlapping_ranges). Elements selected into an output are in order,
// equivalent ones in the order of the input, and the same in every run.
#pragma once

#include "detail/calls/range_with_position.hpp"
#include "detail/calls/selection.hpp"
#include "detail/misuse/selection.hpp"

namespace gpu::inline v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

struct partial_sort_copy_function : refuses_misuse<misuse_of_selection<true>> {
  using refuses_misuse<misuse_of_selection<true>>::operator();

  template <execution_policy Policy, random_access_iterator Input, end_of<Input> InputEnd, rearrangeable Output,
            end_of<Output> OutputEnd, class Compare = default_less<Input>,
            callable_projection<Input> InputProjection = std::identity,
            callable_projection<Output> OutputProjection = std::identity>
    requires output_for<Output, Input> && callable_comparator<Compare, InputProjection, Input>
  Output operator()(const Policy& policy, Input first, InputEnd last, Output output_first, OutputEnd output_last,
                    Compare compare = {}, InputProjection projection = {}, OutputProjection = {}) const {
    const std::size_t count = detail::count_of(first, last);
    const std::size_t selected = (std::min)(count, detail::count_of(output_first, output_last));
    using terms = call_terms<residence_of<Input, Output>, Policy::where>;
    detail::run_call(policy, select_call{terms{}, operation::partial_sort_copy, single_keys{first, compare, projection},
                                         count, selected, no_indices, selected_column{first, output_first}});
    return detail::advanced(output_first, selected);
  }

  template <execution_policy Policy, random_access_range Input, rearrangeable_range Output,
            class Compare = default_less<Input>,
            callable_projection<std::ranges::iterator_t<Input>> InputProjection = std::identity,
            callable_projection<std::ranges::iterator_t<Output>> OutputProjection = std::identity>
    requires output_for<std::ranges::iterator_t<Output>, std::ranges::iterator_t<Input>> &&
             callable_comparator<Compare, InputProjection, std::ranges::iterator_t<Input>>
  std::ranges::partial_sort_copy_result<std::ranges::borrowed_iterator_t<Input>,
                                        std::ranges::borrowed_iterator_t<Output>>
  operator()(const Policy& policy, Input&& input, Output&& output, Compare compare = {},
             InputProjection projection = {}, OutputProjection = {}) const {
    const std::size_t count = detail::size_of(input);
    const std::size_t selected = (std::min)(count, detail::size_of(output));
    const auto first = std::ranges::begin(input);
    const auto output_first = std::ranges::begin(output);
    using terms = call_terms<residence_of<Input, Output>, Policy::where>;
    detail::run_call(policy, select_call{terms{}, operation::partial_sort_copy, single_keys{first, compare, projection},
                                         count, selected, no_indices, selected_column{first, output_first}});
    return {detail::advanced(first, count), detail::advanced(output_first, selected)};
  }
};

struct top_k_function : refuses_misuse<misuse_of_selection<false>> {
  using refuses_misuse<misuse_of_selection<false>>::operator();

  template <execution_policy Policy, random_access_range Input, rearrangeable_range Output,
            class Compare = default_greater<Input>,
            callable_projection<std::ranges::iterator_t<Input>> Projection = std::identity>
    requires output_for<std::ranges::iterator_t<Output>, std::ranges::iterator_t<Input>> &&
             callable_comparator<Compare, Projection, std::ranges::iterator_t<Input>>
  std::ranges::borrowed_iterator_t<Output> operator()(const Policy& policy, Input&& input, Output&& output,
                                                      Compare compare = {}, Projection projection = {}) const {
    using terms = call_terms<residence_of<Input, Output>, Policy::where>;
    const std::size_t count = detail::size_of(input), selected = detail::size_of(output);
    detail::require_selectable("top_k", selected, count);
    const selected_column copied{std::ranges::begin(input), std::ranges::begin(output)};
    detail::run_call(policy, select_call{terms{}, operation::top_k, single_keys{copied.from, compare, projection},
                                         count, selected, no_indices, copied});
    return detail::advanced(copied.to, selected);
  }
};

struct arg_top_k_function : refuses_misuse<misuse_of_arg_top_k> {
  using refuses_misuse<misuse_of_arg_top_k>::operator();

  template <execution_policy Policy, random_access_range Keys, index_range Indices,
            class Compare = default_greater<Keys>,
            callable_projection<std::ranges::iterator_t<Keys>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Keys>>
  std::ranges::borrowed_iterator_t<Indices> operator()(const Policy& policy, Keys&& keys, Indices&& indices,
                                                       Compare compare = {}, Projection projection = {}) const {
    using output = std::ranges::iterator_t<Indices>;
    using integer = std::iter_value_t<output>;
    using index = bits_of_size<sizeof(integer)>;
    const std::size_t count = detail::size_of(keys), selected = detail::size_of(indices);
    const auto first = std::ranges::begin(keys);
    const auto to = std::ranges::begin(indices);
    detail::require_selectable("arg_top_k", selected, count);
    detail::require_countable<integer>(count);
    const auto select = [&](index* written) {
      using terms = call_terms<residence_of<Keys, Indices>, Policy::where>;
      detail::run_call(policy, select_call{terms{}, operation::arg_top_k, single_keys{first, compare, projection},
                                           count, selected, written});
    };
    if constexpr (is_contiguous_v<output>) {
      select(reinterpret_cast<index*>(detail::address_of(to)));
    } else {
      host::buffer<index> written{selected};
      select(written.data());
      std::copy_n(written.data(), selected, to);
    }
    return detail::advanced(to, selected);
  }
};

struct top_k_by_key_function : refuses_misuse<misuse_of_top_k_by_key> {
  using refuses_misuse<misuse_of_top_k_by_key>::operator();

  template <execution_policy Policy, random_access_range Keys, rearrangeable_range KeysOut, random_access_range Values,
            rearrangeable_range ValuesOut, class Compare = default_greater<Keys>,
            callable_projection<std::ranges::iterator_t<Keys>> Projection = std::identity>
    requires output_for<std::ranges::iterator_t<KeysOut>, std::ranges::iterator_t<Keys>> &&
             output_for<std::ranges::iterator_t<ValuesOut>, std::ranges::iterator_t<Values>> &&
             callable_comparator<Compare, Projection, std::ranges::iterator_t<Keys>>
  std::pair<std::ranges::borrowed_iterator_t<KeysOut>, std::ranges::borrowed_iterator_t<ValuesOut>> operator()(
      const Policy& policy, Keys&& keys, KeysOut&& keys_out, Values&& values, ValuesOut&& values_out,
      Compare compare = {}, Projection projection = {}) const {
    const std::size_t count = detail::size_of(keys), selected = detail::size_of(keys_out);
    detail::require_selectable("top_k_by_key", selected, count);
    detail::require_room(detail::size_of(values), count);
    detail::require_room(detail::size_of(values_out), selected);
    using terms = call_terms<residence_of<Keys, KeysOut, Values, ValuesOut>, Policy::where>;
    const selected_column key_column{std::ranges::begin(keys), std::ranges::begin(keys_out)};
    const selected_column value_column{std::ranges::begin(values), std::ranges::begin(values_out)};
    detail::run_call(
        policy, select_call{terms{}, operation::top_k_by_key, single_keys{key_column.from, compare, projection}, count,
                            selected, no_indices, key_column, value_column});
    return {detail::advanced(key_column.to, selected), detail::advanced(value_column.to, selected)};
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace detail

inline namespace GPUPAR_UNIT {

/// nth_element(policy, first, nth, last, compare, projection), nth_element(policy, range, nth, compare, projection)
///   -> end of the range
/// Puts at nth the element that would be there if the range were sorted; no element before it goes after it in the
/// order, and no element behind it goes before it. Does nothing if nth is the end. O(n) work on average, for every
/// input. In place: scratch of a few per cent of n, plus the positions of the elements that change sides, at most twice
/// min(nth, n - nth).
inline constexpr detail::range_with_position_function<detail::nth_element_call> nth_element{};

/// partial_sort(policy, first, middle, last, compare, projection), partial_sort(policy, range, middle, …)
///   -> end of the range
/// Puts the first k = middle - first elements of the sorted order into [first, middle), sorted; the rest follow in any
/// order. O(n + k log k) work. Scratch as for nth_element and a sort of k elements.
inline constexpr detail::range_with_position_function<detail::partial_sort_call> partial_sort{};

/// partial_sort_copy(policy, first, last, output_first, output_last, compare, projection, output_projection)
///   -> end of what is written
/// partial_sort_copy(policy, input, output, …) -> std::ranges::partial_sort_copy_result
/// Writes the first elements of the sorted order to the output, in order: as many as the output has room for, at most
/// all of them. Stable; the input is not changed. O(n + k log k) work for k elements written.
inline constexpr detail::partial_sort_copy_function partial_sort_copy{};

/// top_k(policy, input, output, compare = greater, projection) -> end of the output
/// Writes the first k = size(output) elements of the order given by compare to the output, in order; among equivalent
/// elements, those that come first in the input. The input is not changed. O(n + k log k) work. Throws gpu::error
/// (errc::invalid_range) if there are fewer than k elements.
inline constexpr detail::top_k_function top_k{};

/// arg_top_k(policy, keys, indices, compare = greater, projection) -> end of the indices
/// Writes the indices of the elements that top_k would write, as integers of 32 or 64 bits.
inline constexpr detail::arg_top_k_function arg_top_k{};

/// top_k_by_key(policy, keys, keys_output, values, values_output, compare = greater, projection)
///   -> pair of the outputs' ends
/// top_k of the keys; the corresponding values are written to the values output in the same order.
inline constexpr detail::top_k_by_key_function top_k_by_key{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
