// expect: offsets_must_be_a_range_of_integers_of_32_or_64_bits
// Offsets that are no integers.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& keys, std::vector<int>& integers, std::vector<double>& numbers) {
#ifdef RIGHT
  gpu::segmented_sort(gpu::par, keys, integers);
#else
  gpu::segmented_sort(gpu::par, keys, numbers);
  (void)integers;
#endif
}
