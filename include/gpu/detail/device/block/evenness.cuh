// How evenly codes lie in their range, estimated from a sample.
#pragma once

#include <cub/block/block_scan.cuh>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"
#include "even_buckets.cuh"
#include "extremes.cuh"

namespace gpu::inline v1::detail::device::block {

/// The number of bars of the histogram that measures the evenness of a sample: one per 64 codes. The histogram of a
/// curve has one bar per breakpoint.
GPUPAR_HOST_DEVICE constexpr unsigned evenness_bars(unsigned sample) { return sample / 64; }

template <class Bits, int Threads>
struct evenness_storage {
  extremes_storage<Bits, Threads> range;
  typename cub::BlockScan<unsigned, Threads>::TempStorage scan;
  unsigned bars[breakpoints];
  unsigned highest;
};

/// Makes a histogram of the sample by bar_of(code) < bars <= breakpoints; returns the count of the highest bar.
/// Synchronises before and after.
template <int Threads, int Items, class Bits, class BarOf>
__device__ unsigned histogram(const Bits (&sample)[Items], unsigned bars, evenness_storage<Bits, Threads>& shared,
                              BarOf bar_of) {
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bars; b += Threads) shared.bars[b] = 0;
  if (threadIdx.x == 0) shared.highest = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Items; ++i) atomicAdd(&shared.bars[bar_of(sample[i])], 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bars; b += Threads) atomicMax(&shared.highest, shared.bars[b]);
  __syncthreads();
  return shared.highest;
}

/// The range of a sample, exact and slightly widened.
template <class Bits>
struct sampled_range {
  range_of_numbers<Bits> exact;
  Bits least;
  Bits span;
};

/// The range of the sample's codes in the highest bar of the last histogram(). Synchronises once.
template <int Threads, int Items, class Bits, class BarOf>
__device__ range_of_numbers<Bits> range_of_highest(const Bits (&sample)[Items], evenness_storage<Bits, Threads>& shared,
                                                   BarOf bar_of) {
  range_of_numbers<Bits> range{static_cast<Bits>(~Bits{0}), 0};
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if (shared.bars[bar_of(sample[i])] == shared.highest) range.widen(sample[i], sample[i]);
  return block::common_range<Threads>(range, shared.range, [] { __syncthreads(); });
}

/// The range of a sample, ignoring a few far outliers, which would make all other codes seem alike. `density`: the
/// ratio of the greatest density of codes to the average one; very large if all are equal. Synchronises before and
/// after.
template <int Threads, int Items, class Bits>
__device__ sampled_range<Bits> even_range(const Bits (&sample)[Items], evenness_storage<Bits, Threads>& shared,
                                          float& density) {
  constexpr unsigned count = Threads * Items, few = count / 256, all_bars = block::evenness_bars(count);
  __syncthreads();
  range_of_numbers<Bits> range = block::extremes<Threads>(sample, shared.range);
  even_buckets<Bits> bars{range.least, static_cast<Bits>(range.greatest - range.least), all_bars};
  unsigned highest = block::histogram(sample, all_bars, shared, bars);
  if (count - few <= highest && highest < count) {
    range = block::range_of_highest<Threads>(sample, shared, bars);
    bars = {range.least, static_cast<Bits>(range.greatest - range.least), all_bars};
    highest = block::histogram(sample, all_bars, shared, bars);
  }
  const Bits span = bars.span;
  density = static_cast<float>((span == 0 ? count : highest) * all_bars) / static_cast<float>(count);

  // The codes' range is expected to extend beyond the sample's by one sample code's share at either end.
  const Bits margin = static_cast<Bits>(span / count);
  const Bits below = margin < range.least ? margin : range.least;
  const Bits room = static_cast<Bits>(static_cast<Bits>(~Bits{0}) - range.greatest);
  const Bits above = margin < room ? margin : room;
  return {range, static_cast<Bits>(range.least - below), static_cast<Bits>(span + below + above)};
}

/// Makes `even` a set of buckets by value, over the sample's range, if its ends allow for that. Returns the ratio of
/// the greatest density of values to the average one. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float make_valued(even_buckets<Bits>& even, const range_of_numbers<Bits>& range, const Bits (&sample)[Items],
                       const key_codec<Bits>& codec, evenness_storage<Bits, Threads>& shared) {
  constexpr float beyond_measure = 1e9f;
  constexpr unsigned count = Threads * Items, all_bars = block::evenness_bars(count);
  even_buckets<Bits> bars = even;
  bars.buckets = all_bars;
  if (!block::divide_values(even, range.least, range.greatest, codec) ||
      !block::divide_values(bars, range.least, range.greatest, codec))
    return beyond_measure;
  const unsigned highest = block::histogram(sample, all_bars, shared, valued_buckets<Bits>{codec, bars});
  return static_cast<float>(highest * all_bars) / static_cast<float>(count);
}

/// The fraction of a sample in bars that exceed `allowed`, after histogram(). Synchronises.
template <int Threads, class Bits>
__device__ float part_in_bars_above(float allowed, unsigned bars, unsigned sample,
                                    evenness_storage<Bits, Threads>& shared) {
  unsigned above = 0, before = 0;
  for (unsigned b = threadIdx.x; b < bars; b += Threads)
    if (static_cast<float>(shared.bars[b]) > allowed) above += shared.bars[b];
  cub::BlockScan<unsigned, Threads>{shared.scan}.ExclusiveSum(above, before, above);
  __syncthreads();
  return static_cast<float>(above) / static_cast<float>(sample);
}

/// A bucket with more than this many times its share is overflowing.
inline constexpr float overflowing_shares = 4;

/// Writes the sample's distribution to curve[0, breakpoints), in global or shared memory, and makes `line` use it.
/// Returns the fraction of the sample that falls into overflowing buckets. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float fit_curve(even_buckets<Bits>& line, const Bits (&sample)[Items], breakpoint* curve,
                           evenness_storage<Bits, Threads>& shared) {
  using scan = cub::BlockScan<unsigned, Threads>;
  constexpr unsigned count = Threads * Items;
  constexpr unsigned per_thread = breakpoints / Threads;
  static_assert(breakpoints % Threads == 0);
  const auto share = [](unsigned part) {
    return static_cast<unsigned>(min((std::uint64_t{part} << 32) / count, std::uint64_t{0xffffffffu}));
  };
  block::histogram(sample, breakpoints, shared,
                   [&](Bits code) { return line.abscissa(code) >> (32 - breakpoint_bits); });
  unsigned before[per_thread];
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k) before[k] = shared.bars[threadIdx.x * per_thread + k];
  scan{shared.scan}.ExclusiveSum(before, before);
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k)
    curve[threadIdx.x * per_thread + k] = {share(before[k]), share(shared.bars[threadIdx.x * per_thread + k])};
  line.curve = curve;
  block::histogram(sample, line.buckets, shared, curved_buckets<Bits>{line, curve});
  return block::part_in_bars_above(overflowing_shares * count / static_cast<float>(line.buckets), line.buckets, count,
                                   shared);
}

}  // namespace gpu::inline v1::detail::device::block
