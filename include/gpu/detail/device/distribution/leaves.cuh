// The last step of two-phase quicksort and of sample sort: each block sorts one leaf after the other, alone.
#pragma once

#include <cstddef>

#include "../block/bin_sort.cuh"
#include "../block/long_sort.cuh"
#include "../columns.cuh"
#include "../launch.cuh"
#include "../persistent.cuh"
#include "../tuning.hpp"
#include "distribution.cuh"
#include "segments.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Where a leaf is, where it shall end, and the same place in the other array. `broken`: see division::break_off.
template <class Key, class Value>
struct placed_leaf {
  columns<Key, Value> source;
  columns<Key, Value> target;
  columns<Key, Value> other;
  std::size_t count;
  bool ordered;
  bool home;  ///< source is target

  __device__ placed_leaf(const leaf& placed, columns<Key, Value> data, columns<Key, Value> buffer,
                         unsigned broken = no_round)
      : target{data + placed.begin}, other{buffer + placed.begin}, count{placed.count}, ordered{placed.ordered != 0} {
    const unsigned moved_by = placed.round < broken ? placed.round : broken + 1;  // or broken - 1: even or odd alike
    home = moved_by % 2 != 0;
    source = home ? target : other;
  }
};

/// Brings equivalent keys home. Called by every thread; synchronises.
template <class Less, class Key, class Value, class Encoder, class Decoder>
__device__ void copy_leaf(const placed_leaf<Key, Value>& leaf, Encoder encoder, Decoder decoder) {
  if constexpr (sorted_by_bins_v<Key, Value, Less>) {  // equal codes: to read one of them is enough
    const Key found = leaf.source.keys[0];
    const Key key = decoder.decode(encoder.encode(found));
    __syncthreads();
    if (leaf.home && key == found) return;
    for (std::size_t i = threadIdx.x; i < leaf.count; i += blockDim.x) leaf.target.keys[i] = key;
  } else {
    for (std::size_t i = threadIdx.x; i < leaf.count; i += blockDim.x)
      leaf.target.set(i, decoder.decode(encoder.encode(leaf.source.keys[i])), leaf.source.value(i));
  }
}

/// Sorts the listed leaves, all for a null `list`, by merging.
template <bool Stable, class Key, class Value, class Less, class Encoder, class Codec>
__global__ void __launch_bounds__(merged_leaf_v<Key, Value, Less>.threads)
    merge_leaves_kernel(const leaf* leaves, const unsigned* list, const unsigned* listed, const unsigned* broken,
                        columns<Key, Value> data, columns<Key, Value> buffer, Less less, Encoder encoder,
                        Codec decoder) {
  await_predecessors();
  constexpr tile_shape tile = merged_leaf_v<Key, Value, Less>;
  using leaf_sort = block::long_sort<Key, Value, tile.threads, tile.items, Stable>;
  __shared__ typename leaf_sort::storage shared;
  const unsigned count = *listed;
  const unsigned broken_round = strict_weak_order_v<Less> ? no_round : *broken;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const placed_leaf<Key, Value> leaf{leaves[list ? list[l] : l], data, buffer, broken_round};
    if (leaf.ordered)
      copy_leaf<Less>(leaf, encoder, decoder);
    else
      leaf_sort{shared}.sort(leaf.source, leaf.target, leaf.other, leaf.count, less, encoder, decoder);
  }
}

/// Sorts leaves of codes by bins; lists those that are too long or too crowded for that.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads, bin_blocks(sizeof(Key)))
    bin_leaves_kernel(const leaf* leaves, const unsigned* leaf_count, unsigned* crowded, unsigned* crowded_count,
                      columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  await_predecessors();
  using leaf_sort = block::bin_sort<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>;
  __shared__ typename leaf_sort::storage shared;
  const unsigned count = *leaf_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto placed = [&] { return placed_leaf<Key, Value>{leaves[l], data, buffer}; };  // cheaper than to keep
    if (placed().ordered) {
      copy_leaf<code_less>(placed(), encoder, decoder);
      continue;
    }
    leaf_sort tile{shared};
    const auto n = static_cast<unsigned>(min(placed().count, std::size_t{leaf_sort::tile} + 1));
    if (n <= leaf_sort::tile && tile.sort(placed().source.keys, n, encoder))
      tile.store(placed().target.keys, n, decoder);
    else if (threadIdx.x == 0)
      crowded[atomicAdd(crowded_count, 1u)] = l;
  }
}

/// Sorts data[0, n), at most a tile, in one block: by bins, or by merging if they are too crowded.
template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads)
    bin_tile_kernel(columns<Key, Value> data, unsigned n, Codec codec) {
  using bins = block::bin_sort<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>;
  using merge = block::merge_sort<Key, Value, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items + 1>;
  __shared__ union {
    typename bins::storage bins;
    typename merge::storage merge;
  } shared;
  bins tile{shared.bins};
  if (tile.sort(data.keys, n, codec))
    tile.store(data.keys, n, codec);
  else
    merge{shared.merge}.sort(data, data, static_cast<int>(n), code_less{}, codec, codec);
}

template <class Key, class Value, class Codec>
void sort_tile(const context& context, columns<Key, Value> data, std::size_t n, Codec codec) {
  launch(context, shape{1, bin_tile(sizeof(Key)).threads}, bin_tile_kernel<Key, Value, Codec>, data,
         static_cast<unsigned>(n), codec);
}

/// Sorts all leaves. `encoder` makes codes of what the leaves hold, `decoder` makes keys of codes.
template <bool Stable, class Key, class Value, class Less, class Encoder, class Codec>
void sort_leaves(const context& context, const division_of<Key, Less>& parts, columns<Key, Value> data,
                 columns<Key, Value> buffer, Less less, Encoder encoder, Codec decoder) {
  const auto merge = merge_leaves_kernel<Stable, Key, Value, Less, Encoder, Codec>;
  constexpr int merge_threads = merged_leaf_v<Key, Value, Less>.threads;
  const std::size_t limit = parts.plan.rounds == 0 ? 1 : parts.plan.leaf_limit();
  const shape merge_shape = persistent_shape(context, merge, limit, merge_threads);
  if constexpr (sorted_by_bins_v<Key, Value, Less>) {
    constexpr int bin_threads = bin_tile(sizeof(Key)).threads;
    const std::size_t even_leaves = divide_up(parts.plan.n, parts.plan.even_leaf);  // a block each: the device balances
    launch_early(context, shape{even_leaves < limit ? even_leaves : limit, bin_threads},
                 bin_leaves_kernel<Key, Value, Encoder, Codec>, parts.leaves, parts.leaf_count, parts.crowded,
                 parts.crowded_count, data, buffer, encoder, decoder);
    launch_early(context, merge_shape, merge, parts.leaves, parts.crowded, parts.crowded_count, parts.broken, data,
                 buffer, less, encoder, decoder);
  } else {
    launch_early(context, merge_shape, merge, parts.leaves, static_cast<const unsigned*>(nullptr), parts.leaf_count,
                 parts.broken, data, buffer, less, encoder, decoder);
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
