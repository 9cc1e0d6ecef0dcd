// Which of its sizes a test tries.
#pragma once

#include <cstddef>
#include <vector>

#include "distributions.hpp"

namespace testing {

/// All of them; if reduced, none that is large, and of many every ninth.
inline std::vector<std::size_t> tried(std::vector<std::size_t> sizes) {
  if (!reduced()) return sizes;
  std::erase_if(sizes, [](std::size_t n) { return n > 50'000; });
  if (sizes.size() > 20) std::erase_if(sizes, [i = 0](std::size_t) mutable { return i++ % 9 != 0; });
  return sizes;
}

}  // namespace testing
