// expect: the_comparator_cannot_be_called_with_two_projected_elements
// A comparator of elements where there is a projection.
#include <vector>

#include "gpu/algorithm.hpp"

struct record {
  int age;
};

void call(std::vector<record>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v, [](int a, int b) { return a < b; }, &record::age);
#else
  gpu::sort(gpu::par, v, [](const record& a, const record& b) { return a.age < b.age; }, &record::age);
#endif
}
