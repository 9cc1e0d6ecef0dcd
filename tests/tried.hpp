// Which of its sizes a test tries.
#pragma once

#include <cstddef>
#include <vector>

#include "distributions.hpp"

namespace testing {

/// All of them; if reduced, none that is large, and of the others every second, the last among them; of many fewer.
inline std::vector<std::size_t> tried(std::vector<std::size_t> sizes) {
  if (!reduced()) return sizes;
  std::erase_if(sizes, [](std::size_t n) { return n > 50'000; });
  const std::size_t step = sizes.size() > 20 ? sizes.size() / 5 : 2;
  std::erase_if(sizes, [left = sizes.size(), step](std::size_t) mutable { return --left % step != 0; });
  return sizes;
}

}  // namespace testing
