// expect: elements_are_const_or_cannot_be_moved
// Ranges whose elements are const.
#include <span>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<std::span<int>>& rows, std::vector<std::span<const int>>& constant) {
#ifdef RIGHT
  gpu::segmented_sort(gpu::par, rows);
#else
  gpu::segmented_sort(gpu::par, constant);
  (void)rows;
#endif
}
