// Two-phase quicksort with many pivots. Phase one: in each round all blocks together partition every subsequence that
// is too long for one block; they first count, then claim places by atomic additions and move. Phase two: each block
// sorts one subsequence. Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009; Nguyen,
// "Development of parallel sorting algorithms for GPU" (two phases, several pivots). Not stable.
#pragma once

#include <cstddef>
#include <cub/block/block_scan.cuh>
#include <utility>

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

/// Adds up, per segment and bucket, the elements of the source.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(distribution_shape<Key, Value>::threads, distribution_blocks)
    count_partitions_kernel(division<Key> parts, unsigned round, const Key* source, unsigned long long* counts,
                            Less less, Codec codec) {
  using tiles = distribution_shape<Key, Value>;
  __shared__ typename tiles::classifier::storage pivots;
  __shared__ unsigned sums[tiles::buckets];
  const unsigned jobs = parts.totals[round].jobs;
  for (unsigned j = blockIdx.x; j < jobs; j += gridDim.x) {
    const job part{parts, round, j};
    const typename tiles::classifier classify{pivots, splitters_of(parts, part.of)};
    count_buckets<tiles::threads, tiles::items>(source + part.begin, part.end - part.begin, classify, sums,
                                                part.of.buckets, less, codec);
    for (unsigned b = threadIdx.x; b < part.of.buckets; b += tiles::threads)
      if (sums[b] > 0) atomicAdd(&counts[part.of.first_bucket + b], static_cast<unsigned long long>(sums[b]));
  }
}

/// One block per segment: counts become places, buckets become segments of the next round or leaves.
template <class Key, class Value>
__global__ void __launch_bounds__(distribution_shape<Key, Value>::threads, distribution_blocks)
    place_partitions_kernel(division<Key> parts, unsigned round, unsigned long long* places) {
  using tiles = distribution_shape<Key, Value>;
  constexpr unsigned per_thread = tiles::distribute::per_thread;
  using scan = cub::BlockScan<std::size_t, tiles::threads>;
  __shared__ typename scan::TempStorage shared;
  __shared__ std::size_t starts[tiles::buckets + 1];
  for (unsigned s = blockIdx.x; s < parts.totals[round].segments; s += gridDim.x) {
    const segment divided = parts.segments_of(round)[s];
    unsigned long long* place = places + divided.first_bucket;
    std::size_t sums[per_thread];
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      const unsigned b = threadIdx.x * per_thread + i;
      sums[i] = b < divided.buckets ? place[b] : 0;
    }
    scan{shared}.ExclusiveSum(sums, sums);
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      const unsigned b = threadIdx.x * per_thread + i;
      if (b >= divided.buckets) continue;
      starts[b] = sums[i];
      place[b] = divided.begin + sums[i];
    }
    if (threadIdx.x == 0) starts[divided.buckets] = divided.count;
    __syncthreads();
    const auto pivots = splitters_of(parts, divided);
    divide(parts, round, divided, starts, [&](unsigned b) { return pivots.all_equal(b); });
    __syncthreads();
  }
}

/// Moves every tile: p_b being the pivots, bucket b goes to [p_b <= x < p_(b+1)), a repeated pivot's keys to [x ==
/// p_b].
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(distribution_shape<Key, Value>::threads, distribution_blocks)
    move_partitions_kernel(division<Key> parts, unsigned round, columns<Key, Value> from, columns<Key, Value> to,
                           unsigned long long* places, Less less, Codec codec) {
  using tiles = distribution_shape<Key, Value>;
  __shared__ typename tiles::classifier::storage pivots;
  __shared__ typename tiles::distribute::storage shared;
  const unsigned jobs = parts.totals[round].jobs;
  for (unsigned j = blockIdx.x; j < jobs; j += gridDim.x) {
    const job part{parts, round, j};
    const typename tiles::classifier classify{pivots, splitters_of(parts, part.of)};
    for (std::size_t first = part.begin; first < part.end; first += tiles::distribute::tile) {
      const auto count = static_cast<unsigned>(min(std::size_t{tiles::distribute::tile}, part.end - first));
      Key keys[tiles::items];
      unsigned bucket[tiles::items];
      load_items(from.keys + first, count, keys, codec);
      classify.find(keys, bucket, less);
      typename tiles::distribute tile{shared, count};
      tile.rank(bucket);
      tile.place([&](unsigned b, unsigned claimed) -> std::size_t {
        return claimed > 0 ? atomicAdd(&places[part.of.first_bucket + b], static_cast<unsigned long long>(claimed)) : 0;
      });
      move_tile(tile, keys, from + first, to, codec);
    }
  }
}

/// Bytes of device memory that quicksort takes for n elements: n elements and about 3 %.
template <class Key, class Value>
[[nodiscard]] std::size_t quicksort_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : scratch_bytes<quicksort_scratch<Key, Value>>(n);
}

/// Sorts data[0, n) in place by `less` on encoded keys. Not stable. Enqueues on the context's stream; launches depend
/// on n alone. O(n log n) comparisons are expected on any input; a subsequence that stays too long after all rounds
/// costs one block O(m log m). Throws std::bad_alloc before anything is written, gpu::error if a launch is refused.
template <class Key, class Value, class Less, class Codec>
void quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  if (n < 2) return;
  const scratch<quicksort_scratch<Key, Value>> memory{context, n};
  const division<Key>& parts = memory->parts;
  const division_plan& plan = parts.plan;
  const auto choose_pivots = splitters_kernel<Key, Less, Codec>;
  const auto count = count_partitions_kernel<Key, Value, Less, Codec>;
  const auto place = place_partitions_kernel<Key, Value>;
  const auto move = move_partitions_kernel<Key, Value, Less, Codec>;
  constexpr int threads = distribution_shape<Key, Value>::threads;

  begin_division(context, parts);
  columns<Key, Value> from = data;
  columns<Key, Value> to = memory->buffer;
  for (unsigned round = 0; round < plan.rounds; ++round) {
    const Codec encoder = round == 0 ? codec : Codec{};
    const std::size_t segments = round == 0 ? 1 : plan.segment_limit();
    launch(context, persistent_shape(context, choose_pivots, segments, splitter_threads<Key>), choose_pivots, parts,
           round, from.keys, memory->places, less, encoder);
    launch(context, persistent_shape(context, count, plan.job_limit(), threads), count, parts, round, from.keys,
           memory->places, less, encoder);
    launch(context, persistent_shape(context, place, segments, threads), place, parts, round, memory->places);
    launch(context, persistent_shape(context, move, plan.job_limit(), threads), move, parts, round, from, to,
           memory->places, less, encoder);
    std::swap(from, to);
  }
  sort_leaves(context, parts, data, memory->buffer, less, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
