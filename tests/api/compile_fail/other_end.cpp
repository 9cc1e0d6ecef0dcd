// expect: the_end_is_of_another_range
// An end that belongs to a range of another type.
#include <string>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& v, std::string& s) {
#ifdef RIGHT
  gpu::stable_sort(gpu::par, v.begin(), v.end());
  (void)s;
#else
  gpu::stable_sort(gpu::par, v.begin(), s.end());
#endif
}
