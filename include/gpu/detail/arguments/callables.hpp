// What is known about comparators and projections from their types, and how they are called.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../keys/compound.hpp"
#include "../keys/natural_key.hpp"
#include "iterator.hpp"
#include "thrust.hpp"

namespace gpu::inline v1::detail {

/// Whether T is an instance of cuda::std::NAME, whatever the version namespace in between.
template <class T>
constexpr bool is_cuda_std(std::string_view name) {
  const std::string_view type = detail::type_name<T>();
  if (!type.starts_with("cuda::std::")) return false;
  const auto at = type.find(name);
  return at != type.npos && type.substr(0, at).ends_with("::") &&
         type.find_first_of("<(") >= at;  // the name itself, not one of its arguments
}

enum class direction : unsigned char { unknown, ascending, descending };

template <class T>
struct template_argument {
  using type = void;
};
template <template <class...> class Template, class Argument>
struct template_argument<Template<Argument>> {
  using type = Argument;
};

/// A time point of one of the standard clocks, or a duration, with an arithmetic representation.
template <class T>
inline constexpr bool is_standard_time_v = [] {
  if constexpr (detail::is_time<T>()) {
    if constexpr (requires { typename T::clock; })
      if (!detail::type_name<typename T::clock>().starts_with("std::chrono::")) return false;
    return std::is_arithmetic_v<typename T::rep>;
  } else {
    return false;
  }
}();

/// Whether a program may specialise std::less<T>: a type of its own, or one composed of such types. Whether it has done
/// so cannot be detected, so that std::less<T> is then treated like any other comparator.
template <class T>
inline constexpr bool is_program_type_v =
    std::is_enum_v<T> || (std::is_class_v<T> && !is_standard_time_v<T>) || std::is_union_v<T>;
template <>
inline constexpr bool is_program_type_v<std::byte> = false;
template <>
inline constexpr bool is_program_type_v<__half> = false;
template <>
inline constexpr bool is_program_type_v<__nv_bfloat16> = false;
template <class T>
  requires std::is_pointer_v<T>
inline constexpr bool is_program_type_v<T> = is_program_type_v<std::remove_cv_t<std::remove_pointer_t<T>>>;
template <class First, class Second>
inline constexpr bool is_program_type_v<std::pair<First, Second>> =
    is_program_type_v<std::remove_cvref_t<First>> || is_program_type_v<std::remove_cvref_t<Second>>;
template <class... Members>
inline constexpr bool is_program_type_v<std::tuple<Members...>> =
    (is_program_type_v<std::remove_cvref_t<Members>> || ...);
template <class Element, std::size_t Count>
inline constexpr bool is_program_type_v<std::array<Element, Count>> = is_program_type_v<Element>;
template <class T>
inline constexpr bool is_program_type_v<std::optional<T>> = is_program_type_v<T>;
template <class Character>
inline constexpr bool is_program_type_v<std::basic_string<Character>> = is_program_type_v<Character>;
template <class Character>
inline constexpr bool is_program_type_v<std::basic_string_view<Character>> = is_program_type_v<Character>;

/// Whether Compare is Functor<>, or Functor<Key> as the standard defines it.
template <template <class> class Functor, class Compare, class Key>
inline constexpr bool is_functor_of_v =
    std::is_same_v<Compare, Functor<void>> || (std::is_same_v<Compare, Functor<Key>> && !is_program_type_v<Key>);

/// How Compare orders keys of type Key, if it is a standard functor that compares them as they are.
template <class Compare, class Key>
constexpr direction direction_of() {
  constexpr auto is_template = [](std::string_view name) {
    if (!detail::is_cuda_std<Compare>(name)) return false;
    using argument = typename template_argument<Compare>::type;
    return std::is_void_v<argument> || (std::is_same_v<argument, Key> && !is_program_type_v<Key>);
  };
  if constexpr (is_functor_of_v<std::less, Compare, Key> || std::is_same_v<Compare, std::ranges::less>)
    return direction::ascending;
  else if constexpr (is_functor_of_v<std::greater, Compare, Key> || std::is_same_v<Compare, std::ranges::greater>)
    return direction::descending;
  else if constexpr (!std::is_class_v<Compare>)
    return direction::unknown;
  else if constexpr (is_template("less<"))
    return direction::ascending;
  else if constexpr (is_template("greater<"))
    return direction::descending;
  else
    return direction::unknown;
}

template <class Projection>
inline constexpr bool is_identity_v = std::is_same_v<Projection, std::identity>;
template <class Projection>
  requires(std::is_class_v<Projection> && !std::is_same_v<Projection, std::identity>)
inline constexpr bool is_identity_v<Projection> =
    detail::is_cuda_std<Projection>("identity") || detail::is_cuda_std<Projection>("__identity");

/// The type of the projected key; void if it cannot be determined on the host.
template <class T, class Projection>
struct projected_key {
  using type = void;
};
template <class T, class Projection>
  requires(!is_device_lambda_v<Projection> && std::invocable<Projection&, T&>)
struct projected_key<T, Projection> {
  using type = std::remove_cvref_t<std::invoke_result_t<Projection&, T&>>;
};

/// Whether the result of a projection remains valid after the call: a reference, or a view of something else.
template <class Result>
inline constexpr bool outlives_call_v = std::is_lvalue_reference_v<Result>;
template <class Character, class Traits>
inline constexpr bool outlives_call_v<std::basic_string_view<Character, Traits>> = true;

/// Whether the projection is a pointer to a data member of T itself, not of an object that a T points to.
template <class T, class Projection>
inline constexpr bool is_data_member_v = false;
template <class T, class Projection>
  requires std::is_member_object_pointer_v<Projection> && requires(T& element, Projection member) { element.*member; }
inline constexpr bool is_data_member_v<T, Projection> = true;

/// std::invoke, without its layers of function calls if the callable is not a member pointer.
template <class Callable, class... Arguments>
GPUPAR_INLINE constexpr decltype(auto) invoked(Callable& callable, Arguments&&... arguments) {
  if constexpr (std::is_member_pointer_v<Callable>)
    return std::invoke(callable, static_cast<Arguments&&>(arguments)...);
  else
    return callable(static_cast<Arguments&&>(arguments)...);
}

/// Calls `callable` with non-const elements, as the standard algorithms do, or with const ones if it cannot be called
/// otherwise. The latter is not checked first, because checking a generic lambda compiles its body.
template <class Callable, class... Elements>
GPUPAR_INLINE constexpr decltype(auto) call(Callable& callable, const Elements&... elements) {
  if constexpr (std::is_same_v<std::remove_const_t<Callable>, std::identity>)
    return (const_cast<Elements&>(elements), ...);
  else if constexpr (std::is_invocable_v<Callable&, Elements&...>)
    return detail::invoked(callable, const_cast<Elements&>(elements)...);
  else
    return detail::invoked(callable, elements...);
}

/// The result of a comparator for two projected keys, which are passed as non-const if it accepts nothing else.
template <class Compare, class Left, class Right>
GPUPAR_INLINE constexpr bool compared(Compare& compare, Left&& left, Right&& right) {
  if constexpr (std::is_invocable_v<Compare&, Left, Right>)
    return static_cast<bool>(detail::invoked(compare, static_cast<Left&&>(left), static_cast<Right&&>(right)));
  else
    return static_cast<bool>(detail::call(compare, left, right));
}

}  // namespace gpu::inline v1::detail
