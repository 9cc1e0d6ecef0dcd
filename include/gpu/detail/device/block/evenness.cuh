// How evenly codes lie in their range, judged by a sample.
#pragma once

#include "../columns.cuh"
#include "../warp/shuffle.cuh"
#include "even_buckets.cuh"
#include "extremes.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Bars of the histogram of a sample.
inline constexpr unsigned evenness_bars = 64;

template <class Bits, int Threads>
struct evenness_storage {
  extremes_storage<Bits, Threads> range;
  unsigned bars[evenness_bars];
  unsigned highest;
};

template <class Bits>
struct code_interval {
  Bits least;
  Bits span;
};

/// The range of a sample, somewhat widened. `density`: how many times denser codes lie
/// where they lie densest than on the average; beyond measure if all are equal. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ code_interval<Bits> even_range(const Bits (&sample)[Items], evenness_storage<Bits, Threads>& shared,
                                          float& density) {
  constexpr unsigned count = Threads * Items;
  __syncthreads();
  for (unsigned b = threadIdx.x; b < evenness_bars; b += Threads) shared.bars[b] = 0;
  if (threadIdx.x == 0) shared.highest = 0;
  const range_of_numbers<Bits> range = extremes<Threads>(sample, shared.range);
  const Bits span = static_cast<Bits>(range.greatest - range.least);
  const even_buckets<Bits> bar_of{range.least, span, evenness_bars};
#pragma unroll
  for (int i = 0; i < Items; ++i) atomicAdd(&shared.bars[bar_of(sample[i])], 1u);
  __syncthreads();
  if (threadIdx.x < evenness_bars) atomicMax(&shared.highest, shared.bars[threadIdx.x]);
  __syncthreads();
  density = static_cast<float>(span == 0 ? count * evenness_bars : shared.highest * evenness_bars) /
            static_cast<float>(count);

  // What lies outside the sample's range is expected to be one sample's share at either end.
  const Bits margin = static_cast<Bits>(span / count);
  const Bits below = margin < range.least ? margin : range.least;
  const Bits room = static_cast<Bits>(static_cast<Bits>(~Bits{0}) - range.greatest);
  const Bits above = margin < room ? margin : room;
  return {static_cast<Bits>(range.least - below), static_cast<Bits>(span + below + above)};
}

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
