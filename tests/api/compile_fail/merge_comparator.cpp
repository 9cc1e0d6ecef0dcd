// expect: the_comparator_cannot_be_called_with_two_projected_elements
// A comparator that cannot be called with elements of both ranges.
#include <string>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& a, std::vector<int>& b, std::vector<int>& out) {
#ifdef RIGHT
  gpu::merge(gpu::par, a, b, out.begin(), [](int x, int y) { return x > y; });
#else
  gpu::merge(gpu::par, a, b, out.begin(), [](int x, const std::string& y) { return x > static_cast<int>(y.size()); });
#endif
}
