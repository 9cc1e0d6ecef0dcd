// Sorts of up to eight numbers in registers: where there are millions of them, a loop over a network's comparators
// costs more than these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "../config.hpp"
#include "element.hpp"
#include "network.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::host {

inline constexpr std::size_t tiny_limit = 8;

/// Numbers that two instructions put in order.
template <class T>
inline constexpr bool tiny_numbers_v = std::is_integral_v<T> && branchless<T> && !std::is_same_v<T, bool>;

/// Minima and maxima, which compilers make no branches of.
template <std::size_t Count, bool Descending, class T>
void sort_count(T* first) {
  T numbers[Count];
  for (std::size_t i = 0; i < Count; ++i) numbers[i] = first[i];
  constexpr auto count = static_cast<std::size_t>(sorting_networks.end(Count) - sorting_networks.begin(Count));
  const auto order = [](T& low, T& high) {
    const T least = (std::min)(low, high), greatest = (std::max)(low, high);
    low = Descending ? greatest : least;
    high = Descending ? least : greatest;
  };
  [&]<std::size_t... Step>(std::index_sequence<Step...>) {
    (order(numbers[sorting_networks.begin(Count)[Step].low], numbers[sorting_networks.begin(Count)[Step].high]), ...);
  }(std::make_index_sequence<count>{});
  for (std::size_t i = 0; i < Count; ++i) first[i] = numbers[i];
}

/// Sorts first[0, n), n <= tiny_limit, up or down. Not stable, which integers do not notice.
template <bool Descending, class T>
void sort_tiny(T* first, std::size_t n) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (void)((n == Index + 2 && (host::sort_count<Index + 2, Descending>(first), true)) || ...);
  }(std::make_index_sequence<tiny_limit - 1>{});
}

}  // namespace detail::host
}  // namespace v1
}  // namespace gpu
