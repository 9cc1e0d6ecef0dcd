// expect: indices_must_be_writable_integers_of_32_or_64_bits
// Indices of 16 bits.
#include <vector>

#include "gpu/algorithm.hpp"

void call(const std::vector<int>& keys, std::vector<unsigned>& wide, std::vector<unsigned short>& narrow) {
#ifdef RIGHT
  gpu::argsort(gpu::par, keys, wide);
  (void)narrow;
#else
  gpu::argsort(gpu::par, keys, narrow);
  (void)wide;
#endif
}
