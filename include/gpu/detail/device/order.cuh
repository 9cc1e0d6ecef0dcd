// Which comparators are known to be strict weak orders. Merges cut the work of all threads by searches of their own;
// only for a strict weak order do the pieces fit together by themselves, all others are checked where pieces meet. And
// which of them compare elements by what they are.
#pragma once

#include "../config.hpp"
#include "../keys/key.hpp"

namespace gpu::inline v1::detail::device {

/// False for comparators of callers, about which nothing is known.
template <class Less>
inline constexpr bool strict_weak_order_v = false;
template <>
inline constexpr bool strict_weak_order_v<code_less> = true;
template <class Bits>
inline constexpr bool strict_weak_order_v<floating_code_less<Bits>> = true;

/// Whether a comparator looks at elements themselves, not at what they stand for, as indices do.
template <class Less>
inline constexpr bool compares_values_v = true;

}  // namespace gpu::inline v1::detail::device
