// Multiway merge of integer codes, of which equal ones are indistinguishable: once multiway selection has cut a tile's
// part out of every sequence, the tile's codes are sorted by bins, whose cost does not grow with the number of
// sequences. Tiles need not have equal sizes, so that the selection may stop near the wanted position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/multiway_merge.cuh"
#include "../block/slot_sort.cuh"
#include "../block/wide_bins.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/merging.hpp"
#include "multiway_selection.cuh"
#include "run_tile.cuh"

namespace gpu::inline v1::detail::device {

/// Codes of one and two bytes repeat too often for bins.
template <class Key, class Value>
inline constexpr bool may_merge_by_bins_v = thread::interpolates_v<Key, code_less> && !has_value_v<Value>;
template <class Key, class Value, class Less>
inline constexpr bool merges_by_bins_v = may_merge_by_bins_v<Key, Value> && std::is_same_v<Less, code_less>;

/// The number of codes that are selected for a tile, give or take the slack at either end: so few that they, and their
/// neighbours in vectors, fit, however the sequences are aligned.
template <class Key>
constexpr std::size_t bins_tile(run_bins shape, std::size_t sequences) {
  const std::size_t spoilt = sequences * 2 * (key_vector<Key>::size - 1);
  return std::min(shape.size(), shape.loaded() - spoilt) - 2 * std::size_t{shape.slack};
}

/// How a block sorts its tile: in slots, or wide codes of small tiles by words that say how far they lie in their bins.
template <bool Few, class Key>
struct tile_bins {
  using type = block::slot_sort<Key, run_bins_for(sizeof(Key), Few).threads, run_bins::items>;
};
template <bool Few, class Key>
  requires(Few && sizeof(Key) == 8)
struct tile_bins<Few, Key> {
  using type = block::wide_bins<Key, run_bins_for(sizeof(Key), Few).threads, run_bins::held>;
};

/// Shared memory for sorting the tile; if its codes lie too unevenly for that, for sorting them in slots; and if too
/// unevenly for these, too, for merging.
template <bool Few, class Key>
struct bins_storage {
  static constexpr run_bins shape = run_bins_for(sizeof(Key), Few);
  static constexpr int vectors = run_bins::held / key_vector<Key>::size;  ///< per thread
  using bins = typename tile_bins<Few, Key>::type;
  using slots = block::slot_sort<Key, shape.threads, run_bins::items>;
  run_tile<Key, shape.threads * vectors> runs;
  union {
    typename bins::storage sorted;
    typename slots::storage in_slots;
    block::merge_storage<Key, no_value, shape.threads, run_bins::items> merged;
  };
};

/// Whether `sequences` sequences are merged in small tiles: few always are, others if the device's blocks have no room
/// for larger ones.
template <class Key>
constexpr bool merges_few(std::size_t sequences, std::size_t shared_bytes_per_block) {
  return sequences <= few_sequences || shared_bytes_per_block < sizeof(bins_storage<false, Key>);
}

/// The smallest tile in which one launch merges `sequences` sequences, on any device; least_bins_tile: that by bins,
/// for any number of them.
template <class Key, class Value>
constexpr std::size_t least_tile(std::size_t sequences) {
  constexpr std::size_t least_shared = std::size_t{64} << 10;  // of compute capability 7.5
  if constexpr (may_merge_by_bins_v<Key, Value>) {
    const std::size_t bins =
        device::bins_tile<Key>(device::run_bins_for(sizeof(Key), device::merges_few<Key>(sequences, least_shared)),
                               std::min<std::size_t>(sequences, max_sequences));
    return std::min(merge_tile_size_v<Key, Value>, bins);
  } else {
    return merge_tile_size_v<Key, Value>;
  }
}
template <class Key>
constexpr std::size_t least_bins_tile() {
  return device::bins_tile<Key>(run_bins_for(sizeof(Key), true), max_sequences);
}

/// Loads the calling thread's codes of the tile; returns a bit for each that is present.
template <class Storage, class Key, int Held, class Encoder>
__device__ __forceinline__ unsigned load_codes(const Storage& shared, Key (&codes)[Held], Encoder encoder) {
  constexpr int size = key_vector<Key>::size;
  unsigned present = 0;
#pragma unroll
  for (int v = 0; v < Storage::vectors; ++v) {
    const int index = v * Storage::shape.threads + static_cast<int>(threadIdx.x);
    const run_part<Key> part = shared.runs.part_of(static_cast<unsigned>(index));
    const key_vector<Key> found = part.load(min(index, shared.runs.vectors - 1));
#pragma unroll
    for (int i = 0; i < size; ++i) codes[v * size + i] = found.keys[i];
    present |= part.present(index) << v * size;
  }
#pragma unroll
  for (int i = 0; i < Held; ++i) codes[i] = encoder.encode(codes[i]);
  return present;
}

/// Sorts the tile and stores it; false if its codes lie too unevenly for that.
template <class Bins, class Storage, class Key, class Encoder, class Decoder>
__device__ __forceinline__ bool merge_in_bins(Bins bins, const Storage& shared, Key least, Key greatest, Key* output,
                                              Encoder encoder, Decoder decoder) {
  Key codes[run_bins::held];
  const unsigned present = device::load_codes(shared, codes, encoder);
  Key* const target = output + shared.runs.begin;
  return bins.sort(codes, present, static_cast<unsigned>(shared.runs.count()), least, greatest, target, encoder,
                   decoder);
}

/// Block t merges output tile t: by bins, or two sequences at a time if codes lie too unevenly.
template <bool Few, class Key, class Encoder, class Decoder>
__global__ void __launch_bounds__(run_bins_for(sizeof(Key), Few).threads,
                                  blocks_allowed(run_bins_for(sizeof(Key), Few).resident /
                                                     run_bins_for(sizeof(Key), Few).threads,
                                                 run_bins_for(sizeof(Key), Few).threads))
    multiway_bins_kernel(const __grid_constant__ sequence_set<Key, no_value> set, const std::size_t* cuts,
                         const Key* bounds, Key* output, Encoder encoder, Decoder decoder) {
  using storage = bins_storage<Few, Key>;
  constexpr int threads = storage::shape.threads, items = run_bins::items;
  auto& shared = device::dynamic_shared<storage>();
  typename storage::bins bins{shared.sorted};
  const Key least = bounds[blockIdx.x], greatest = bounds[blockIdx.x + 1];  // under way while parts are found
  bins.clear();
  shared.runs.find(set, cuts + static_cast<std::size_t>(blockIdx.x) * set.count);
  const int count = shared.runs.count();
  Key* const target = output + shared.runs.begin;
  if (least == greatest || count == 0) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) target[i] = decoder.decode(least);
    return;
  }
  if (device::merge_in_bins(bins, shared, least, greatest, output, encoder, decoder)) return;
  __syncthreads();
  if constexpr (!std::is_same_v<typename storage::bins, typename storage::slots>) {
    typename storage::slots slots{shared.in_slots};
    slots.clear();
    __syncthreads();
    if (device::merge_in_bins(slots, shared, least, greatest, output, encoder, decoder)) return;
    __syncthreads();
  }
  block::load<threads, items>(shared.merged, count, [&](int i, auto) { return shared.runs.locate(i); }, encoder);
  block::multiway_merge(shared.merged, shared.runs.bounds, shared.runs.parts, count, code_less{});
  block::store<threads, items>(shared.merged, count, columns<Key, no_value>{target, nullptr}, decoder);
}

template <bool Few, class Key, class Encoder, class Decoder>
void merge_in_tiles(const context& context, const sequence_set<Key, no_value>& set, std::size_t n, Key* output,
                    Encoder encoder, Decoder decoder, std::size_t* cuts, Key* bounds) {
  using storage = bins_storage<Few, Key>;
  const std::size_t step = device::bins_tile<Key>(storage::shape, static_cast<std::size_t>(set.count));
  const std::size_t tiles = divide_up(n, step);
  device::select_cuts(context, set, step, storage::shape.slack, tiles, cuts, bounds, code_less{}, encoder);
  device::launch(context, {tiles, storage::shape.threads, sizeof(storage)},
                 multiway_bins_kernel<Few, Key, Encoder, Decoder>, set, cuts, bounds, output, encoder, decoder);
}

/// Merges at most max_sequences sequences, of n codes in all, into output[0, n). `cuts`: room for tiles + 1 per
/// sequence; `bounds`: room for tiles + 1.
template <class Key, class Encoder, class Decoder>
void merge_by_bins(const context& context, const sequence_set<Key, no_value>& set, std::size_t n, Key* output,
                   Encoder encoder, Decoder decoder, std::size_t* cuts, Key* bounds) {
  const bool few = device::merges_few<Key>(static_cast<std::size_t>(set.count), context.device.shared_bytes_per_block);
  const auto merge = few ? merge_in_tiles<true, Key, Encoder, Decoder> : merge_in_tiles<false, Key, Encoder, Decoder>;
  merge(context, set, n, output, encoder, decoder, cuts, bounds);
}

}  // namespace gpu::inline v1::detail::device
