// The gathered round of quicksort by a caller's comparator, the last one before the mending round: elements do not move
// to their buckets' positions. Counting groups the elements of every tile by bucket within the tile, and a base case,
// which is a few neighbouring buckets, is gathered from all tiles of its subproblem by the block that sorts it
// (gathering.cuh). An element's bucket is searched for once instead of twice, and the element is written and read once
// less. As a tile is ranked while it is counted, a comparator that contradicts itself cannot make the two differ. Tiles
// sorted by bucket before they are written: Satish, Harris and Garland, "Designing efficient sorting algorithms for
// manycore GPUs", 2009.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "../block/claims.cuh"
#include "../block/items.cuh"
#include "../launching/context.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/distribution.hpp"
#include "bucket_counts.cuh"
#include "distribution.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// Whether base cases may be gathered. Wider elements would make runs too short, narrower ones would take too many
/// counters; codes are cheap to count, and so to move.
template <class Key, class Value, class Less>
inline constexpr bool may_gather_v =
    !are_codes_v<Key, Less> && !has_value_v<Value> && 4 <= sizeof(Key) && sizeof(Key) <= 8;

/// Block primitives and shared memory of grouping.
template <class Key, class Less>
struct grouped_tile {
  static constexpr tile_shape shape = group_tile(sizeof(Key));
  static constexpr int threads = shape.threads;
  static constexpr int items = shape.items;
  static constexpr unsigned per_thread = static_cast<unsigned>(device::divide_up(block::max_buckets<Key>, threads));
  using classifier = block::classifier<Key, even_of<Key, Less>, threads>;
  using scan = cub::BlockScan<unsigned, threads, cub::BLOCK_SCAN_WARP_SCANS>;

  static constexpr unsigned size = static_cast<unsigned>(shape.size());

  struct storage {
    typename classifier::storage splitters;
    typename scan::TempStorage scan;
    unsigned next[2]
                 [block::max_buckets<Key>];  ///< counts per bucket, then first slots; the two alternate between tiles
    Key keys[size];
  };
  static_assert(sizeof(storage) <= std::size_t{64} << 10, "what the smallest multiprocessors have");
};

/// Groups tiles of one subproblem, one after the other, by bucket.
template <class Tile, class Key, class Less>
class tile_grouper {
  static constexpr int items = Tile::items;
  static constexpr unsigned per_thread = Tile::per_thread;
  static constexpr unsigned rank_shift = 16;
  static_assert(block::max_buckets<Key> <= 1u << rank_shift);

 public:
  __device__ tile_grouper(typename Tile::storage& shared, const typename Tile::classifier& classes, unsigned buckets,
                          Less less)
      : shared_{shared}, classes_{classes}, buckets_{buckets}, less_{less} {
    each_bucket([&](unsigned, unsigned b) { next_[b] = 0; });
    __syncthreads();
  }

  /// Loads from[0, count) into registers, for group().
  __device__ __forceinline__ void load(const Key* from, unsigned count) { device::load_items(from, count, keys_); }

  /// Groups the loaded keys by bucket in shared memory: keys()[0, count). Calls meet(j, b, first, count) for the
  /// thread's j-th bucket, b being its number, `first` its first slot and `count` its number of elements; calls
  /// load_next() as soon as registers are free, before the last synchronisation.
  template <class Meet, class LoadNext>
  __device__ __forceinline__ void group(unsigned count, Meet meet, LoadNext load_next) {
    unsigned ranks[items];  // buckets; then also ranks within the bucket, above rank_shift
    search(ranks);
    rank(ranks, count);
    __syncthreads();
    make_slots(meet);
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (block::item_index<items>(i) < count)
        shared_.keys[next_[ranks[i] & ((1u << rank_shift) - 1)] + (ranks[i] >> rank_shift)] = keys_[i];
    load_next();
    __syncthreads();
    next_ = other_next();
  }

  __device__ const Key* keys() const { return shared_.keys; }

  /// Calls visit(j, b) for the thread's j-th bucket, number b.
  template <class Visit>
  __device__ __forceinline__ void each_bucket(Visit visit) const {
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j)
      if (threadIdx.x * per_thread + j < buckets_) visit(j, threadIdx.x * per_thread + j);
  }

 private:
  /// A few items at a time, as registers allow.
  __device__ __forceinline__ void search(unsigned (&buckets)[items]) const {
    constexpr int batch = group_batch(sizeof(Key));
    static_assert(items % batch == 0);
#pragma unroll
    for (int first = 0; first < items; first += batch) {
      Key keys[batch];
      unsigned found[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) keys[i] = keys_[first + i];
      classes_.search(keys, found, less_);
#pragma unroll
      for (int i = 0; i < batch; ++i) buckets[first + i] = found[i];
    }
  }

  __device__ unsigned* other_next() const { return next_ == shared_.next[0] ? shared_.next[1] : shared_.next[0]; }

  __device__ __forceinline__ void rank(unsigned (&ranks)[items], unsigned count) {
    if (count == Tile::threads * items) {
      block::claim_each<items>(
          next_, classes_.is_skewed(), [&](int i) { return ranks[i]; },
          [&](int i, unsigned rank) { ranks[i] |= rank << rank_shift; });
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (block::item_index<items>(i) < count) ranks[i] |= atomicAdd(&next_[ranks[i]], 1u) << rank_shift;
    }
  }

  /// Counts become first slots.
  template <class Meet>
  __device__ __forceinline__ void make_slots(Meet meet) {
    unsigned own[per_thread] = {}, before[per_thread];
    each_bucket([&](unsigned j, unsigned b) { own[j] = next_[b]; });
    typename Tile::scan{shared_.scan}.ExclusiveSum(own, before);
    each_bucket([&](unsigned j, unsigned b) {
      next_[b] = before[j];
      other_next()[b] = 0;  // not read before the next tile
      meet(j, b, before[j], own[j]);
    });
    __syncthreads();
  }

  typename Tile::storage& shared_;
  const typename Tile::classifier& classes_;
  unsigned* next_ = shared_.next[0];
  unsigned buckets_;
  Less less_;
  Key keys_[items];
};

/// Counts the elements of every tile range per bucket, as count_kernel does, and groups them.
template <class Key, class Less>
__global__ void __launch_bounds__(group_tile(sizeof(Key)).threads, group_blocks)
    group_kernel(worklist_of<Key, Less> parts, unsigned round, const Key* from, Key* to, tile_counters counters,
                 Less less) {
  await_predecessors();
  using tile = grouped_tile<Key, Less>;
  auto& shared = device::dynamic_shared<typename tile::storage>();
  device::each_share(parts, round, [&](unsigned first_tile_range, unsigned last_tile_range) {
    const tile_range all{parts, round, first_tile_range};
    const auto classes = device::classify<typename tile::classifier>(shared.splitters, parts, all);
    tile_grouper<tile, Key, Less> grouper{shared, classes, all.of.buckets, less};
    unsigned sums[tile::per_thread] = {};
    grouper.load(from + all.begin, all.count());
    for (unsigned j = first_tile_range; j < last_tile_range; ++j) {
      const tile_range part{parts, round, j};
      std::uint16_t* const ends = counters.of_tile + part.first_of_row();
      grouper.group(
          part.count(),
          [&](unsigned i, unsigned b, unsigned first, unsigned count) {
            sums[i] += count;
            ends[b] = static_cast<std::uint16_t>(first + count);
          },
          [&] {
            if (j + 1 == last_tile_range) return;
            const tile_range next{parts, round, j + 1};
            grouper.load(from + next.begin, next.count());
          });
#pragma unroll
      for (int i = 0; i < tile::items; ++i) {
        const unsigned slot = static_cast<unsigned>(i * tile::threads) + threadIdx.x;
        if (slot < part.count()) to[part.begin + slot] = grouper.keys()[slot];
      }
    }
    grouper.each_bucket([&](unsigned i, unsigned b) { counters.add(all.of, b, sums[i]); });
  });
}

}  // namespace gpu::inline v1::detail::device
