// expect: a_value_column_is_needed_after_the_keys
// Segments by key without values.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& keys, std::vector<int>& offsets, std::vector<int>& values) {
#ifdef RIGHT
  gpu::segmented_sort_by_key(gpu::par, keys, offsets, values);
#else
  gpu::segmented_sort_by_key(gpu::par, keys, offsets);
  (void)values;
#endif
}
