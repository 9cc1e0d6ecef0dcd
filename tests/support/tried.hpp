// Selects which of its sizes, and of their combinations with other parameters, a test tries.
#pragma once

#include <cstddef>
#include <vector>

#include "distributions.hpp"

namespace testing {

/// All sizes; if reduced, no large ones, and of the others every second, including the last, or fewer if they are many.
inline std::vector<std::size_t> tried(std::vector<std::size_t> sizes) {
  if (!reduced()) return sizes;
  std::erase_if(sizes, [](std::size_t n) { return n > 50'000; });
  const std::size_t step = sizes.size() > 20 ? sizes.size() / 5 : 2;
  std::erase_if(sizes, [left = sizes.size(), step](std::size_t) mutable { return --left % step != 0; });
  return sizes;
}

/// Counts the combinations of nested loops: all are tried; if reduced, every fifth. If five divides no loop's length,
/// every value of every loop is still tried, though not with all values of the others.
class combinations {
 public:
  [[nodiscard]] bool next_is_tried() { return !reduced() || number_++ % 5 == 0; }

 private:
  std::size_t number_ = 0;
};

}  // namespace testing
