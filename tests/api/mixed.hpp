// Inline code that is compiled in both kinds of translation units of one program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/algorithm.hpp"

namespace testing {

/// Sorts the numbers, and the words by their length; returns explain's plan for the numbers.
inline gpu::plan sort_both(std::vector<int>& numbers, std::vector<std::string>& words) {
  gpu::sort(gpu::par, numbers, std::greater<>{});
  gpu::stable_sort(gpu::par.require_host(), words, {}, &std::string::size);
  return gpu::explain(gpu::par, numbers, std::greater<>{});
}

/// The same in the translation unit that nvcc compiles.
gpu::plan sort_both_in_device_unit(std::vector<int>& numbers, std::vector<std::string>& words);

}  // namespace testing
