// Stable merge sort: every block sorts a tile, then passes over all elements merge neighbouring runs, twice as long
// each time, by merge path. Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs",
// 2009; Green, McColl and Bader, "GPU Merge Path", 2012.
#pragma once

#include <utility>

#include "../keys/key.hpp"
#include "block/merge_sort.cuh"
#include "block/raise.cuh"
#include "launching/launch.cuh"
#include "merging/merge.cuh"

namespace gpu::inline v1::detail::device {

/// Sorted runs of equal length, the last one shorter; each odd one is merged with its predecessor.
template <class Key, class Value>
struct neighbouring_runs {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool searches = false;
  static constexpr tile_shape tile = merge_tile_v<Key, Value>;
  static constexpr int blocks = device::merge_blocks(tile);
  const_columns<Key, Value> data;
  std::size_t n;
  std::size_t run;

  GPUPAR_HOST_DEVICE std::size_t count() const { return n; }
  __device__ sequence_pair<Key, Value> at(std::size_t position) const {
    const std::size_t begin = position / (2 * run) * (2 * run);
    const std::size_t middle = n - begin < run ? n : begin + run;
    const std::size_t end = n - middle < run ? n : middle + run;
    return {data + begin, middle - begin, data + middle, end - middle, begin};
  }
  [[nodiscard]] neighbouring_runs<Key, no_value> keys_alone() const { return {{data.keys}, n, run}; }
};

/// Block t sorts tile t of source into target, which may be the same. `end`: a signal of the only block, if there is
/// one.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(merge_tile_v<Key, Value>.threads)
    tile_sort_kernel(columns<Key, Value> source, columns<Key, Value> target, std::size_t n, Less less, Codec encoder,
                     Codec decoder, signal end) {
  await_predecessors();
  constexpr tile_shape shape = merge_tile_v<Key, Value>;
  constexpr std::size_t tile_size = merge_tile_size_v<Key, Value>;
  using tile_sort = block::merge_sort<Key, Value, shape.threads, shape.items>;
  __shared__ typename tile_sort::storage storage;
  const std::size_t begin = blockIdx.x * tile_size;
  const std::size_t left = n - begin;
  const int count = static_cast<int>(left < tile_size ? left : tile_size);
  tile_sort{storage}.sort(source + begin, target + begin, count, less, encoder, decoder);
  block::raise(end);
}

/// Bytes of scratch that merge_sort takes.
template <class Key, class Value>
std::size_t merge_sort_scratch_bytes(std::size_t n) {
  const std::size_t tiles = device::divide_up(n, merge_tile_size_v<Key, Value>);
  return tiles <= 1 ? 0 : device::scratch_bytes<merge_buffer<Key, Value>>(n, tiles);
}

/// Sorts data[0, n) in place, stably, on the context's stream, without waiting. O(n log n); scratch for n elements.
/// Keys are compared by `less` as encoded by `codec`, and stored as they were. Throws std::bad_alloc before anything is
/// written, gpu::error.
template <class Key, class Value, class Less, class Codec>
void merge_sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  constexpr tile_shape tile = merge_tile_v<Key, Value>;
  if (n < 2) return;
  const shape tiles{divide_up(n, tile.size()), tile.threads};
  const auto tile_kernel = tile_sort_kernel<Key, Value, Less, Codec>;
  if (tiles.blocks == 1) return device::launch_last(context, tiles, tile_kernel, data, data, n, less, codec, codec);

  const scratch<merge_buffer<Key, Value>> buffer{context, n, tiles.blocks};
  int passes = 0;
  for (std::size_t run = tile.size(); run < n; run *= 2) ++passes;
  columns<Key, Value> source = passes % 2 == 0 ? data : buffer->data;  // so that the last pass ends in data
  columns<Key, Value> target = passes % 2 == 0 ? buffer->data : data;

  device::launch(context, tiles, tile_kernel, data, source, n, less, codec, Codec{}, signal{});
  for (std::size_t run = tile.size(); run < n; run *= 2) {  // [0, run), [run, 2 run), … of source are sorted
    const neighbouring_runs<Key, Value> runs{device::as_const(source), n, run};
    const auto decoder = --passes > 0 ? detail::leaving_codes(codec) : codec;
    device::merge_pass(context, runs, target, less, identity_codec{}, decoder, *buffer);
    std::swap(source, target);
  }
}

}  // namespace gpu::inline v1::detail::device
