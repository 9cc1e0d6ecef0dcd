// expect: the_comparator_cannot_be_called_with_two_projected_elements
// A comparator that cannot be called with two elements.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v, [](int a, int b) { return a > b; });
#else
  gpu::sort(gpu::par, v, [](int a) { return a > 0; });
#endif
}
