// Distribution of pairs: the rounds of quicksort and of sample sort, which look at codes alone, but move whole pairs:
// first from the columns, or any other source, to a buffer of pairs, from there to where the columns were, and back.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../distribution/bucket_counts.cuh"
#include "../distribution/distribution.cuh"
#include "../distribution/partitions.cuh"
#include "../distribution/subproblems.cuh"
#include "../launching/scratch.cuh"
#include "../sample_sort.cuh"
#include "../scan.cuh"
#include "pairs.cuh"

namespace gpu::inline v1::detail::device {

/// Threads and the block primitives of a move of pairs that lie in a Source.
template <class Key, class Source>
using pair_tiles = scattered_tiles<by_key<Key>::tile.threads, by_key<Key>::tile.items, Key, code_less, key_value<Key>,
                                   sizeof(key_value<Key>), Source>;

/// Where the next elements of a tile range's buckets go, in any order: all blocks claim slots atomically.
struct claimed_offsets {
  unsigned long long* next;  ///< of the subproblem's buckets

  __device__ claimed_offsets(const tile_range& part, unsigned long long* offsets)
      : next{offsets + part.of.first_bucket} {}
  __device__ std::size_t operator()(unsigned b, unsigned taken) const {
    return taken > 0 ? atomicAdd(&next[b], static_cast<unsigned long long>(taken)) : 0;
  }
};

/// Moves a tile range, tile after tile. BucketOf: computes the bucket of a code, or searched_buckets.
template <bool Stable, class Key, class Tiles, class BucketOf, class Source, class Codec>
__device__ void move_pairs(typename Tiles::storage& shared, const typename Tiles::classifier& buckets,
                           BucketOf bucket_of, const tile_range& part, Source from, split_array<key_value<Key>> to,
                           unsigned long long* counters, Codec codec) {
  constexpr bool searched = std::is_same_v<BucketOf, searched_buckets>;
  std::conditional_t<Stable, tile_range_offsets<typename Tiles::distribute>, claimed_offsets> offsets{part, counters};
  for (typename Tiles::cursor cursor{from, part.begin, part.end}; !cursor.done(); cursor.advance()) {
    device::encode_items(cursor.keys, codec);
    typename Tiles::distribute tile{shared.tile, cursor.count()};
    if constexpr (searched || Stable) {
      unsigned bucket[Tiles::items];
      if constexpr (searched) {
        Key codes[Tiles::items];
#pragma unroll
        for (int i = 0; i < Tiles::items; ++i) codes[i] = cursor.keys[i].key;
        buckets.search(codes, bucket, code_less{});
      } else {
#pragma unroll
        for (int i = 0; i < Tiles::items; ++i) bucket[i] = bucket_of(cursor.keys[i].key);
      }
      if constexpr (Stable)
        tile.stable_rank(bucket);
      else
        tile.rank(buckets.is_skewed(), [&](int i) { return bucket[i]; });
    } else {
      tile.rank(false, [&](int i) { return bucket_of(cursor.keys[i].key); });
    }
    tile.template set_offsets<searched>([&](unsigned b, unsigned taken) { return offsets(b, taken); });
    tile.template stage<key_value<Key>>([&](int i) { return cursor.keys[i]; });
    cursor.prefetch();
    const auto staged = [](unsigned) { return key_value<Key>{}; };
    if constexpr (searched)
      tile.template write<key_value<Key>>(to, staged);
    else
      tile.template write_by<key_value<Key>>(
          to, staged, [&](unsigned, const key_value<Key>& moved) { return bucket_of(moved.key); });
  }
}

/// `counters`: as offset_partitions_kernel has left them, or, if Stable, the sums that divide_samples_kernel has used.
template <bool Stable, class Key, class Source, class Codec, class CodeCodec>
__global__ void __launch_bounds__(by_key<Key>::tile.threads, by_key<Key>::blocks)
    move_pairs_kernel(worklist_of<Key, code_less> parts, unsigned round, Source from, split_array<key_value<Key>> to,
                      unsigned long long* counters, Codec codec, CodeCodec code_codec) {
  await_predecessors();
  using tiles = pair_tiles<Key, Source>;
  auto& shared = device::dynamic_shared<typename tiles::storage>();
  const unsigned tile_ranges = parts.totals[round].tile_ranges;
  for (unsigned j = blockIdx.x; j < tile_ranges; j += gridDim.x) {
    const tile_range part{parts, round, j};
    const auto buckets = device::classify<typename tiles::classifier>(shared.splitters, parts, part);
    const auto move = [&](auto bucket_of) {
      device::move_pairs<Stable, Key, tiles>(shared, buckets, bucket_of, part, from, to, counters, codec);
    };
    if (buckets.is_computed())
      buckets.compute(code_codec, move);
    else
      move(searched_buckets{});
  }
}

/// Memory for dividing n pairs, in addition to their two arrays, in tiles of their own.
template <bool Stable, class Key>
struct pair_worklist {
  worklist_of<Key, code_less> parts;
  unsigned long long* counters;
  scan_scratch sums;

  pair_worklist(carver& carve, std::size_t n, std::size_t longest_base_case)
      : parts{carve,
              distribution_plan{n, longest_base_case, by_key<Key>::tile.size(), most_tiles, block::max_buckets<Key>}},
        counters{carve.take<unsigned long long>(Stable ? parts.plan.entry_limit() : parts.plan.bucket_limit())},
        sums{carve, Stable ? parts.plan.entry_limit() : 0} {}
};
/// Memory for dividing n pairs, in addition to their two arrays, in counted tiles.
template <class Key>
  requires by_key<Key>::counted
struct pair_worklist<false, Key> : partitions<by_key<Key>, no_value, code_less> {
  using partitions<by_key<Key>, no_value, code_less>::partitions;
};

/// One round: moves every subproblem to buckets of its own. `codes`: those of the elements in `from`, still to be
/// encoded by code_codec; `codec` encodes the elements in the same way.
template <bool Stable, class Key, class Codes, class Source, class Codec, class CodeCodec>
void pair_round(const context& context, const pair_worklist<Stable, Key>& memory, unsigned round, Codes codes,
                Source from, split_array<key_value<Key>> to, Codec codec, CodeCodec code_codec) {
  if constexpr (!Stable && by_key<Key>::counted) {
    device::partition_round(context, memory, round, codes, stream<Source>{from},
                            stream<split_array<key_value<Key>>>{to}, code_less{}, codec, code_codec);
  } else {
    using tiles = pair_tiles<Key, Source>;
    static_assert(sizeof(typename tiles::storage) <= pair_shared_bytes);
    const auto& parts = memory.parts;
    if constexpr (Stable) {
      memory.sums.clear(context);
      device::count_round<Key>(context, parts, round, codes, tile_range_counters{memory.counters}, nullptr, code_less{},
                               code_codec);
      device::exclusive_scan(context, memory.counters, &parts.totals[round].entries, memory.sums);
      device::divide_samples(context, parts, round, memory.counters);
    } else {
      device::count_round<Key>(context, parts, round, codes, bucket_counters{memory.counters}, memory.counters,
                               code_less{}, code_codec);
      device::offset_partitions(context, parts, round, memory.counters);
    }
    device::launch_persistent(context, {parts.plan.tile_range_limit(), tiles::threads, sizeof(typename tiles::storage)},
                              move_pairs_kernel<Stable, Key, Source, Codec, CodeCodec>, parts, round, from, to,
                              memory.counters, codec, code_codec);
  }
}

}  // namespace gpu::inline v1::detail::device
