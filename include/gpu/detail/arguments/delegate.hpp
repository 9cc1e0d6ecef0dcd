// Policies that carry out calls themselves, such as those over ranks and over devices; other headers define them.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../config.hpp"

namespace gpu::inline v1::detail {

/// A policy with carry_out(call, arguments...), where `call` carries the type of the function object.
template <class Policy>
concept carrying_policy = requires { typename std::remove_cvref_t<Policy>::carries_out_calls; };

/// Placeholder for an argument that is {} or is missing, and whose type is therefore unknown.
struct left_out {};

template <class Argument, class Default>
using argument_or_default =
    std::conditional_t<std::is_same_v<std::remove_cvref_t<Argument>, left_out>, Default, std::decay_t<Argument>>;

/// The argument, or its default if it is left out.
template <class Default, class Argument>
argument_or_default<Argument, Default> given(Argument& argument) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Argument>, left_out>)
    return {};
  else
    return argument;
}

/// The number of arguments without the left-out ones at the end.
template <class... Arguments>
constexpr std::size_t count_given() {
  constexpr bool is_given[] = {!std::is_same_v<Arguments, left_out>...};
  std::size_t count = sizeof...(Arguments);
  while (count > 0 && !is_given[count - 1]) --count;
  return count;
}

template <class Call, std::size_t... Index, class Policy, class Arguments>
auto carry_out_given(std::index_sequence<Index...>, const Policy& policy, Arguments&& arguments)
    -> decltype(policy.carry_out(std::type_identity<Call>{}, std::get<Index>(std::forward<Arguments>(arguments))...)) {
  return policy.carry_out(std::type_identity<Call>{}, std::get<Index>(std::forward<Arguments>(arguments))...);
}

/// Base class of algorithms: forwards calls with such a policy to the policy. Up to ten arguments.
template <class Call>
struct delegates {
  template <carrying_policy Policy, class A1 = left_out, class A2 = left_out, class A3 = left_out, class A4 = left_out,
            class A5 = left_out, class A6 = left_out, class A7 = left_out, class A8 = left_out, class A9 = left_out,
            class A10 = left_out>
  auto operator()(const Policy& policy, A1&& a1 = {}, A2&& a2 = {}, A3&& a3 = {}, A4&& a4 = {}, A5&& a5 = {},
                  A6&& a6 = {}, A7&& a7 = {}, A8&& a8 = {}, A9&& a9 = {}, A10&& a10 = {}) const
      -> decltype(detail::carry_out_given<Call>(
          std::make_index_sequence<count_given<A1, A2, A3, A4, A5, A6, A7, A8, A9, A10>()>{}, policy,
          std::forward_as_tuple(std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                                std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7), std::forward<A8>(a8),
                                std::forward<A9>(a9), std::forward<A10>(a10)))) {
    return detail::carry_out_given<Call>(
        std::make_index_sequence<count_given<A1, A2, A3, A4, A5, A6, A7, A8, A9, A10>()>{}, policy,
        std::forward_as_tuple(std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                              std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7), std::forward<A8>(a8),
                              std::forward<A9>(a9), std::forward<A10>(a10)));
  }
};

}  // namespace gpu::inline v1::detail
