// expect: require_device
// A projection to a key without natural order cannot reach the device.
#include <utility>
#include <vector>

#include "gpu/algorithm.hpp"

struct record {
  std::pair<int, int> name;
  int age;
};

void call(std::vector<record>& v) {
#ifdef RIGHT
  gpu::stable_sort(gpu::par.require_device(), v, {}, &record::age);
#else
  gpu::stable_sort(gpu::par.require_device(), v, {}, &record::name);
#endif
}
