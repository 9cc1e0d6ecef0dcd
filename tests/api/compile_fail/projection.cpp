// expect: the_projection_cannot_be_called_with_an_element
// A projection to a member of another type.
#include <vector>

#include "gpu/algorithm.hpp"

struct record {
  int age;
};
struct other {
  int age;
};

void call(std::vector<record>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v, {}, &record::age);
#else
  gpu::sort(gpu::par, v, {}, &other::age);
#endif
}
