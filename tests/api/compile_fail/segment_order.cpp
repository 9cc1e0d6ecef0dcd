// expect: the_comparator_cannot_be_called_with_two_projected_elements
// Segments ordered by a member of something else.
#include <utility>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<std::pair<int, int>>& rows, std::vector<int>& offsets) {
#ifdef RIGHT
  gpu::segmented_sort(gpu::par, rows, offsets, gpu::by(&std::pair<int, int>::first));
#else
  gpu::segmented_sort(gpu::par, rows, offsets, gpu::by(&std::pair<int, float>::first));
#endif
}
