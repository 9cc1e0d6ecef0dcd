// Two-phase quicksort with many pivots. Phase one: in each round all blocks together partition every subsequence that is
// too long for one block; they first count, then claim places by atomic additions and move. Phase two: each block sorts
// one subsequence. Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009; Nguyen,
// "Development of parallel sorting algorithms for GPU" (two phases, several pivots). Not stable.
#pragma once

#include <cstddef>
#include <cub/block/block_scan.cuh>

#include "columns.cuh"
#include "distribution.cuh"
#include "launch.cuh"
#include "scratch.cuh"
#include "segments.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// `places`: per bucket, first the number of its elements, then where the next of them goes.
template <class Key, class Value>
struct quicksort_scratch {
  columns<Key, Value> buffer;
  division<Key> parts;
  unsigned long long* places;

  quicksort_scratch(carver& carve, std::size_t n)
      : buffer{carve.take<Key>(n), has_value_v<Value> ? carve.take<Value>(n) : nullptr},
        parts{carve, plan_division<Key, Value>(n)},
        places{carve.take<unsigned long long>(parts.plan.bucket_limit())} {}
};

/// Splitters of a segment as pivots.
template <class Key>
__device__ block::splitters<Key> pivots_of(const division<Key>& parts, const segment& divided) {
  return {parts.trees + divided.first_bucket, parts.repeated + divided.first_bucket, divided.buckets};
}

/// Adds up, per segment and bucket, the elements of the source.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(distribution_shape<Key, Value>::threads)
    count_partitions_kernel(division<Key> parts, unsigned round, columns<Key, Value> source, unsigned long long* counts,
                            Less less, Codec codec) {
  using shape = distribution_shape<Key, Value>;
  __shared__ typename shape::classifier::storage pivots;
  __shared__ unsigned sums[shape::buckets];
  const unsigned jobs = parts.totals[round].jobs;
  for (unsigned j = blockIdx.x; j < jobs; j += gridDim.x) {
    const job part{parts, round, j};
    const typename shape::classifier classify{pivots, pivots_of(parts, part.of)};
    block::count_buckets<shape::threads, shape::items>(source.keys + part.begin, part.end - part.begin, classify, sums,
                                                       part.of.buckets, less, codec);
    for (unsigned b = threadIdx.x; b < part.of.buckets; b += shape::threads)
      if (sums[b] > 0) atomicAdd(&counts[part.of.first_bucket + b], static_cast<unsigned long long>(sums[b]));
  }
}
