// How many elements of each job fall into each bucket: what quicksort and sample sort know before they move anything.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../key.hpp"
#include "../block/classifier.cuh"
#include "../launch.cuh"
#include "../persistent.cuh"
#include "../tuning.hpp"
#include "distribution.cuh"
#include "segments.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// sums[b] = elements of source[0, count) in bucket b < buckets. Called by every thread; synchronises before the sums
/// are complete, not before they are cleared.
template <class Key, int Threads, int Items, class Source, class Classifier, class Less, class Codec>
__device__ void count_buckets(Source source, std::size_t count, const Classifier& classify, unsigned* sums,
                              unsigned buckets, Less less, Codec codec) {
  constexpr std::size_t tile = std::size_t{Threads} * Items;
  for (unsigned b = threadIdx.x; b < buckets; b += Threads) sums[b] = 0;
  __syncthreads();
  for (std::size_t first = 0; first < count; first += tile) {
    const unsigned here = static_cast<unsigned>(min(tile, count - first));
    Key keys[Items];
    load_items(source + first, here, keys);
    encode_items(keys, codec);
    const auto count = [&](auto bucket_of_item) {
      if (here == tile) {  // without branches the steps of all items overlap
#pragma unroll
        for (int i = 0; i < Items; ++i) atomicAdd(&sums[bucket_of_item(i)], 1u);
      } else {
#pragma unroll
        for (int i = 0; i < Items; ++i)
          if (block::item_index<Items>(i) < here) atomicAdd(&sums[bucket_of_item(i)], 1u);
      }
    };
    if constexpr (std::is_same_v<Less, code_less>)
      if (classify.is_computed()) {
        classify.compute(codec, [&](auto bucket_of) { count([&](int i) { return bucket_of(keys[i]); }); });
        continue;
      }
    unsigned bucket[Items];
    classify.search(keys, bucket, less);
    count([&](int i) { return bucket[i]; });
  }
  __syncthreads();
}

/// Adds the elements of the source to the counters of their jobs, per segment and bucket. Shared: several jobs have one
/// counter, which is zero before; else a job's counts take the place of whatever was there.
template <bool Shared, class Key, class Source, class Less, class Codec>
__global__ void __launch_bounds__(count_tile(sizeof(Key)).threads, count_blocks)
    count_kernel(division_of<Key, Less> parts, unsigned round, Source source, unsigned long long* counts, Less less,
                 Codec codec) {
  await_predecessors();
  constexpr tile_shape tile = count_tile(sizeof(Key));
  using classifier = block::classifier<Key, even_of<Key, Less>, tile.threads>;
  __shared__ typename classifier::storage splitters;
  __shared__ unsigned sums[block::max_buckets<Key>];
  const unsigned jobs = parts.totals[round].jobs;
  for (unsigned j = blockIdx.x; j < jobs; j += gridDim.x) {
    const job part{parts, round, j};
    const auto buckets = classify<classifier>(splitters, parts, part);
    count_buckets<Key, tile.threads, tile.items>(source + part.begin, part.end - part.begin, buckets, sums,
                                                 part.of.buckets, less, codec);
    for (unsigned b = threadIdx.x; b < part.of.buckets; b += tile.threads)
      if constexpr (!Shared)
        counts[part.entry(b)] = sums[b];
      else if (sums[b] > 0)
        atomicAdd(&counts[part.entry(b)], static_cast<unsigned long long>(sums[b]));
  }
}

/// The first half of a round: chooses how each segment is divided, and counts.
template <bool Shared, class Key, class Source, class Less, class Codec>
void count_round(const context& context, const division_of<Key, Less>& parts, unsigned round, Source source,
                 unsigned long long* counts, Less less, Codec codec) {
  const auto choose = splitters_kernel<Key, Source, Less, Codec>;
  const auto count = count_kernel<Shared, Key, Source, Less, Codec>;
  launch_early(context, persistent_shape(context, choose, parts.plan.segments_in(round), splitter_threads<Key>), choose,
               parts, round, source, Shared ? counts : nullptr, less, codec);
  launch_early(context, persistent_shape(context, count, parts.plan.job_limit(), count_tile(sizeof(Key)).threads),
               count, parts, round, source, counts, less, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
