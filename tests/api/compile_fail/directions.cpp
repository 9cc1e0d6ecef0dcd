// expect: directions_are_for_key_columns_in_a_tuple_as_of_std_tie
// Directions for one range.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& day) {
#ifdef RIGHT
  (void)gpu::argsort(gpu::par, day, std::ranges::greater{});
#else
  (void)gpu::argsort(gpu::par, day, gpu::by(gpu::descending));
#endif
}
