// Which comparators are known to be strict weak orders, and which compare elements by their values. In merges, all
// threads' work is cut by independent searches; only for a strict weak order do the pieces fit together by themselves,
// for all other comparators this is checked where pieces meet.
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
