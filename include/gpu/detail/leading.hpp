// Orders that codes tell but in part, as those of keys that are wide, have strings among them or end in a comparator:
// codes are sorted first, and then by comparison what they leave together.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "dispatch.hpp"
#include "host/request.hpp"
#include "host/sort.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// Calls settle(begin, end) for the runs of more than one place with same(i, i - 1), several at once. Those that are
/// worth all threads come last, one after the other.
template <class Tuning, class Same, class Settle>
void for_each_run(std::size_t n, const Same& same, const Settle& settle) {
  std::atomic<std::size_t> found{0};
  std::vector<std::pair<std::size_t, std::size_t>> large(n / Tuning::parallel_grain);
  host::for_each_part<Tuning>(n, [&](std::size_t first, std::size_t last) {
    std::size_t begin = first;
    while (begin > 0 && begin < last && same(begin, begin - 1)) ++begin;  // of a run that began before
    while (begin < last) {
      std::size_t end = begin + 1;
      while (end < n && same(end, end - 1)) ++end;
      if (end - begin >= Tuning::parallel_grain) {
        large[found.fetch_add(1, std::memory_order_relaxed)] = {begin, end};
      } else if (end - begin > 1) {
        settle(begin, end);
      }
      begin = end;
    }
  });
  large.resize(found);
  for (const auto& [begin, end] : large) settle(begin, end);
}

/// Sorts the runs of equal codes in an order of elements by comparison; equivalents by their places.
template <class Index, class Code, class Iterator, class Compare, class Projection>
void settle_equal_codes(const Iterator& first, host::buffer<Index>& order, const host::buffer<Code>& codes,
                        const Compare& compare, const Projection& projection) {
  using T = compared_element<Iterator>;
  const element_less<T, Compare, Projection> less{compare, projection};
  const auto goes_before = [&](Index i, Index j) {
    const auto& a = *detail::advanced(first, i);
    const auto& b = *detail::advanced(first, j);
    if (less(a, b)) return true;
    return i < j && !less(b, a);
  };
  const auto same = [&](std::size_t i, std::size_t j) { return codes[order[i]] == codes[order[j]]; };
  detail::for_each_run<host::fetching<host::default_tuning>>(
      order.size(), same,
      [&](std::size_t begin, std::size_t end) { host::sort(order.data() + begin, end - begin, goes_before); });
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
