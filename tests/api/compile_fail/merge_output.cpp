// expect: the_output_must_be_an_iterator_that_takes_the_elements
// A container as output instead of an iterator.
#include <vector>

#include "gpu/algorithm.hpp"

void call(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& out) {
#ifdef RIGHT
  gpu::merge(gpu::par, a, b, out.begin(), {});
#else
  gpu::merge(gpu::par, a, b, out, {});
#endif
}
