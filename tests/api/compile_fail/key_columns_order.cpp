// expect: key_columns_take_directions_and_neither_comparator_nor_projection
// Key columns with an order of records instead of directions.
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& day, std::vector<float>& price, std::vector<int>& volume) {
#ifdef RIGHT
  gpu::sort_by_key(gpu::par, std::tie(day, price), gpu::by(gpu::descending, gpu::ascending), volume);
#else
  gpu::sort_by_key(gpu::par, std::tie(day, price), gpu::by(&std::pair<int, float>::first), volume);
#endif
}
