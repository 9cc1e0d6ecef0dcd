// The length of the sorted prefix of a sequence.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>

#include "../config.hpp"
#include "parallel.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// The least i in [begin, end) with less(first[i], first[i - 1]), else `end`; begin >= 1.
template <class It, class Less>
std::size_t first_descent(It first, std::size_t begin, std::size_t end, Less& less) {
  using difference = std::iter_difference_t<It>;
  for (std::size_t i = begin; i < end; ++i)
    if (less(first[static_cast<difference>(i)], first[static_cast<difference>(i - 1)])) return i;
  return end;
}

/// Calls find(begin, end), which returns a position or `end` for none, on parts of `grain` elements of [begin, n).
/// Returns the least position found, else n. Parallel, and stops early.
inline std::size_t first_of_parts(std::size_t begin, std::size_t n, std::size_t grain,
                                  function_ref<std::size_t(std::size_t, std::size_t)> find) {
  std::atomic<std::size_t> least{n};
  host::for_each_index((n - begin + grain - 1) / grain, [&](std::size_t part) {
    const std::size_t from = begin + part * grain;
    if (from >= least.load(std::memory_order_relaxed)) return;
    const std::size_t to = (std::min)(n, from + grain);
    const std::size_t found = find(from, to);
    if (found == to) return;
    std::size_t known = least.load(std::memory_order_relaxed);
    while (found < known && !least.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
    }
  });
  return least.load(std::memory_order_relaxed);
}

/// The length of the longest sorted prefix of first[0, n): the least i with less(first[i], first[i - 1]), else n.
/// O(n) comparisons; parallel, and stops early: about as many comparisons as the prefix is long, plus what the other
/// threads look at meanwhile.
template <class Tuning = default_tuning, class It, class Less>
std::size_t sorted_until(It first, std::size_t n, Less&& less) {
  if (n < 2) return n;
  const std::size_t probe = (std::min)(n, Tuning::pass_grain);
  const std::size_t found = host::first_descent(first, 1, probe, less);
  if (found < probe || probe == n) return found;
  return host::first_of_parts(probe, n, Tuning::pass_grain, [&](std::size_t begin, std::size_t end) {
    return host::first_descent(first, begin, end, less);
  });
}

/// The comparator with which sorted_until() finds descending prefixes: no element may go behind its predecessor; if
/// `Stable`, each must go before it.
template <bool Stable, class Less>
auto backwards(Less& less) {
  return [&less](const auto& a, const auto& b) -> bool {
    if constexpr (Stable)
      return !less(a, b);
    else
      return less(b, a);
  };
}

/// Returns true if first[0, n) is sorted on return: it was sorted already, or it was in descending order and has been
/// reversed. A stable reversal requires every element to go before its predecessor. Stops at the first element that
/// rules both out.
template <class Tuning, bool Stable, class T, class Less>
bool sorted_by_inspection(T* first, std::size_t n, Less& less) {
  if (n < 2) return true;
  const T* const elements = first;
  if (host::sorted_until<Tuning>(elements, n, less) == n) return true;
  if (host::sorted_until<Tuning>(elements, n, host::backwards<Stable>(less)) != n) return false;
  host::parallel_reverse<Tuning>(first, n);
  return true;
}

}  // namespace gpu::inline v1::detail::host
