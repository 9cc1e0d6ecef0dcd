// What a sample tells of the keys of rows: how many digits differ among them, and how often each occurs. Rows that are
// sorted as codes have a value or an index behind the key, so that no two look equal.
#pragma once

#include <cstddef>

#include "../block/distinct_prefixes.cuh"

namespace gpu::inline v1::detail::device {

/// Keys of the rows that codes of Bits stand for, with the same number of bytes behind each.
template <class Bits>
struct row_keys {
  struct storage {
    block::distinct_prefixes<sizeof(Bits)> prefixes;
    unsigned differing;
  };

  unsigned digits;  ///< that differ, of eight bits
  float copies;     ///< how many of n keys are equal to one, on the average

  /// Of a random sample, Items of it by each of Threads threads, and one of its codes. The same for every order of the
  /// sample. Synchronises before and after.
  template <int Threads, int Items>
  __device__ static row_keys of(const Bits (&sample)[Items], Bits one, unsigned bytes_behind, unsigned n,
                                storage& shared) {
    constexpr float size = Threads * Items;
    __syncthreads();
    if (threadIdx.x == 0) shared.differing = 0;
    const unsigned differing = block::differing_digits(sample, one, shared.differing);
    shared.prefixes.add(sample, 1u << bytes_behind);
    const float seen_before = fmaxf(1 - shared.prefixes.without(bytes_behind) / size, 0.0f);
    return {static_cast<unsigned>(__popc(differing >> bytes_behind)),
            block::copies_if(seen_before, size, static_cast<float>(n))};
  }
};

}  // namespace gpu::inline v1::detail::device
