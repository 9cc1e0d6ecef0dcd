// Elements in sorted runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace testing {

/// Divides the elements into the given number of pieces, sorts each stably and reverses every second one.
template <class Element, class Less>
std::vector<Element> in_runs(std::vector<Element> elements, std::size_t runs, Less less) {
  const auto at = [&](std::size_t run) {
    return elements.begin() + static_cast<std::ptrdiff_t>(elements.size() * run / runs);
  };
  for (std::size_t run = 0; run < runs; ++run) {
    std::stable_sort(at(run), at(run + 1), less);
    if (run % 2 == 1) std::reverse(at(run), at(run + 1));
  }
  return elements;
}

}  // namespace testing
