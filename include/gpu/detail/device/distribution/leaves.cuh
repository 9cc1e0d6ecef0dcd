// The last step of two-phase quicksort and of sample sort: each block sorts one leaf after the other, alone.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../block/bin_sort.cuh"
#include "../block/counted_values.cuh"
#include "../block/long_sort.cuh"
#include "../block/thread_bins.cuh"
#include "../block/wide_bins.cuh"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning.hpp"
#include "distribution.cuh"
#include "gathering.cuh"
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

  /// It is elsewhere in scratch.
  __device__ void come_from(columns<Key, Value> place) {
    source = place;
    home = false;
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
    if (std::is_same_v<Encoder, identity_codec> && std::is_same_v<Decoder, identity_codec> && leaf.home) return;
    for (std::size_t i = threadIdx.x; i < leaf.count; i += blockDim.x)
      leaf.target.set(i, decoder.decode(encoder.encode(leaf.source.keys[i])), leaf.source.value(i));
  }
}

/// Sorts the listed leaves, all for a null `list`, by merging. `tiles`: what leaves are gathered from, and which of
/// them have been sorted.
template <bool Stable, class Key, class Value, class Less, class Encoder, class Codec, class Tiles>
__global__ void __launch_bounds__(merged_leaf_v<Key, Value, Less>.threads, merged_leaf_blocks_v<Key, Value, Less>)
    merge_leaves_kernel(const leaf* leaves, const unsigned* list, const unsigned* listed, const unsigned* broken,
                        columns<Key, Value> data, columns<Key, Value> buffer, Less less, Encoder encoder, Codec decoder,
                        Tiles tiles) {
  await_predecessors();
  constexpr tile_shape tile = merged_leaf_v<Key, Value, Less>;
  constexpr bool gathers = !std::is_same_v<Tiles, no_grouped_tiles>;
  using leaf_sort = block::long_sort<Key, Value, tile.threads, tile.items, Stable>;
  using gatherer = leaf_gatherer<Key, tile.threads>;
  __shared__ typename leaf_sort::storage shared;
  __shared__ std::conditional_t<gathers, typename gatherer::storage, int> runs;
  const unsigned count = *listed;
  const unsigned broken_round = strict_weak_order_v<Less> ? no_round : *broken;
  for (unsigned l = blockIdx.x + tiles.sorted_leaves(); l < count; l += gridDim.x) {
    const auto& listed_leaf = leaves[list ? list[l] : l];
    placed_leaf<Key, Value> leaf{listed_leaf, data, buffer, broken_round};
    if constexpr (gathers) leaf.count = listed_leaf.elements();
    if (leaf.count == 0) continue;
    if (leaf.ordered) {
      if constexpr (gathers)
        if (listed_leaf.gathered) leaf.come_from(buffer + listed_leaf.source() * tiles.places.piece);
      device::copy_leaf<Less>(leaf, encoder, decoder);
    } else {
      leaf_sort{shared}.sort(
          leaf.source, leaf.target, leaf.other, leaf.count, less, encoder, decoder, [&](auto& loaded) {
            if constexpr (gathers)
              if (listed_leaf.gathered) return gatherer{runs}.gather(tiles, listed_leaf.source(), loaded.keys);
            block::load<tile.threads, tile.items>(leaf.source, static_cast<int>(leaf.count), loaded, encoder);
          });
    }
  }
}

/// The local sort by bins of any codes, and faster ones for those of 32 and 64 bits that repeat, or lie evenly.
template <class Key>
using leaf_bins = block::bin_sort<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>;
template <class Key>
using leaf_values = block::counted_values<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>;
template <class Key>
using even_leaf_bins =
    std::conditional_t<sizeof(Key) <= 4, block::thread_bins<bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>,
                       block::wide_bins<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>>;
template <class Key>
inline constexpr bool has_even_leaf_bins_v = sizeof(Key) == 4 || sizeof(Key) == 8;

/// Sorts leaves of codes by bins; lists those that are too long or too crowded for that.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads, bin_blocks(sizeof(Key)))
    bin_leaves_kernel(const leaf* leaves, const unsigned* leaf_count, unsigned* crowded, unsigned* crowded_count,
                      columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  await_predecessors();
  using leaf_sort = leaf_bins<Key>;
  __shared__ typename leaf_sort::storage shared;
  const unsigned count = *leaf_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto placed = [&] { return placed_leaf<Key, Value>{leaves[l], data, buffer}; };  // cheaper than to keep
    if (placed().ordered) {
      device::copy_leaf<code_less>(placed(), encoder, decoder);
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

/// Brings a leaf that a block is going to sort soon into the L2 cache.
template <class Key, class Value>
__device__ __forceinline__ void fetch_early(const placed_leaf<Key, Value>& leaf) {
  if constexpr (std::is_pointer_v<decltype(leaf.source.keys)>) {
    constexpr unsigned line = 128 / sizeof(Key);
    static_assert(bin_tile(sizeof(Key)).size() <= bin_tile(sizeof(Key)).threads * line);
    if (threadIdx.x * line < leaf.count)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(leaf.source.keys + threadIdx.x * line));
  }
}

/// Sorts leaves of codes that lie evenly; lists the others, those of codes that repeat untried. `ahead`: how many
/// leaves before its turn one is fetched.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads,
                                  blocks_allowed(even_bin_blocks(sizeof(Key)), bin_tile(sizeof(Key)).threads))
    even_leaves_kernel(const leaf* leaves, const unsigned* leaf_count, unsigned* crowded, unsigned* crowded_count,
                       columns<Key, Value> data, columns<Key, Value> buffer, unsigned ahead, Encoder encoder,
                       Codec decoder) {
  await_predecessors();
  using leaf_sort = even_leaf_bins<Key>;
  auto& shared = device::dynamic_shared<typename leaf_sort::storage>();
  for (unsigned l = blockIdx.x; l < *leaf_count; l += gridDim.x) {
    const auto placed = [&](unsigned l) { return placed_leaf<Key, Value>{leaves[l], data, buffer}; };
    if (leaves[l].ordered) {
      device::copy_leaf<code_less>(placed(l), encoder, decoder);
      continue;
    }
    const auto fetch = [&] {
      if (l + ahead < *leaf_count) device::fetch_early(placed(l + ahead));
    };
    leaf_sort tile{shared};
    constexpr std::size_t too_long = leaf_sort::tile + 1;
    const auto n = static_cast<unsigned>(leaves[l].repeats ? too_long : min(std::size_t{leaves[l].count}, too_long));
    const auto target = data.keys + leaves[l].begin;
    if (n <= leaf_sort::tile && tile.sort(placed(l).source.keys, n, leaf_sort::begin_for(target), encoder, fetch))
      tile.store(target, n, decoder);
    else if (threadIdx.x == 0)
      crowded[atomicAdd(crowded_count, 1u)] = l;
  }
}

/// Sorts those of the listed leaves whose codes repeat by counting their values, as far as these are few and lie
/// evenly, and takes them out of the list: they are leaves of nothing.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads, bin_blocks(sizeof(Key)))
    repeating_leaves_kernel(leaf* leaves, const unsigned* crowded, const unsigned* crowded_count,
                            columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  await_predecessors();
  using values = leaf_values<Key>;
  __shared__ typename values::storage shared;
  for (unsigned i = blockIdx.x; i < *crowded_count; i += gridDim.x) {
    leaf& listed = leaves[crowded[i]];
    if (!listed.repeats || listed.count > values::tile) continue;
    const placed_leaf<Key, Value> placed{listed, data, buffer};
    if (!values{shared}.sort(placed.source.keys, placed.target.keys, static_cast<unsigned>(placed.count), encoder,
                             decoder))
      continue;
    __syncthreads();
    if (threadIdx.x == 0) listed.count = 0;
  }
}

/// Sorts leaves of codes, and lists those that remain.
template <class Key, class Value, class Division, class Encoder, class Codec>
void sort_leaves_by_bins(const context& context, const Division& parts, std::size_t limit, columns<Key, Value> data,
                         columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  constexpr int threads = bin_tile(sizeof(Key)).threads;
  shape all{parts.plan.leaf_blocks(limit), threads};
  if constexpr (has_even_leaf_bins_v<Key>) {
    constexpr std::size_t shared_bytes = sizeof(typename even_leaf_bins<Key>::storage);
    if (shared_bytes <= context.device.shared_bytes_per_block) {
      const auto others = repeating_leaves_kernel<Key, Value, Encoder, Codec>;
      all.shared_bytes = shared_bytes;
      device::launch_early(context, all, even_leaves_kernel<Key, Value, Encoder, Codec>, parts.leaves, parts.leaf_count,
                           parts.crowded, parts.crowded_count, data, buffer,
                           static_cast<unsigned>(context.device.multiprocessors * leaves_ahead(sizeof(Key))), encoder,
                           decoder);
      device::launch_early(context, device::persistent_shape(context, others, limit, threads), others, parts.leaves,
                           parts.crowded, parts.crowded_count, data, buffer, encoder, decoder);
      return;
    }
  }
  device::launch_early(context, all, bin_leaves_kernel<Key, Value, Encoder, Codec>, parts.leaves, parts.leaf_count,
                       parts.crowded, parts.crowded_count, data, buffer, encoder, decoder);
}

/// Merges the leaves that faster sorts of codes have listed, at most `limit`.
template <bool Stable, class Division, class Key, class Value, class Encoder, class Codec>
void merge_crowded_leaves(const context& context, const Division& parts, std::size_t limit, columns<Key, Value> data,
                          columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  const auto merge = merge_leaves_kernel<Stable, Key, Value, code_less, Encoder, Codec, no_grouped_tiles>;
  device::launch_early(context,
                       device::persistent_shape(context, merge, limit, merged_leaf_v<Key, Value, code_less>.threads),
                       merge, parts.leaves, parts.crowded, parts.crowded_count, parts.broken, data, buffer, code_less{},
                       encoder, decoder, no_grouped_tiles{});
}

/// Sorts all leaves. `encoder` makes codes of what the leaves hold, `decoder` makes keys of codes. `tiles`: what leaves
/// of the gathered round are gathered from, and which leaves have been sorted.
template <bool Stable, class Key, class Value, class Less, class Encoder, class Codec, class Tiles = no_grouped_tiles>
void sort_leaves(const context& context, const division_of<Key, Less>& parts, columns<Key, Value> data,
                 columns<Key, Value> buffer, Less less, Encoder encoder, Codec decoder, Tiles tiles = {}) {
  const bool alone = parts.plan.rounds == 0 && !parts.plan.segments_are_given();
  const std::size_t limit = alone ? 1 : parts.plan.leaf_limit();
  if constexpr (sorted_by_bins_v<Key, Value, Less>) {
    device::sort_leaves_by_bins(context, parts, limit, data, buffer, encoder, decoder);
    device::merge_crowded_leaves<Stable>(context, parts, limit, data, buffer, encoder, decoder);
  } else {
    const auto merge = merge_leaves_kernel<Stable, Key, Value, Less, Encoder, Codec, Tiles>;
    constexpr int merge_threads = merged_leaf_v<Key, Value, Less>.threads;
    const std::size_t most = device::divide_up(parts.plan.n, parts.plan.joined_leaf) * 5 / 4;  // rarely more
    const shape each{most < limit ? most : limit, merge_threads};                              // the device balances
    device::launch_early(context,
                         tiles.any_sorted() ? device::persistent_shape(context, merge, limit, merge_threads) : each,
                         merge, parts.leaves, static_cast<const unsigned*>(nullptr), parts.leaf_count, parts.broken,
                         data, buffer, less, encoder, decoder, tiles);
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
