// expect: a_value_column_is_const_or_has_no_random_access
// A value column that is const.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& keys, std::vector<int>& values, const std::vector<int>& more) {
#ifdef RIGHT
  gpu::sort_by_key(gpu::par, keys, values);
  (void)more;
#else
  gpu::sort_by_key(gpu::par, keys, values, more);
#endif
}
