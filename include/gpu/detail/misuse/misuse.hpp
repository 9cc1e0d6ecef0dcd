// Readable diagnostics in the first line of the compiler's output for calls that match no overload: a call with a known
// mistake selects a deleted function whose result type is named after the mistake, and whose message describes it if
// the compiler supports that. Callers can still test whether a call is possible.
#pragma once

#include <functional>
#include <ranges>
#include <type_traits>

#include "../../execution.hpp"
#include "../arguments/arguments.hpp"
#include "../arguments/delegate.hpp"
#include "../arguments/iterator.hpp"

#if defined(__cpp_deleted_function)
#define GPUPAR_DELETED(words) delete ("gpu: " words)
#else
#define GPUPAR_DELETED(words) delete
#endif

// All mistakes, with their messages.
#define GPUPAR_EACH_MISTAKE(refuses)                                                                                 \
  refuses(the_first_argument_must_be_a_policy_such_as_gpu_par,                                                       \
          "the first argument must be a policy, such as gpu::par");                                                  \
  refuses(elements_on_the_device_must_lie_side_by_side_as_in_a_device_vector,                                        \
          "elements on the device must lie side by side: pass a thrust::device_vector, its iterators or pointers, "  \
          "and the columns of a zip to sort_by_key");                                                                \
  refuses(elements_need_random_access_iterators, "the elements need random-access iterators");                       \
  refuses(elements_are_const_or_cannot_be_moved, "the elements are const or cannot be moved");                       \
  refuses(the_projection_cannot_be_called_with_an_element, "the projection cannot be called with an element");       \
  refuses(projected_elements_have_no_operator_less_so_pass_a_comparator,                                             \
          "the projected elements have no operator<, so pass a comparator");                                         \
  refuses(the_comparator_cannot_be_called_with_two_projected_elements,                                               \
          "the comparator cannot be called with two projected elements, or does not return a bool");                 \
  refuses(the_end_is_of_another_range, "the end is of another range than the beginning");                            \
  refuses(the_middle_is_of_another_range, "the middle is of another range than the beginning");                      \
  refuses(the_output_must_be_an_iterator_that_takes_the_elements,                                                    \
          "the output must be an iterator that the elements of all inputs can be written to");                       \
  refuses(the_output_must_be_a_range_with_random_access_that_takes_the_elements,                                     \
          "the output must be a range with random access whose elements can be written: its size says how many "     \
          "are selected");                                                                                           \
  refuses(a_range_of_random_access_ranges_is_needed,                                                                 \
          "a random-access range of random-access ranges is needed, which last longer than a look at them");         \
  refuses(a_value_column_is_needed_after_the_keys, "the keys must be followed by a value column");                   \
  refuses(a_value_column_is_const_or_has_no_random_access,                                                           \
          "a value column is const or has no random access, or is a range beside keys that are iterators");          \
  refuses(indices_must_be_writable_integers_of_32_or_64_bits,                                                        \
          "the indices must be integers of 32 or 64 bits that can be written");                                      \
  refuses(merge_by_key_takes_iterators_and_no_ranges, "merge_by_key takes iterators: pass begin and end");           \
  refuses(key_columns_must_be_ranges_of_random_access_that_are_there_after_the_call,                                 \
          "key columns must be ranges of random access that are there after the call, as those of std::tie, "        \
          "and not const where they are sorted");                                                                    \
  refuses(key_columns_have_no_operator_less, "the elements of a key column have no operator<");                      \
  refuses(there_must_be_one_direction_for_each_key_column,                                                           \
          "there must be one direction for each key column: by(ascending, descending) for two");                     \
  refuses(directions_are_for_key_columns_in_a_tuple_as_of_std_tie,                                                   \
          "directions are for key columns in a tuple, as of std::tie: pass one, or a comparator");                   \
  refuses(several_key_columns_are_sorted_by_sort_by_key,                                                             \
          "several key columns are sorted by sort_by_key or stable_sort_by_key, with value columns or without");     \
  refuses(key_columns_take_directions_and_neither_comparator_nor_projection,                                         \
          "key columns are ordered by their elements: pass a direction for each, as by(ascending, descending), and " \
          "no comparator or projection");                                                                            \
  refuses(offsets_must_be_a_range_of_integers_of_32_or_64_bits,                                                      \
          "offsets of segments must be a random-access range of integers of 32 or 64 bits");                         \
  refuses(indices_must_be_integers_of_32_or_64_bits, "the indices must be integers of 32 or 64 bits");               \
  refuses(sources_must_be_followed_by_targets_that_take_their_elements,                                              \
          "each source must be followed by a target, both of random access, that takes its elements")

namespace gpu::inline v1::detail {

namespace misuse {
struct none {};  ///< Also the type of arguments that are omitted, or {}.
#define GPUPAR_NAMES(mistake, words) \
  struct mistake {}
GPUPAR_EACH_MISTAKE(GPUPAR_NAMES);
#undef GPUPAR_NAMES
}  // namespace misuse

template <bool Right, class Mistake>
using unless = std::conditional_t<Right, misuse::none, Mistake>;

template <class... Mistakes>
struct first_of {
  using type = misuse::none;
};
template <class Mistake, class... Mistakes>
struct first_of<Mistake, Mistakes...> {
  using type = Mistake;
};
template <class... Mistakes>
struct first_of<misuse::none, Mistakes...> : first_of<Mistakes...> {};
template <class... Mistakes>
using first_mistake = typename first_of<Mistakes...>::type;

/// Functions, and lambdas that convert to function pointers, are not iterators, although *it is valid for them.
template <class T>
concept dereferenceable = requires(T& it) {
  *it;
  requires !std::is_function_v<std::remove_reference_t<decltype(*it)>>;
};

template <class Argument>
inline constexpr bool is_array_v = std::is_array_v<std::remove_reference_t<Argument>>;

/// An iterator or a range, as opposed to a callable.
template <class Argument>
concept sequence = std::ranges::range<Argument> || dereferenceable<std::decay_t<Argument>>;

/// An argument that is meant to be the end that belongs to this beginning.
template <class Last, class First>
concept meant_for_end_of = end_of<std::decay_t<Last>, std::decay_t<First>> ||
                           (dereferenceable<std::decay_t<Last>> && (is_array_v<First> || !std::ranges::range<First>));

/// Arguments that are meant to be the beginning and the end of a range. A concept, so that nothing is required of the
/// comparator of a range.
template <class First, class Last>
concept beginning_and_end = dereferenceable<std::decay_t<First>> && meant_for_end_of<Last, First>;

template <class FirstA, class LastA, class FirstB, class LastB>
concept beginnings_and_ends = beginning_and_end<FirstA, LastA> && beginning_and_end<FirstB, LastB>;

/// Arguments that are meant to be the beginning and the end of a range, in calls where arrays are columns.
template <class First, class Last>
concept beginning_and_end_beside_columns = beginning_and_end<First, Last> && !is_array_v<Last>;

template <class Argument, class Default>
using given_or = std::conditional_t<std::is_same_v<Argument, misuse::none>, Default, std::decay_t<Argument>>;

template <class Iterator, class End>
using mistake_of_end = unless<!random_access_iterator<Iterator> || end_of<std::decay_t<End>, Iterator>,
                              misuse::the_end_is_of_another_range>;

template <class... Elements>
using mistake_of_device_elements = unless<!(fancy_device_elements<Elements> || ...),
                                          misuse::elements_on_the_device_must_lie_side_by_side_as_in_a_device_vector>;

template <class... Iterators>
using mistake_of_access =
    first_mistake<mistake_of_device_elements<Iterators...>,
                  unless<(random_access_iterator<Iterators> && ...), misuse::elements_need_random_access_iterators>>;

template <class Output, class... Iterators>
using mistake_of_output = first_mistake<mistake_of_device_elements<std::decay_t<Output>>,
                                        unless<(output_for<std::decay_t<Output>, Iterators> && ...),
                                               misuse::the_output_must_be_an_iterator_that_takes_the_elements>>;

template <class Compare>
using mistake_of_comparator = std::conditional_t<std::is_same_v<Compare, std::ranges::less>,
                                                 misuse::projected_elements_have_no_operator_less_so_pass_a_comparator,
                                                 misuse::the_comparator_cannot_be_called_with_two_projected_elements>;

/// The first mistake in elements and their order. Writes: whether the elements are rearranged.
template <bool Writes, class Iterator, class CompareArgument, class ProjectionArgument,
          class Compare = given_or<CompareArgument, default_less<Iterator>>,
          class Projection = given_or<ProjectionArgument, std::identity>>
using mistake_of_order = first_mistake<
    mistake_of_access<Iterator>,
    unless<!Writes || rearrangeable<Iterator>, misuse::elements_are_const_or_cannot_be_moved>,
    unless<callable_projection<Projection, Iterator>, misuse::the_projection_cannot_be_called_with_an_element>,
    unless<callable_comparator<Compare, Projection, Iterator>, mistake_of_comparator<Compare>>>;

/// The first mistake in two sequences, which are only read, and their order.
template <class A, class B, class CompareArgument, class ProjectionArgumentA, class ProjectionArgumentB,
          class Compare = given_or<CompareArgument, default_less_between<A, B>>,
          class ProjectionA = given_or<ProjectionArgumentA, std::identity>,
          class ProjectionB = given_or<ProjectionArgumentB, std::identity>>
using mistake_of_order_between = first_mistake<
    mistake_of_access<A, B>,
    unless<callable_projection<ProjectionA, A> && callable_projection<ProjectionB, B>,
           misuse::the_projection_cannot_be_called_with_an_element>,
    unless<callable_comparator_between<Compare, ProjectionA, A, ProjectionB, B>, mistake_of_comparator<Compare>>>;

/// Whether a call without a policy has elements in place of the policy, or after an argument that is not a policy.
template <class First, class Second>
inline constexpr bool lacks_policy_v =
    std::ranges::range<First> || sequence<Second> || (sequence<First> && !std::is_same_v<Second, misuse::none>);

/// The mistake in a call with these arguments; `Misuse` finds those in the arguments after the policy.
template <class Misuse, class Policy, class First, class... Others>
constexpr auto find_mistake() {
  if constexpr (execution_policy<Policy>)
    return Misuse::template find<First, Others...>();
  else if constexpr (carrying_policy<Policy>)
    return misuse::none{};
  else
    return unless<!lacks_policy_v<Policy, First>, misuse::the_first_argument_must_be_a_policy_such_as_gpu_par>{};
}

template <class Misuse, class... Arguments>
using mistake_in = decltype(detail::find_mistake<Misuse, Arguments...>());

#if defined(__clang__) && defined(__cpp_deleted_function)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
#endif

// A policy and up to ten arguments; arguments that are {} have no type of their own. Some compilers name the result
// type of a deleted function, others its template arguments.
#define GPUPAR_REFUSES(mistake, words)                                                                              \
  template <class Mistake = misuse::mistake, class Policy, class A1 = misuse::none, class A2 = misuse::none,        \
            class A3 = misuse::none, class A4 = misuse::none, class A5 = misuse::none, class A6 = misuse::none,     \
            class A7 = misuse::none, class A8 = misuse::none, class A9 = misuse::none, class A10 = misuse::none>    \
    requires std::is_same_v<mistake_in<Misuse, Policy, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10>, Mistake>           \
  misuse::mistake operator()(Policy&&, A1&& = {}, A2&& = {}, A3&& = {}, A4&& = {}, A5&& = {}, A6&& = {}, A7&& = {}, \
                             A8&& = {}, A9&& = {}, A10&& = {}) const = GPUPAR_DELETED(words)

/// Deleted overloads, one for each mistake, for an algorithm to inherit and use.
template <class Misuse>
struct refuses_misuse {
  GPUPAR_EACH_MISTAKE(GPUPAR_REFUSES);
};

#undef GPUPAR_REFUSES
#if defined(__clang__) && defined(__cpp_deleted_function)
#pragma clang diagnostic pop
#endif

}  // namespace gpu::inline v1::detail
