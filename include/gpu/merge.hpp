// Merging: the standard's merge and inplace_merge with a policy first; merging by key, and of many sequences at once.
//
// All merges are stable: equivalent elements appear in the order of the sequences they come from. Inputs are sorted by
// comparator and projection and are not changed. An output has room for all elements and overlaps no input; an overlap
// is refused with gpu::error (errc::overlapping_ranges). Place, order of floats and errors are as in sort.hpp. Data
// that the host can access are merged by the host unless the policy requires the device: a merge costs less than the
// transfer.
#pragma once

#include "detail/arguments/delegate.hpp"
#include "detail/calls/merge.hpp"
#include "detail/calls/merge_by_key.hpp"
#include "detail/calls/multiway_merge.hpp"
#include "detail/calls/range_with_position.hpp"
#include "detail/misuse/merge.hpp"

namespace gpu::inline v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

struct merge_function : refuses_misuse<misuse_of_merge>, delegates<merge_function> {
  using refuses_misuse<misuse_of_merge>::operator();
  using delegates<merge_function>::operator();

  template <execution_policy Policy, random_access_iterator A, end_of<A> EndA, random_access_iterator B, end_of<B> EndB,
            class Output, class Compare = default_less_between<A, B>,
            callable_projection<A> ProjectionA = std::identity, callable_projection<B> ProjectionB = std::identity>
    requires output_for<Output, A> && output_for<Output, B> &&
             callable_comparator_between<Compare, ProjectionA, A, ProjectionB, B>
  Output operator()(const Policy& policy, A a_first, EndA a_last, B b_first, EndB b_last, Output output,
                    Compare compare = {}, ProjectionA projection_a = {}, ProjectionB projection_b = {}) const {
    merge_call call{call_terms<residence_of<A, B, Output>, Policy::where>{},
                    a_first,
                    detail::count_of(a_first, a_last),
                    b_first,
                    detail::count_of(b_first, b_last),
                    std::move(output),
                    compare,
                    projection_a,
                    projection_b};
    detail::run_call(policy, call);
    return std::move(call.output);
  }

  template <execution_policy Policy, random_access_range A, random_access_range B, class Output,
            class Compare = default_less_between<A, B>,
            callable_projection<std::ranges::iterator_t<A>> ProjectionA = std::identity,
            callable_projection<std::ranges::iterator_t<B>> ProjectionB = std::identity>
    requires output_for<Output, std::ranges::iterator_t<A>> && output_for<Output, std::ranges::iterator_t<B>> &&
             callable_comparator_between<Compare, ProjectionA, std::ranges::iterator_t<A>, ProjectionB,
                                         std::ranges::iterator_t<B>>
  std::ranges::merge_result<std::ranges::borrowed_iterator_t<A>, std::ranges::borrowed_iterator_t<B>, Output>
  operator()(const Policy& policy, A&& a, B&& b, Output output, Compare compare = {}, ProjectionA projection_a = {},
             ProjectionB projection_b = {}) const {
    const auto a_first = std::ranges::begin(a);
    const auto b_first = std::ranges::begin(b);
    const std::size_t a_count = detail::size_of(a);
    const std::size_t b_count = detail::size_of(b);
    merge_call call{call_terms<residence_of<A, B, Output>, Policy::where>{},
                    a_first,
                    a_count,
                    b_first,
                    b_count,
                    std::move(output),
                    compare,
                    projection_a,
                    projection_b};
    detail::run_call(policy, call);
    return {detail::advanced(a_first, a_count), detail::advanced(b_first, b_count), std::move(call.output)};
  }
};

struct merge_by_key_function : refuses_misuse<misuse_of_merge_by_key>, delegates<merge_by_key_function> {
  using refuses_misuse<misuse_of_merge_by_key>::operator();
  using delegates<merge_by_key_function>::operator();

  template <execution_policy Policy, random_access_iterator KeysA, end_of<KeysA> EndA, random_access_iterator KeysB,
            end_of<KeysB> EndB, random_access_iterator ValuesA, random_access_iterator ValuesB, class KeysOut,
            class ValuesOut, class Compare = default_less_between<KeysA, KeysB>,
            callable_projection<KeysA> Projection = std::identity>
    requires output_for<KeysOut, KeysA> && output_for<KeysOut, KeysB> && output_for<ValuesOut, ValuesA> &&
             output_for<ValuesOut, ValuesB> && callable_projection<Projection, KeysB> &&
             callable_comparator_between<Compare, Projection, KeysA, Projection, KeysB>
  std::pair<KeysOut, ValuesOut> operator()(const Policy& policy, KeysA a_first, EndA a_last, KeysB b_first, EndB b_last,
                                           ValuesA a_values, ValuesB b_values, KeysOut keys_out, ValuesOut values_out,
                                           Compare compare = {}, Projection projection = {}) const {
    constexpr residence memory = residence_of<KeysA, KeysB, ValuesA, ValuesB, KeysOut, ValuesOut>;
    merge_by_key_call call{call_terms<memory, Policy::where>{},
                           a_first,
                           detail::count_of(a_first, a_last),
                           b_first,
                           detail::count_of(b_first, b_last),
                           a_values,
                           b_values,
                           std::move(keys_out),
                           std::move(values_out),
                           compare,
                           projection};
    detail::run_call(policy, call);
    return {std::move(call.keys_out), std::move(call.values_out)};
  }
};

struct multiway_merge_function : refuses_misuse<misuse_of_multiway_merge> {
  using refuses_misuse<misuse_of_multiway_merge>::operator();

  template <execution_policy Policy, range_of_lasting_ranges Ranges, class Output,
            class Compare = default_less<std::ranges::range_reference_t<Ranges>>,
            class Iterator = std::ranges::iterator_t<std::remove_reference_t<std::ranges::range_reference_t<Ranges>>>,
            callable_projection<Iterator> Projection = std::identity>
    requires output_for<Output, Iterator> && (written_anywhere_v<Output> || filled_from_copy_of<Output, Iterator>) &&
             callable_comparator<Compare, Projection, Iterator>
  Output operator()(const Policy& policy, Ranges&& ranges, Output output, Compare compare = {},
                    Projection projection = {}) const {
    std::vector<host::sequence<Iterator>> sequences;
    sequences.reserve(detail::size_of(ranges));
    for (auto&& range : ranges) sequences.push_back({std::ranges::begin(range), detail::size_of(range)});
    constexpr residence memory = residence_of<std::ranges::range_value_t<Ranges>, Output>;
    multiway_merge_call call{call_terms<memory, Policy::where>{}, sequences, std::move(output), compare, projection};
    detail::run_call(policy, call);
    return std::move(call.output);
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace detail

inline namespace GPUPAR_UNIT {

/// merge(policy, first1, last1, first2, last2, output, compare, projection1, projection2) -> end of the output
/// merge(policy, range1, range2, output, …) -> std::ranges::merge_result
/// Merges two sorted ranges. O(n) work, n / p + log n time on p processors; no scratch except for the positions at
/// which the inputs are cut into pieces. The elements may be of two types. The output is any C++17 or C++20 output
/// iterator that accepts them; one that can only be written element by element, such as std::back_inserter, is filled
/// from a copy on the host, or directly as the elements are merged.
inline constexpr detail::merge_function merge{};

/// inplace_merge(policy, first, middle, last, compare, projection),
/// inplace_merge(policy, range, middle, compare, projection) -> end of the range
/// Merges [first, middle) and [middle, last). Scratch of n elements; if it is not available, std::bad_alloc is thrown
/// before anything has been moved.
inline constexpr detail::range_with_position_function<detail::inplace_merge_call> inplace_merge{};

/// merge_by_key(policy, keys1_first, keys1_last, keys2_first, keys2_last, values1, values2, keys_output, values_output,
///              compare, projection) -> pair of the outputs' ends
/// Merges keys, which may be of two types, and moves the values with them. Requirements on the outputs are as for
/// merge.
inline constexpr detail::merge_by_key_function merge_by_key{};

/// multiway_merge(policy, ranges, output, compare, projection) -> end of the output
/// Merges any number of sorted ranges, known at run time: `ranges` is a range of ranges, which may be empty. The result
/// is that of a cascade of std::merge, in one pass over memory (Leischner, multiway selection): every processor selects
/// its part of all sequences and merges it independently. O(n log k) comparisons for k ranges.
inline constexpr detail::multiway_merge_function multiway_merge{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
