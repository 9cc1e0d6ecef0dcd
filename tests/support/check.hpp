// Checks of results: sorted in gpupar's order, a bitwise permutation of the input, stable where promised.
// Every check returns a description of what is wrong, empty if nothing is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#define GPUPAR_TEST_HALF 1
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace testing {

template <class Key>
inline constexpr bool is_float_v = std::is_floating_point_v<Key>;
#ifdef GPUPAR_TEST_HALF
template <>
inline constexpr bool is_float_v<__half> = true;
template <>
inline constexpr bool is_float_v<__nv_bfloat16> = true;
#endif

/// An independent implementation of the natural order of keys that gpupar promises: NaNs are equivalent and greater
/// than numbers, -0 and +0 are equivalent.
struct natural_less {
  template <class Key>
  bool operator()(const Key& left, const Key& right) const {
    if constexpr (is_float_v<Key>) {
      using wide = std::conditional_t<std::is_floating_point_v<Key>, Key, float>;
      const wide a = static_cast<wide>(left), b = static_cast<wide>(right);
      return std::isnan(b) ? !std::isnan(a) : a < b;
    } else {
      return left < right;
    }
  }
};

/// Descending by the same rules: NaNs first.
struct natural_greater {
  template <class Key>
  bool operator()(const Key& left, const Key& right) const {
    return natural_less{}(right, left);
  }
};

/// comp applied to projections, as one comparator of elements.
template <class Compare, class Projection>
auto by(Compare compare, Projection projection) {
  return [=](const auto& left, const auto& right) {
    return std::invoke(compare, std::invoke(projection, left), std::invoke(projection, right));
  };
}

/// Same value, bit by bit where the type allows.
template <class Element>
bool same(const Element& left, const Element& right) {
  if constexpr (std::is_trivially_copyable_v<Element>)
    return std::memcmp(std::addressof(left), std::addressof(right), sizeof(Element)) == 0;
  else
    return left == right;
}

/// A hash of the bits of an element; each `salt` gives another hash function.
template <class Element>
std::uint64_t element_hash(const Element& element, std::uint64_t salt) {
  std::uint64_t hash = salt;
  if constexpr (std::is_trivially_copyable_v<Element>) {
    unsigned char bytes[sizeof(Element)];
    std::memcpy(bytes, std::addressof(element), sizeof(Element));
    for (std::size_t begin = 0; begin < sizeof(Element); begin += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + begin, std::min<std::size_t>(8, sizeof(Element) - begin));
      hash = (hash ^ word) * 0x9fb21c651e98df25u;
      hash ^= hash >> 32;
    }
  } else {
    hash = (hash ^ std::hash<Element>{}(element)) * 0x9fb21c651e98df25u;
  }
  hash *= 0xc2b2ae3d27d4eb4fu + 2 * salt;
  return hash ^ (hash >> 29);
}

/// Two independent hashes of a multiset, sums of the hashes of its elements.
template <class Range>
std::array<std::uint64_t, 2> multiset_hash(const Range& range) {
  std::array<std::uint64_t, 2> sums{};
  for (const auto& element : range) {
    sums[0] += element_hash(element, 0x243f6a8885a308d3u);
    sums[1] += element_hash(element, 0x13198a2e03707344u);
  }
  return sums;
}

template <class Element>
std::string permutation_problem(const std::vector<Element>& before, const std::vector<Element>& after) {
  if (before.size() != after.size()) return "number of elements changed";
  if (multiset_hash(before) != multiset_hash(after)) return "elements lost, doubled or altered";
  return {};
}

template <class Element, class Less>
std::string order_problem(const std::vector<Element>& elements, Less less) {
  for (std::size_t i = 1; i < elements.size(); ++i)
    if (less(elements[i], elements[i - 1]))
      return "out of order at " + std::to_string(i) + " of " + std::to_string(elements.size());
  return {};
}

/// Reports the first element that is not bitwise equal to the expected one.
template <class Element>
std::string difference(const std::vector<Element>& expected, const std::vector<Element>& got) {
  if (expected.size() != got.size())
    return std::to_string(got.size()) + " elements instead of " + std::to_string(expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!same(expected[i], got[i]))
      return "differs from the expected result at " + std::to_string(i) + " of " + std::to_string(got.size());
  return {};
}

/// `after` must be a sorted permutation of `before` under a strict weak order.
template <class Element, class Less>
std::string sort_problem(const std::vector<Element>& before, const std::vector<Element>& after, Less less) {
  if (auto problem = permutation_problem(before, after); !problem.empty()) return problem;
  return order_problem(after, less);
}

/// `after` must be what std::stable_sort makes of `before`.
template <class Element, class Less>
std::string stable_sort_problem(std::vector<Element> before, const std::vector<Element>& after, Less less) {
  if (auto problem = sort_problem(before, after, less); !problem.empty()) return problem;
  std::stable_sort(before.begin(), before.end(), less);
  const auto problem = difference(before, after);
  return problem.empty() ? problem : "not stable: " + problem;
}

}  // namespace testing
