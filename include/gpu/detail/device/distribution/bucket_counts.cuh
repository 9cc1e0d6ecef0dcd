// Counts how many elements of each tile range fall into each bucket, before quicksort and sample sort move anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/classifier.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/distribution.hpp"
#include "pivots.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// Counters of a subproblem's buckets, initially zero, from which positions are claimed later.
struct bucket_counters {
  unsigned long long* of_all;  ///< per bucket

  __device__ void put(const tile_range&, unsigned, unsigned) const {}
  /// Adds the count of some tile ranges of the subproblem together.
  __device__ void add(const subproblem& divided, unsigned bucket, unsigned count) const {
    if (count > 0) atomicAdd(&of_all[divided.first_bucket + bucket], static_cast<unsigned long long>(count));
  }
};

/// Counters of buckets where a tile range is one tile; each tile's own counts are kept, too.
struct tile_counters : bucket_counters {
  std::uint16_t* of_tile;  ///< per tile range and bucket

  __device__ void put(const tile_range& part, unsigned bucket, unsigned count) const {
    of_tile[part.first_of_row() + bucket] = static_cast<std::uint16_t>(count);
  }
};

/// Counters per bucket and tile range, whose sums will be offsets. They need not be cleared.
struct tile_range_counters {
  unsigned long long* of_tile_range;

  __device__ void put(const tile_range& part, unsigned bucket, unsigned count) const {
    of_tile_range[part.entry(bucket)] = count;
  }
  __device__ void add(const subproblem&, unsigned, unsigned) const {}
};

/// Adds the number of elements of source[0, count) in each bucket b to sums[b]. Called by every thread.
template <class Key, int Threads, int Items, class Source, class Classifier, class Less, class Codec>
__device__ void count_buckets(Source source, std::size_t count, const Classifier& classify, unsigned* sums, Less less,
                              Codec codec) {
  constexpr std::size_t tile = std::size_t{Threads} * Items;
  for (std::size_t first = 0; first < count; first += tile) {
    const unsigned here = static_cast<unsigned>(min(tile, count - first));
    Key keys[Items];
    device::load_items(source + first, here, keys);
    device::encode_items(keys, codec);
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
}

/// Counts consecutive tile ranges of one subproblem. Called by every thread; synchronises before and within. Sums are
/// not cleared between tile ranges: the count of a tile range is what it adds.
template <class Tile, class Key, class Less, class Source, class Counters, class Codec>
__device__ void count_tile_ranges(typename Tile::storage& shared, const worklist_of<Key, Less>& parts, unsigned round,
                                  unsigned first_tile_range, unsigned last_tile_range, Source source, Counters counters,
                                  Less less, Codec codec) {
  unsigned before[Tile::per_thread] = {};
  const tile_range of_all{parts, round, first_tile_range};
  const auto each_bucket = [&](auto visit) {
#pragma unroll
    for (unsigned i = 0; i < Tile::per_thread; ++i)
      if (threadIdx.x + i * Tile::threads < of_all.of.buckets) visit(i, threadIdx.x + i * Tile::threads);
  };
  const auto classes = device::classify<typename Tile::classifier>(shared.splitters, parts, of_all);
  each_bucket([&](unsigned, unsigned b) { shared.sums[b] = 0; });
  for (unsigned j = first_tile_range; j < last_tile_range; ++j) {
    const tile_range part{parts, round, j};
    __syncthreads();
    device::count_buckets<Key, Tile::threads, Tile::items>(source + part.begin, part.end - part.begin, classes,
                                                           shared.sums, less, codec);
    __syncthreads();
    each_bucket([&](unsigned i, unsigned b) {
      counters.put(part, b, shared.sums[b] - before[i]);
      before[i] = shared.sums[b];
    });
  }
  each_bucket([&](unsigned i, unsigned b) { counters.add(of_all.of, b, before[i]); });
}

/// Threads of the counting kernel, and what a block of it keeps in shared memory.
template <class Key, class Less>
struct counting_tile {
  static constexpr int threads = count_tile(sizeof(Key)).threads;
  static constexpr int items = count_tile(sizeof(Key)).items;
  static constexpr unsigned per_thread = static_cast<unsigned>(device::divide_up(block::max_buckets<Key>, threads));
  using classifier = block::classifier<Key, even_of<Key, Less>, threads>;

  struct storage {
    typename classifier::storage splitters;
    unsigned sums[block::max_buckets<Key>];
  };
};

/// Calls take(first_tile_range, last_tile_range) for all tile ranges of a round, for consecutive ones of one subproblem
/// at a time; last_tile_range is exclusive. A block claims a few, and more when it is done with them, since tile ranges
/// differ in length and heavy keys take longer. Synchronises before each call.
template <class Worklist, class Take>
__device__ __forceinline__ void each_share(const Worklist& parts, unsigned round, Take take) {
  __shared__ unsigned taken;
  round_totals& total = parts.totals[round];
  const unsigned share = max(total.tile_ranges / (8 * gridDim.x), 1u);
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) taken = atomicAdd(&total.begun, share);
    __syncthreads();
    if (taken >= total.tile_ranges) return;
    const unsigned end = min(taken + share, total.tile_ranges);
    for (unsigned first = taken, last; first < end; first = last) {
      const subproblem& divided = parts.subproblems_of(round)[parts.subproblem_of[first]];
      last = min(end, divided.first_tile_range + divided.tile_ranges);
      take(first, last);
    }
  }
}

/// Counts the elements of every tile range per bucket.
template <class Key, class Source, class Counters, class Less, class Codec>
__global__ void __launch_bounds__(count_tile(sizeof(Key)).threads, count_blocks)
    count_kernel(worklist_of<Key, Less> parts, unsigned round, Source source, Counters counters, Less less,
                 Codec codec) {
  await_predecessors();
  using tile = counting_tile<Key, Less>;
  __shared__ typename tile::storage shared;
  device::each_share(parts, round, [&](unsigned first_tile_range, unsigned last_tile_range) {
    device::count_tile_ranges<tile>(shared, parts, round, first_tile_range, last_tile_range, source, counters, less,
                                    codec);
  });
}

/// A source that is only read: a pointer to keys becomes one to const, even if others write to them.
template <class Source>
Source only_read(const Source& source) {
  return source;
}
template <class Key>
const Key* only_read(Key* keys) {
  return keys;
}

template <class Key, class Source, class Counters, class Less, class Codec>
void count_buckets(const context& context, const worklist_of<Key, Less>& parts, unsigned round, Source source,
                   Counters counters, Less less, Codec codec) {
  device::launch_persistent(context, {parts.plan.tile_range_limit(), count_tile(sizeof(Key)).threads},
                            count_kernel<Key, Source, Counters, Less, Codec>, parts, round, source, counters, less,
                            codec);
}

template <class Key, class Codes, class Less>
void launch_splitters(const context& context, const worklist_of<Key, Less>& parts, unsigned round, const Codes& codes,
                      unsigned long long* zeroed, Less less) {
  device::launch_persistent(context, {parts.plan.subproblems_in(round), splitter_threads<Key>},
                            splitters_kernel<Key, Codes, Less>, parts, round, codes, zeroed, less);
}

/// Chooses how each subproblem is divided. `zeroed`: counters per bucket to be cleared before, or null.
template <class Key, class Source, class Less, class Codec>
void choose_round(const context& context, const worklist_of<Key, Less>& parts, unsigned round, Source source,
                  unsigned long long* zeroed, Less less, Codec codec) {
  device::launch_splitters<Key>(context, parts, round, device::codes_of<Key>(source, codec), zeroed, less);
}

/// The first half of a round: chooses how each subproblem is divided, and counts. `zeroed`: see choose_round().
template <class Key, class Source, class Counters, class Less, class Codec>
void count_round(const context& context, const worklist_of<Key, Less>& parts, unsigned round, Source source,
                 Counters counters, unsigned long long* zeroed, Less less, Codec codec) {
  device::choose_round<Key>(context, parts, round, source, zeroed, less, codec);
  device::count_buckets<Key>(context, parts, round, device::only_read(source), counters, less, codec);
}

}  // namespace gpu::inline v1::detail::device
