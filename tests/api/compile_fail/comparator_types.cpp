// expect: the_comparator_cannot_be_called_with_two_projected_elements
// A comparator that takes elements instead of what the projection returns.
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
