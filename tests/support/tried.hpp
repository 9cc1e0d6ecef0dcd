// Which of its sizes, and of their combinations with other things, a test tries.
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

/// What loops inside each other combine, one after the other: all is tried; if reduced, every fifth. Where five divides
/// no loop's length, each value of each loop has its turn; what is left out is with which others it meets.
class combinations {
 public:
  [[nodiscard]] bool next_is_tried() { return !reduced() || number_++ % 5 == 0; }

 private:
  std::size_t number_ = 0;
};

}  // namespace testing
