// expect: several_key_columns_are_sorted_by_sort_by_key
// Key columns for a sort of one range.
#include <tuple>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& day, std::vector<int>& price) {
#ifdef RIGHT
  gpu::stable_sort_by_key(gpu::par, std::tie(day, price));
#else
  gpu::stable_sort(gpu::par, std::tie(day, price));
#endif
}
