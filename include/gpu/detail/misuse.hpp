// What is wrong with a call that fits no algorithm, said in the compiler's first line: calls with a known mistake find
// a deleted function whose result is named after the mistake. Callers may still ask whether a call is possible.
#pragma once

#include <functional>
#include <ranges>
#include <type_traits>

#include "../execution.hpp"
#include "iterator.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

namespace misuse {
struct none {};
struct the_first_argument_must_be_a_policy_such_as_gpu_par;
struct elements_need_random_access_iterators;
struct elements_are_const_or_cannot_be_moved;
struct the_projection_cannot_be_called_with_an_element;
struct projected_elements_have_no_operator_less_so_pass_a_comparator;
struct the_comparator_cannot_be_called_with_two_projected_elements;
struct the_end_is_of_another_range;
}  // namespace misuse

/// Functions and lambdas that convert to pointers to functions are no iterators, although *it is one of them.
template <class T>
concept dereferenceable = requires(T& it) {
  *it;
  requires !std::is_function_v<std::remove_reference_t<decltype(*it)>>;
};

/// The mistake in a call with these elements and this order, the first that there is.
template <bool Writes, class Iterator, class Compare, class Projection>
constexpr auto misuse_of_order() {
  if constexpr (!random_access_iterator<Iterator>)
    return std::type_identity<misuse::elements_need_random_access_iterators>{};
  else if constexpr (Writes && !rearrangeable<Iterator>)
    return std::type_identity<misuse::elements_are_const_or_cannot_be_moved>{};
  else if constexpr (!callable_projection<Projection, Iterator>)
    return std::type_identity<misuse::the_projection_cannot_be_called_with_an_element>{};
  else if constexpr (callable_comparator<Compare, Projection, Iterator>)
    return std::type_identity<misuse::none>{};
  else if constexpr (std::is_same_v<Compare, std::ranges::less>)
    return std::type_identity<misuse::projected_elements_have_no_operator_less_so_pass_a_comparator>{};
  else
    return std::type_identity<misuse::the_comparator_cannot_be_called_with_two_projected_elements>{};
}

// Concepts, so that nothing is asked of the comparator of a range.
template <class Iterator, class End>
concept two_iterators = dereferenceable<Iterator> && (dereferenceable<End> || end_of<End, Iterator>);
/// Two iterators, the first an array's.
template <class Range, class End>
concept array_and_end = std::is_array_v<std::remove_reference_t<Range>> && end_of<End, std::decay_t<Range>>;

template <bool Writes, class Policy, class Range, class Compare, class Projection>
constexpr auto misuse_of_range() {
  if constexpr (!std::ranges::range<Range> || array_and_end<Range, Compare>)
    return std::type_identity<misuse::none>{};
  else if constexpr (!execution_policy<Policy>)
    return std::type_identity<misuse::the_first_argument_must_be_a_policy_such_as_gpu_par>{};
  else
    return detail::misuse_of_order<Writes, std::ranges::iterator_t<Range>, Compare, Projection>();
}

template <bool Writes, class Policy, class Iterator, class Sentinel, class Compare, class Projection>
constexpr auto misuse_of_iterators() {
  if constexpr (!two_iterators<Iterator, Sentinel>)
    return std::type_identity<misuse::none>{};  // a range
  else if constexpr (!execution_policy<Policy>)
    return std::type_identity<misuse::the_first_argument_must_be_a_policy_such_as_gpu_par>{};
  else if constexpr (random_access_iterator<Iterator> && !end_of<Sentinel, Iterator>)
    return std::type_identity<misuse::the_end_is_of_another_range>{};
  else
    return detail::misuse_of_order<Writes, Iterator, Compare, Projection>();
}

/// The deleted calls, for an algorithm to inherit and use. Writes: whether it rearranges the elements. The last
/// parameter keeps clang from taking them for the algorithm's own, which would hide them.
template <bool Writes>
struct refuses_misuse {
  template <class Policy, class Range, class Compare = default_less<Range>, class Projection = std::identity,
            class Mistake = typename decltype(misuse_of_range<Writes, Policy, Range, Compare, Projection>())::type>
    requires(!std::is_same_v<Mistake, misuse::none>)
  Mistake operator()(const Policy&, Range&&, Compare = {}, Projection = {}, misuse::none = {}) const = delete;

  template <class Policy, class Iterator, class Sentinel, class Compare = default_less<Iterator>,
            class Projection = std::identity,
            class Mistake =
                typename decltype(misuse_of_iterators<Writes, Policy, Iterator, Sentinel, Compare, Projection>())::type>
    requires(!std::is_same_v<Mistake, misuse::none>)
  Mistake operator()(const Policy&, Iterator, Sentinel, Compare = {}, Projection = {},
                     misuse::none = {}) const = delete;

  /// Calls without a policy: of a range, or of two iterators.
  template <class First, class... Others>
    requires(std::ranges::range<First> || (dereferenceable<First> && sizeof...(Others) > 0))
  misuse::the_first_argument_must_be_a_policy_such_as_gpu_par operator()(First&&, Others&&...) const = delete;
};

}  // namespace detail
}  // namespace v1
}  // namespace gpu
