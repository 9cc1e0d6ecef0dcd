// Two-phase quicksort with many pivots. Phase one: in each round all blocks together partition every subsequence that
// is too long for one block; they first count, then claim places by atomic additions and move. Phase two: each block
// sorts one subsequence. Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009; Nguyen,
// "Development of parallel sorting algorithms for GPU" (two phases, several pivots). Not stable. Where the device holds
// all elements at once, both phases are one launch (resident_quicksort.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cub/block/block_scan.cuh>
#include <utility>

#include "columns.cuh"
#include "distribution/bucket_counts.cuh"
#include "distribution/distribution.cuh"
#include "distribution/leaves.cuh"
#include "distribution/segments.cuh"
#include "launch.cuh"
#include "resident_quicksort.cuh"
#include "scratch.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// `places`: the counters; first of elements, then of where the next of them goes. `ends`: where they may go to, of
/// comparators that may contradict themselves.
template <class Key, class Value, class Less>
struct quicksort_scratch {
  columns<Key, Value> buffer;
  division_of<Key, Less> parts;
  unsigned long long* places;
  unsigned long long* ends;

  quicksort_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Key, Value>::from(carve, n)},
        parts{carve, plan_division<Key, Value, Less>(n, counter_columns)},
        places{carve.take<unsigned long long>(parts.plan.entry_limit())},
        ends{carve.take<unsigned long long>(strict_weak_order_v<Less> ? 0 : parts.plan.entry_limit())} {}
};

/// One block per segment: counts become places, buckets become segments of the next round or leaves.
template <class Key, class Less>
__global__ void __launch_bounds__(place_threads)
    place_partitions_kernel(division_of<Key, Less> parts, unsigned round, unsigned long long* places,
                            unsigned long long* ends) {
  await_predecessors();
  constexpr unsigned per_thread = divide_up(block::max_buckets<Key>, place_threads);
  using scan = cub::BlockScan<std::size_t, place_threads>;
  __shared__ typename scan::TempStorage shared;
  static_assert(block::max_buckets<Key> <= place_threads);
  __shared__ bucket_starts<block::max_buckets<Key>> starts;
  for (unsigned s = blockIdx.x; s < parts.totals[round].segments; s += gridDim.x) {
    const segment divided = parts.segments_of(round)[s];
    const auto first = [&](unsigned b) { return divided.first_entry + std::size_t{b} * divided.columns; };
    const auto row = [&](unsigned b) { return places + first(b); };
    std::size_t sums[per_thread] = {};
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      const unsigned b = threadIdx.x * per_thread + i;
      if (b < divided.buckets)
        for (unsigned c = 0; c < divided.columns; ++c) sums[i] += row(b)[c];
    }
    scan{shared}.ExclusiveSum(sums, sums);
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      const unsigned b = threadIdx.x * per_thread + i;
      if (b >= divided.buckets) continue;
      starts.start[b] = sums[i];
      unsigned long long next = divided.begin + sums[i];
      for (unsigned c = 0; c < divided.columns; ++c) {
        const unsigned long long count = row(b)[c];
        row(b)[c] = next;
        next += count;
        if constexpr (!strict_weak_order_v<Less>) ends[first(b) + c] = next;
      }
    }
    if (threadIdx.x == 0) starts.start[divided.buckets] = divided.count;
    divide(parts, round, divided, starts, [&](unsigned b) { return all_equal(parts, s, divided, b); });
    __syncthreads();
  }
}

/// Moves a job, tile after tile: p_b being the pivots, bucket b goes to [p_b <= x < p_(b+1)), a repeated pivot's keys
/// to [x == p_b]. claim(b, count): where so many elements go. BucketOf: computes the bucket of a key, or kept_buckets,
/// to search it; a function for each, since one for all would not fit the registers.
template <class Tiles, class BucketOf, class Claim, class Key, class Value, class Less, class Codec>
__device__ void move_job(typename Tiles::storage& shared, const typename Tiles::classifier& buckets, BucketOf bucket_of,
                         const job& part, columns<Key, Value> from, columns<Key, Value> to, Claim claim, Less less,
                         Codec codec) {
  constexpr bool searched = std::is_same_v<BucketOf, kept_buckets>;
  for (typename Tiles::cursor cursor{from.keys, part.begin, part.end}; !cursor.done(); cursor.advance()) {
    encode_items(cursor.keys, codec);
    typename Tiles::distribute tile{shared.tile, cursor.count()};
    if constexpr (searched) {
      unsigned bucket[Tiles::items];
      buckets.search(cursor.keys, bucket, less);
      tile.rank(buckets.crowded(), [&](int i) { return bucket[i]; });
    } else {
      tile.rank(false, [&](int i) { return bucket_of(cursor.keys[i]); });
    }
    tile.template place<searched || has_value_v<Value>>(claim);
    move_tile(tile, bucket_of, cursor, from + cursor.first(), to, codec, places_of<Less>(part.of));
  }
}

template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(distribution_shape<Key, Value, Less>::threads, distribution_blocks)
    move_partitions_kernel(division_of<Key, Less> parts, unsigned round, columns<Key, Value> from,
                           columns<Key, Value> to, unsigned long long* places, const unsigned long long* ends,
                           Less less, Codec codec) {
  await_predecessors();
  using tiles = distribution_shape<Key, Value, Less>;
  auto& shared = dynamic_shared<typename tiles::storage>();
  const unsigned jobs = parts.totals[round].jobs;
  for (unsigned j = blockIdx.x; j < jobs; j += gridDim.x) {
    const job part{parts, round, j};
    const auto buckets = classify<typename tiles::classifier>(shared.splitters, parts, part);
    const auto claim = [&](unsigned b, unsigned count) -> std::size_t {
      if (count == 0) return 0;
      const std::size_t place = atomicAdd(&places[part.entry(b)], static_cast<unsigned long long>(count));
      if constexpr (!strict_weak_order_v<Less>)
        if (place + count > ends[part.entry(b)]) parts.break_off(round);
      return place;
    };
    const auto move = [&](auto bucket_of) {
      move_job<tiles>(shared, buckets, bucket_of, part, from, to, claim, less, codec);
    };
    if constexpr (are_codes_v<Key, Less>)
      if (buckets.is_computed()) {
        buckets.compute(codec, move);
        continue;
      }
    move(kept_buckets{});
  }
}

/// Bytes of device memory that quicksort takes for n elements, at most: n elements and about 3 %, or what is shared by
/// blocks that sort few of them in one launch.
template <class Key, class Value, class Less>
[[nodiscard]] std::size_t quicksort_scratch_bytes(std::size_t n) {
  const std::size_t without = sorted_by_bins_v<Key, Value, Less> ? longest_leaf<Key, Value, Less>() : 1;
  if (n <= without) return 0;
  return std::max(scratch_bytes<quicksort_scratch<Key, Value, Less>>(n), resident_scratch_bytes<Key, Value>());
}

/// One round: every segment is cut at pivots of its own, from `from` to `to`.
template <class Key, class Value, class Less, class Codec>
void partition_round(const context& context, const quicksort_scratch<Key, Value, Less>& memory, unsigned round,
                     columns<Key, Value> from, columns<Key, Value> to, Less less, Codec codec) {
  const division_of<Key, Less>& parts = memory.parts;
  const division_plan& plan = parts.plan;
  const auto place = place_partitions_kernel<Key, Less>;
  const auto move = move_partitions_kernel<Key, Value, Less, Codec>;
  using tiles = distribution_shape<Key, Value, Less>;

  count_round<true, Key>(context, parts, round, from.keys, memory.places, less, codec);
  launch_early(context, persistent_shape(context, place, plan.segments_in(round), place_threads), place, parts, round,
               memory.places, memory.ends);
  launch_early(context,
               persistent_shape(context, move, plan.job_limit(), tiles::threads, sizeof(typename tiles::storage)), move,
               parts, round, from, to, memory.places, memory.ends, less, codec);
}

/// Both phases; none of them if *unwanted, in device memory, is not zero.
template <class Key, class Value, class Less, class Codec>
void quicksort(const context& context, const quicksort_scratch<Key, Value, Less>& memory, columns<Key, Value> data,
               Less less, Codec codec, const unsigned* unwanted = nullptr) {
  const division_of<Key, Less>& parts = memory.parts;
  columns<Key, Value> from = data;
  columns<Key, Value> to = memory.buffer;
  begin_division(context, parts, unwanted);
  if (parts.plan.rounds == 0) return sort_leaves<false>(context, parts, data, to, less, codec, codec);
  partition_round(context, memory, 0, from, to, less, codec);
  for (unsigned round = 1; round < parts.plan.rounds; ++round) {
    std::swap(from, to);
    partition_round(context, memory, round, from, to, less, identity_codec{});  // codes since the first round
  }
  sort_leaves<false>(context, parts, data, memory.buffer, less, identity_codec{}, codec);
}

/// Sorts data[0, n) in place by `less` on encoded keys. Not stable. Enqueues on the context's stream; launches depend
/// on n alone. O(n log n) comparisons are expected on any input; a subsequence that stays too long after all rounds
/// costs one block O(m log m). Throws std::bad_alloc before anything is written, gpu::error if a launch is refused.
template <class Key, class Value, class Less, class Codec>
void quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  if (n < 2) return;
  if constexpr (sorted_by_bins_v<Key, Value, Less>)
    if (n <= longest_leaf<Key, Value, Less>()) return sort_tile(context, data, n, codec);
  if constexpr (may_reside_v<Key, Value>)
    if (resident_quicksort(context, data, n, less, codec)) return;
  const scratch<quicksort_scratch<Key, Value, Less>> memory{context, n};
  quicksort(context, *memory, data, less, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
