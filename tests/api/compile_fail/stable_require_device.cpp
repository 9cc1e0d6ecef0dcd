// expect: require_device
// A projection to a key without natural order cannot reach the device.
#include <compare>
#include <vector>

#include "gpu/algorithm.hpp"

struct version {
  int first, second;
  auto operator<=>(const version&) const = default;
};

struct record {
  version name;
  int age;
};

void call(std::vector<record>& v) {
#ifdef RIGHT
  gpu::stable_sort(gpu::par.require_device(), v, {}, &record::age);
#else
  gpu::stable_sort(gpu::par.require_device(), v, {}, &record::name);
#endif
}
