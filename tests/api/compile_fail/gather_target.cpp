// expect: sources_must_be_followed_by_targets_that_take_their_elements
// A target that cannot be written.
#include <vector>

#include "gpu/algorithm.hpp"

void call(const std::vector<unsigned>& order, const std::vector<int>& price, std::vector<int>& sorted) {
#ifdef RIGHT
  gpu::gather(gpu::par, order, price, sorted);
#else
  gpu::gather(gpu::par, order, sorted, price);
#endif
}
