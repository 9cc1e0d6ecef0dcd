// expect: elements_are_const_or_cannot_be_moved
// A range that cannot be written to.
#include <vector>

#include "gpu/algorithm.hpp"

#ifdef RIGHT
void call(std::vector<int>& v) {
#else
void call(const std::vector<int>& v) {
#endif
  gpu::sort(gpu::par, v.begin(), v.end());
}
