// Sort of as many codes as a leaf has, in one launch: a few by one block; more by a cluster of blocks, or by one block
// where there are no clusters.
#pragma once

#include <cstddef>

#include "block/bin_sort.cuh"
#include "block/rank_sort.cuh"
#include "block/tell.cuh"
#include "cluster/bin_sort.cuh"
#include "columns.cuh"
#include "context.hpp"
#include "launch.cuh"
#include "tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Sorts data[0, n), at most few_codes, in one block of n threads or more.
template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(few_codes)
    rank_kernel(columns<Key, Value> data, unsigned n, Codec codec, signal end) {
  await_predecessors();
  __shared__ block::rank_storage<Key, few_codes> shared;
  block::rank_sort(shared, data.keys, n, codec);
  block::tell(end);
}

/// Sorts data[0, n), at most a tile, in one block.
template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(lone_bin_tile(sizeof(Key)).threads)
    bin_tile_kernel(columns<Key, Value> data, unsigned n, Codec codec, signal end) {
  await_predecessors();
  using bins = block::bin_sort<Key, lone_bin_tile(sizeof(Key)).threads, lone_bin_tile(sizeof(Key)).items>;
  __shared__ typename bins::storage shared;
  bins tile{shared};
  if (!tile.sort(data.keys, n, codec) && !tile.refine(n)) tile.mend(n);
  tile.store(data.keys, n, codec);
  block::tell(end);
}

/// The same in one cluster.
template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(lone_bin_tile(sizeof(Key)).threads)
    bin_cluster_kernel(columns<Key, Value> data, unsigned n, Codec codec, signal end) {
  await_predecessors();
  using bins = cluster::bin_sort<Key, lone_bin_tile(sizeof(Key)).threads>;
  __shared__ typename bins::storage shared;
  bins{shared}.sort(data.keys, n, codec);
  cluster::tell(end);
}

/// Sorts data[0, n) in place on the context's stream, without waiting, 0 < n <= a tile; not stable, no scratch.
template <class Key, class Value, class Codec>
void sort_tile(const context& context, columns<Key, Value> data, std::size_t n, Codec codec) {
  constexpr tile_shape tile = lone_bin_tile(sizeof(Key));
  static_assert(tile.size() == bin_tile(sizeof(Key)).size() && tile.items == cluster::most_blocks);
  const auto count = static_cast<unsigned>(n);
  if (n <= few_codes) {
    const shape warps{1, static_cast<int>(divide_up(n, warp::threads)) * warp::threads};
    return launch_last(context, warps, rank_kernel<Key, Value, Codec>, data, count, codec);
  }
  if (!runs_code_for_90(context))
    return launch_last(context, shape{1, tile.threads}, bin_tile_kernel<Key, Value, Codec>, data, count, codec);
  shape blocks{cluster::most_blocks, tile.threads};
  blocks.cluster = cluster::most_blocks;
  launch_last(context, blocks, bin_cluster_kernel<Key, Value, Codec>, data, count, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
