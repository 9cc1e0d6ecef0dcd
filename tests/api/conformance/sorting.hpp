// Shared by the tests of sorts that take the place of the standard's.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "awkward.hpp"
#include "gpu/algorithm.hpp"

namespace conformance {

inline constexpr int many = 100;

/// Distinct values in no order: multiples of a number that has no factor in common with 101.
inline std::vector<int> numbers(int count = many) {
  std::vector<int> all;
  for (int i = 1; i <= count; ++i) all.push_back(i * 37 % 101);
  return all;
}

template <class Range>
bool ascending(const Range& range) {
  return std::is_sorted(std::begin(range), std::end(range));
}

/// Calls body(sort, name, policy) for both sorts, each with only one policy, as every call instantiates dozens of
/// templates.
template <class Body>
void with_sorts(Body body) {
  body(gpu::sort, "sort", gpu::par);
  body(gpu::stable_sort, "stable_sort on the host", gpu::par.require_host());
}

inline std::vector<person> people() {
  std::vector<person> all;
  for (const int n : numbers()) all.push_back({std::to_string(n), n, std::make_unique<double>(n / 2.0)});
  return all;
}

}  // namespace conformance
