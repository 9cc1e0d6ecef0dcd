// Elements that may be moved as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gpu::inline v1::detail {

/// Whether elements may be moved as bytes. Pairs and tuples are not trivially copyable, because they can assign through
/// references, but may be moved as bytes if they hold no references.
template <class T>
inline constexpr bool is_bytewise_v = std::is_trivially_copyable_v<T>;
template <class First, class Second>
inline constexpr bool is_bytewise_v<std::pair<First, Second>> = is_bytewise_v<First> && is_bytewise_v<Second>;
template <class... Members>
inline constexpr bool is_bytewise_v<std::tuple<Members...>> =
    (is_bytewise_v<Members> && ...) && (!std::is_reference_v<Members> && ...);
template <class Element, std::size_t Count>
inline constexpr bool is_bytewise_v<std::array<Element, Count>> = is_bytewise_v<Element>;

}  // namespace gpu::inline v1::detail
