// expect: there_must_be_one_direction_for_each_key_column
// Two key columns and three directions.
#include <tuple>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& day, std::vector<float>& price, std::vector<int>& volume) {
#ifdef RIGHT
  gpu::sort_by_key(gpu::par, std::tie(day, price), gpu::by(gpu::ascending, gpu::descending), volume);
#else
  gpu::sort_by_key(gpu::par, std::tie(day, price), gpu::by(gpu::ascending, gpu::descending, gpu::ascending), volume);
#endif
}
