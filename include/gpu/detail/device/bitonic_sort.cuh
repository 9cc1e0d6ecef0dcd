// Bitonic sort in place, for any type and any n, without scratch. Small inputs take one launch. Large ones take far
// steps in global memory and near steps in registers and shared memory, of one block or of a cluster. After the
// implementation in the TNL library (paper 000, section 3.4), with virtual padding by flips (see
// block/bitonic_sort.cuh) and several far steps of the network per launch.
#pragma once

#include <bit>
#include <cstddef>

#include "block/bitonic_sort.cuh"
#include "block/network.cuh"
#include "block/raise.cuh"
#include "cluster/bitonic_sort.cuh"
#include "columns.cuh"
#include "launching/context.hpp"
#include "launching/launch.cuh"
#include "thread/sort.cuh"
#include "tuning/bitonic.hpp"

namespace gpu::inline v1::detail::device {

template <class Key, class Value>
inline constexpr tile_shape bitonic_tile_v = device::bitonic_tile(sizeof(Key), value_bytes_v<Value>);
template <class Key, class Value>
inline constexpr std::size_t bitonic_tile_size_v = bitonic_tile_v<Key, Value>.size();

/// Sorts every tile; if the tiles are `bitonic` already (and hold codes), by half-cleaners alone.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(bitonic_tile_v<Key, Value>.threads)
    bitonic_tile_kernel(columns<Key, Value> data, std::size_t n, bool bitonic, Less less, Codec encoder, Codec decoder,
                        signal end) {
  await_predecessors();
  constexpr tile_shape shape = bitonic_tile_v<Key, Value>;
  using tile_sort = block::bitonic_sort<Key, Value, Less, shape.threads, shape.items>;
  __shared__ typename tile_sort::storage storage;
  constexpr std::size_t tile_size = bitonic_tile_size_v<Key, Value>;
  const std::size_t begin = blockIdx.x * tile_size;
  const columns<Key, Value> tile = data + begin;
  tile_sort sort{storage, static_cast<int>(n - begin < tile_size ? n - begin : tile_size), less};
  if (bitonic)
    sort.merge(tile);
  else
    sort.sort(tile, encoder);
  sort.store(tile, decoder);
  block::raise(end);
}

/// Tiles for the kernel above, one per block.
template <class Key, class Value>
struct block_tiles {
  static constexpr std::size_t size = bitonic_tile_size_v<Key, Value>;

  template <class Less, class Codec>
  static void sort(const context& context, columns<Key, Value> data, std::size_t n, bool bitonic, Less less,
                   const Codec& encoder, const Codec& decoder) {
    shape tiles{divide_up(n, size), bitonic_tile_v<Key, Value>.threads};
    tiles.early = bitonic;
    const auto kernel = bitonic_tile_kernel<Key, Value, Less, Codec>;
    if (tiles.blocks == 1) return device::launch_last(context, tiles, kernel, data, n, bitonic, less, encoder, decoder);
    device::launch(context, tiles, kernel, data, n, bitonic, less, encoder, decoder, signal{});
  }
};

/// Each cluster of blocks sorts one tile.
template <class Key, class Codec>
__global__ void __launch_bounds__(bitonic_cluster_tile(sizeof(Key)).threads)
    bitonic_cluster_kernel(columns<Key, no_value> data, std::size_t n, bool bitonic, Codec encoder, Codec decoder) {
  await_predecessors();
  constexpr tile_shape shape = bitonic_cluster_tile(sizeof(Key));
  using cluster_sort = cluster::bitonic_sort<Key, cluster::most_blocks, shape.threads, shape.items>;
  __shared__ typename cluster_sort::storage storage;
  const std::size_t begin = min(blockIdx.x * shape.size(), n), left = n - begin;
  const columns<Key, no_value> tile = left > 0 ? data + begin : data;
  cluster_sort sort{storage, static_cast<int>(min(left, shape.size()))};
  if (bitonic)
    sort.merge(tile);
  else
    sort.sort(tile, encoder);
  sort.store(tile, decoder);
}

template <class Key>
struct cluster_tiles {
  static constexpr tile_shape block = bitonic_cluster_tile(sizeof(Key));
  static constexpr std::size_t size = cluster::most_blocks * block.size();

  template <class Codec>
  static void sort(const context& context, columns<Key, no_value> data, std::size_t n, bool bitonic, code_less,
                   const Codec& encoder, const Codec& decoder) {
    shape clusters{cluster::most_blocks * divide_up(n, size), block.threads};
    clusters.cluster = cluster::most_blocks;
    clusters.early = bitonic;
    device::launch(context, clusters, bitonic_cluster_kernel<Key, Codec>, data, n, bitonic, encoder, decoder);
  }
};

/// The most steps of the network that one launch takes: a thread holds 2^steps elements, and reads and writes each
/// once. For codes, as many steps as registers allow; fewer for other elements, since each number of steps is one more
/// kernel for callers to compile.
template <class Key, class Value, class Less>
inline constexpr int most_bitonic_steps = thread::codes_alone_v<Value, Less> && sizeof(Key) <= 8 ? 5 : 3;

/// Takes Steps consecutive steps of the network at once. The first compares within groups of 2^group_bits positions: a
/// flip (p against its mirror image in the group) or a half-cleaner (p against p + half a group). A thread holds the
/// 2^Steps elements of a group that these steps compare with one another.
template <int Steps, class Key, class Value, class Less>
__global__ void __launch_bounds__(bitonic_step_threads(Steps))
    bitonic_step_kernel(columns<Key, Value> data, std::size_t n, int group_bits, bool flip, Less less) {
  await_predecessors();
  constexpr int items = 1 << Steps;
  constexpr bool codes_alone = thread::codes_alone_v<Value, Less>;
  const int stride_bits = group_bits - Steps;
  const std::size_t stride = std::size_t{1} << stride_bits;
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * bitonic_step_threads(Steps) + threadIdx.x;
  const std::size_t offset = thread & (stride - 1);
  const std::size_t begin = thread >> stride_bits << group_bits;
  const auto position = [&](int i) {  // of register i; ascending. A flip mirrors the upper half of the group
    return begin + i * stride + (flip && i >= items / 2 ? stride - 1 - offset : offset);
  };
  Key keys[items];
  Value values[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {  // without a branch, so that all reads overlap
    const std::size_t source = position(i) < n ? position(i) : n - 1;
    keys[i] = data.keys[source];
    values[i] = data.value(source);
  }
  if constexpr (codes_alone)
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (position(i) >= n) keys[i] = static_cast<Key>(~Key{0});
  const auto order = [&](int low, int high) {
    if (codes_alone || position(high) < n) thread::order_pair(keys[low], values[low], keys[high], values[high], less);
  };
#pragma unroll
  for (int i = 0; i < items / 2; ++i) {
    if (flip)
      order(i, items - 1 - i);
    else
      order(i, i + items / 2);
  }
#pragma unroll
  for (int distance = items / 4; distance > 0; distance /= 2)
#pragma unroll
    for (int i = 0; i < items; ++i)
      if ((i & distance) == 0) order(i, i + distance);
#pragma unroll
  for (int i = 0; i < items; ++i)
    if (position(i) < n) data.set(position(i), keys[i], values[i]);
}

/// Enqueues `taken` <= Most steps of the network in one launch; the first is within groups of 2^group_bits.
template <int Most, class Key, class Value, class Less>
void bitonic_steps(const context& context, columns<Key, Value> data, std::size_t n, int group_bits, int taken,
                   bool flip, Less less) {
  if constexpr (Most > 1)
    if (taken < Most) return device::bitonic_steps<Most - 1>(context, data, n, group_bits, taken, flip, less);
  constexpr int threads = bitonic_step_threads(Most);
  const std::size_t group = std::size_t{1} << group_bits;
  device::launch_early(context, shape{divide_up(divide_up(n, group) * (group >> Most), threads), threads},
                       bitonic_step_kernel<Most, Key, Value, Less>, data, n, group_bits, flip, less);
}

/// Enqueues all steps of the network; Tiles takes the near ones.
template <class Tiles, class Key, class Value, class Less, class Codec>
void bitonic_sort_in(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  constexpr int most = most_bitonic_steps<Key, Value, Less>;
  Tiles::sort(context, data, n, false, less, codec, n <= Tiles::size ? codec : Codec{});
  for (std::size_t run = Tiles::size; run < n; run *= 2) {  // [0, run), [run, 2 run), … are sorted
    const int first_bits = static_cast<int>(std::bit_width(run));
    int group_bits = first_bits;
    for (int steps = static_cast<int>(std::bit_width(run / Tiles::size)); steps > 0;) {
      const int launches = (steps + most - 1) / most, taken = (steps + launches - 1) / launches;  // evenly
      device::bitonic_steps<most>(context, data, n, group_bits, taken, group_bits == first_bits, less);
      group_bits -= taken;
      steps -= taken;
    }
    Tiles::sort(context, data, n, true, less, codec, 2 * run >= n ? codec : Codec{});
  }
}

/// Sorts data[0, n) in place on the context's stream, without waiting; not stable. O(n log^2 n), no scratch. Keys are
/// compared by `less` as encoded by `codec`, and stored as they were. Throws gpu::error.
template <class Key, class Value, class Less, class Codec>
void bitonic_sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  using blocks = block_tiles<Key, Value>;
  if (n < 2) return;
  if constexpr (thread::codes_alone_v<Value, Less> && sizeof(Key) <= 8)
    if (worth_clusters(n, sizeof(Key)) && device::may_cluster(context, bitonic_cluster_kernel<Key, Codec>))
      return device::bitonic_sort_in<cluster_tiles<Key>>(context, data, n, less, codec);
  device::bitonic_sort_in<blocks>(context, data, n, less, codec);
}

template <class Compare, class Swap>
__global__ void __launch_bounds__(indexed_threads)
    indexed_step_kernel(std::size_t n, std::size_t group, bool flip, Compare compare, Swap swap) {
  block::indexed_exchange(static_cast<std::size_t>(blockIdx.x) * indexed_threads + threadIdx.x, n, group, flip, compare,
                          swap);
}

/// Takes all steps within tiles: half-cleaners alone if the tiles are bitonic.
template <class Compare, class Swap>
__global__ void __launch_bounds__(indexed_threads)
    indexed_tile_kernel(std::size_t n, bool bitonic, Compare compare, Swap swap) {
  const std::size_t index = static_cast<std::size_t>(blockIdx.x) * indexed_threads + threadIdx.x;
  for (std::size_t group = bitonic ? 2 * indexed_tile : 2; group <= (bitonic ? 2 : 1) * indexed_tile; group *= 2) {
    if (!bitonic) block::indexed_exchange(index, n, group, true, compare, swap);
    for (std::size_t part = group / 2; part > 1; part /= 2) {
      __syncthreads();
      block::indexed_exchange(index, n, part, false, compare, swap);
    }
    __syncthreads();
  }
}

/// Sorts whatever `compare` and `swap` access at positions [0, n): compare(i, j), callable on the device, returns
/// whether the element at i precedes the one at j; swap(i, j) exchanges them. Both take std::size_t; each pair of
/// positions is handled by one thread at a time. Elements are compared and swapped in place: slower than bitonic_sort,
/// but they may lie in any number of arrays. Not stable; O(n log^2 n); does not wait.
template <class Compare, class Swap>
void bitonic_sort_indexed(const context& context, std::size_t n, Compare compare, Swap swap) {
  if (n < 2) return;
  const shape grid{divide_up(n, indexed_tile), indexed_threads};
  device::launch(context, grid, indexed_tile_kernel<Compare, Swap>, n, false, compare, swap);
  for (std::size_t run = indexed_tile; run < n; run *= 2) {
    // A group that n cuts short still needs all comparators of its lower half.
    for (std::size_t group = 2 * run; group > indexed_tile; group /= 2)
      device::launch(context, {divide_up(divide_up(n, group) * (group / 2), indexed_threads), indexed_threads},
                     indexed_step_kernel<Compare, Swap>, n, group, group == 2 * run, compare, swap);
    device::launch(context, grid, indexed_tile_kernel<Compare, Swap>, n, true, compare, swap);
  }
}

}  // namespace gpu::inline v1::detail::device
