// expect: .require_device() cannot be met
// A custom comparator in a .cpp cannot reach the device.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par.require_device(), v);
#else
  gpu::sort(gpu::par.require_device(), v, [](int a, int b) { return a % 10 < b % 10; });
#endif
}
