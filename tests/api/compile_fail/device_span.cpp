// expect: device_span
// The host cannot reach the elements of a device_span, and this comparator cannot reach the device.
#include "gpu/algorithm.hpp"

void call(gpu::device_span<int> v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v);
#else
  gpu::sort(gpu::par, v, [](int a, int b) { return a % 10 < b % 10; });
#endif
}
