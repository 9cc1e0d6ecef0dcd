// Sort of some thousand codes in one launch: a few by one block; more by a cluster of blocks, or by one block where
// there are no clusters.
#pragma once

#include <cstddef>

#include "block/bin_sort.cuh"
#include "block/raise.cuh"
#include "block/rank_sort.cuh"
#include "cluster/bin_sort.cuh"
#include "columns.cuh"
#include "erased_rows.cuh"
#include "launching/context.hpp"
#include "launching/launch.cuh"
#include "tuning/local_sorts.hpp"

namespace gpu::inline v1::detail::device {

/// Sorts data[0, n), at most few_codes, in one block of n threads or more.
template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(few_codes)
    rank_kernel(columns<Key, Value> data, unsigned n, Codec codec, signal end) {
  await_predecessors();
  __shared__ block::rank_storage<Key, few_codes> shared;
  block::rank_sort(shared, data.keys, n, codec);
  block::raise(end);
}

/// Sorts data[0, n), at most a tile, in one block.
template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(lone_bin_tile(sizeof(Key)).threads)
    bin_tile_kernel(const __grid_constant__ columns<Key, Value> data, unsigned n, Codec codec, signal end) {
  await_predecessors();
  using bins = block::bin_sort<Key, lone_bin_tile(sizeof(Key)).threads, lone_bin_tile(sizeof(Key)).items>;
  __shared__ typename bins::storage shared;
  bins tile{shared};
  if (!tile.sort(data.keys, n, codec)) tile.merge(n);
  tile.store(data.keys, n, codec);
  block::raise(end);
}

/// Sorts by bins in one cluster of blocks of Threads threads each: at most as many codes as the cluster has threads.
template <int Threads, class Key, class Value, class Codec>
__global__ void __launch_bounds__(Threads)
    bin_cluster_kernel(const __grid_constant__ columns<Key, Value> data, unsigned n,
                       const __grid_constant__ Codec codec, signal end) {
  await_predecessors();
  using bins = cluster::bin_sort<Key, Threads>;
  bins{device::dynamic_shared<typename bins::storage>()}.sort(data.keys, n, codec);
  cluster::raise(end);
}

template <int Threads, class Key, class Value, class Codec>
void sort_in_cluster(const context& context, columns<Key, Value> data, std::size_t n, Codec codec) {
  using bins = cluster::bin_sort<Key, Threads>;
  shape blocks{cluster::most_blocks, Threads, sizeof(typename bins::storage)};
  blocks.cluster = cluster::most_blocks;
  device::launch_last(context, blocks, bin_cluster_kernel<Threads, Key, Value, Codec>, data, static_cast<unsigned>(n),
                      codec);
}

/// The most codes that sort_tile() sorts on every device: those of a base case.
template <class Key>
inline constexpr std::size_t sure_tile = lone_bin_tile(sizeof(Key)).size();

/// Sorts data[0, n), n > 0, in place on the context's stream, without waiting, if it fits a tile of the device; returns
/// whether it does. Not stable, no scratch.
template <class Key, class Value, class Codec>
  requires(!is_joined_v<Value>)
[[nodiscard]] bool sort_tile(const context& context, columns<Key, Value> data, std::size_t n, Codec codec) {
  static_assert(sure_tile<Key> == bin_tile(sizeof(Key)).size());
  constexpr tile_shape most = cluster_bin_tile(sizeof(Key));
  static_assert(most.items == cluster::most_blocks && most.size() >= sure_tile<Key>);
  constexpr int threads = lone_bin_tile(sizeof(Key)).threads;
  const bool clusters = device::may_cluster(context, bin_cluster_kernel<most.threads, Key, Value, Codec>);
  if (n > (clusters ? most.size() : sure_tile<Key>)) return false;
  if (n <= few_codes) {
    const shape warps{1, static_cast<int>(divide_up(n, warp::threads)) * warp::threads};
    device::launch_last(context, warps, rank_kernel<Key, Value, Codec>, data, static_cast<unsigned>(n), codec);
  } else if (!clusters) {
    device::launch_last(context, shape{1, threads}, bin_tile_kernel<Key, Value, Codec>, data, static_cast<unsigned>(n),
                        codec);
  } else if (n <= sure_tile<Key>) {
    device::sort_in_cluster<threads>(context, data, n, codec);
  } else {
    device::sort_in_cluster<most.threads>(context, data, n, codec);
  }
  return true;
}

/// The same for joined columns, which are erased first.
template <class Bits, class High, class Low, class Codec>
[[nodiscard]] bool sort_tile(const context& context, const columns<Bits, joined<High, Low>>& data, std::size_t n,
                             const Codec& codec) {
  return device::sort_tile(context, device::erase(data, codec), n, identity_codec{});
}

}  // namespace gpu::inline v1::detail::device
