// expect: key_columns_must_be_ranges_of_random_access_that_are_there_after_the_call
// A key column that cannot be written.
#include <tuple>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& day, const std::vector<float>& price, std::vector<int>& volume) {
#ifdef RIGHT
  (void)gpu::argsort(gpu::par, std::tie(day, price));
  (void)volume;
#else
  gpu::sort_by_key(gpu::par, std::tie(day, price), volume);
#endif
}
