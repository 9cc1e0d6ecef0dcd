// The expected order of elements, computed by the standard library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "places.hpp"
#include "support.hpp"

namespace testing {

/// The stable permutation that sorts n elements by less(i, j).
template <class Index = std::size_t, class Less>
std::vector<Index> expected_order(std::size_t n, Less less) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return less(static_cast<std::size_t>(i), static_cast<std::size_t>(j)); });
  return order;
}

template <class Element, class Index>
std::vector<Element> in_order(const std::vector<Element>& elements, const std::vector<Index>& order) {
  std::vector<Element> result;
  result.reserve(order.size());
  for (const Index i : order) result.push_back(elements[static_cast<std::size_t>(i)]);
  return result;
}

/// Calls body(place) for the host, the library's choice, and the device if there is one, with data that kernels cannot
/// read in place.
template <class Body>
void at_places_of_the_host(Body body) {
  at_host_places(body);
  if (gpu::device_count() > 0)
    body(place<decltype(gpu::par.require_device()), false>{gpu::par.require_device(), memory::pageable, "device"});
  else
    skip("host data on the device: no device");
}

}  // namespace testing
