// Stable merge of two sorted sequences in global memory by merge path: one kernel finds where every tile of the output
// begins in both inputs, another merges each tile through shared memory; of few tiles it finds that, too. Green, McColl
// and Bader, "GPU Merge Path", 2012; Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <cuda_runtime_api.h>

#include "../../merge_path.hpp"
#include "../block/load_store.cuh"
#include "../block/merge.cuh"
#include "../columns.cuh"
#include "../context.hpp"
#include "../launch.cuh"
#include "../scratch.cuh"
#include "../tuning.hpp"
#include "merge_cuts.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Columns that are only read.
template <class Key, class Value>
using const_columns = columns<const Key, std::conditional_t<has_value_v<Value>, const Value, no_value>>;

template <class Key, class Value>
const_columns<Key, Value> as_const(columns<Key, Value> data) {
  return {data.keys, data.values};
}

/// The tile of merges and merge sorts of these columns.
template <class Key, class Value>
inline constexpr tile_shape merge_tile_v = merge_tile(sizeof(Key), value_bytes_v<Value>);
template <class Key, class Value>
inline constexpr std::size_t merge_tile_size_v = merge_tile_v<Key, Value>.size();

/// Two sorted sequences whose merge begins at `begin` in the output.
template <class Key, class Value>
struct sequence_pair {
  const_columns<Key, Value> a;
  std::size_t a_count;
  const_columns<Key, Value> b;
  std::size_t b_count;
  std::size_t begin;

  GPUPAR_HOST_DEVICE std::size_t count() const { return a_count + b_count; }
};

/// What the merge kernels merge, and in which tiles: here one pair. `at(position)` is the pair that output belongs to;
/// pairs begin where tiles do.
template <class Key, class Value>
struct single_pair {
  using key_type = Key;
  using value_type = Value;
  static constexpr tile_shape tile = merge_of_two_tile(sizeof(Key), value_bytes_v<Value>);
  sequence_pair<Key, Value> pair;

  GPUPAR_HOST_DEVICE std::size_t count() const { return pair.count(); }
  __device__ const sequence_pair<Key, Value>& at(std::size_t) const { return pair; }
};

inline constexpr int partition_threads = 128;
inline constexpr int partition_tiles_per_warp = warp::threads - 1;  // the last lane's cut is where theirs end

/// Leaves in memory how many elements of its pair's first sequence precede each output tile, and how many its end.
template <class Pairs, class Cuts, class Less, class Codec>
__global__ void __launch_bounds__(partition_threads)
    merge_partition_kernel(Pairs pairs, Cuts memory, Less less, Codec codec) {
  using key_type = typename Pairs::key_type;
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * partition_threads + threadIdx.x;
  const std::size_t lane = thread % warp::threads;
  const std::size_t tile = thread / warp::threads * partition_tiles_per_warp + lane;
  const std::size_t n = pairs.count(), begin = Cuts::begin_of(tile, Pairs::tile.size(), n);
  std::size_t cut = 0;
  const auto pair = pairs.at(begin < n ? begin : 0);
  const encoded_keys<key_type, Codec> a{pair.a.keys, codec}, b{pair.b.keys, codec};
  if (begin < n) {
    if constexpr (thread::interpolates_v<key_type, Less>)
      cut = cut_by_value(a, pair.a_count, b, pair.b_count, begin - pair.begin);
    else
      cut = merge_path(a, pair.a_count, b, pair.b_count, begin - pair.begin, less);
  }
  const std::size_t next = __shfl_down_sync(warp::all_lanes, cut, 1);
  if (lane + 1 == warp::threads || begin >= n) return;
  const bool last = Cuts::begin_of(tile + 1, Pairs::tile.size(), n) - pair.begin >= pair.count();
  memory.leave(tile, begin, {cut, last ? pair.a_count : next});
}

/// Sets *memory.contradiction if two cuts that were left contradict one another.
template <class Pairs>
__global__ void __launch_bounds__(partition_threads) check_cuts_kernel(Pairs pairs, cuts_in_scratch memory) {
  const std::size_t tile = static_cast<std::size_t>(blockIdx.x) * partition_threads + threadIdx.x;
  const std::size_t begin = tile * Pairs::tile.size();
  if (begin >= pairs.count()) return;
  const auto pair = pairs.at(begin);
  const std::size_t end = min(begin - pair.begin + Pairs::tile.size(), pair.count());
  const tile_cuts found = memory.of(tile, pair, end);
  if (found.end < found.begin || found.end - found.begin > end - (begin - pair.begin)) *memory.contradiction = 1;
}

/// Block t merges output tile t.
template <class Pairs, class Cuts, class Key, class Value, class Less, class Encoder, class Decoder>
__global__ void __launch_bounds__(Pairs::tile.threads)
    merge_kernel(Pairs pairs, Cuts known, columns<Key, Value> output, Less less, Encoder encoder, Decoder decoder) {
  constexpr tile_shape shape = Pairs::tile;
  __shared__ block::merge_storage<Key, Value, shape.threads, shape.items> storage;

  await_predecessors();
  const std::size_t begin = Cuts::begin_of(blockIdx.x, shape.size(), pairs.count());
  const auto pair = pairs.at(begin);
  const std::size_t diagonal = begin - pair.begin;
  const std::size_t size = Cuts::begin_of(blockIdx.x + 1, shape.size(), pairs.count()) - begin;
  const int n = static_cast<int>(min(pair.count() - diagonal, size));
  const tile_cuts cuts = known.between(pair, diagonal, diagonal + n, less, encoder);
  const int a_count = static_cast<int>(cuts.end - cuts.begin);
  const auto a = pair.a + cuts.begin;
  const auto b = pair.b + (diagonal - cuts.begin);

  block::load<shape.threads, shape.items>(
      storage, n, [&](int i, auto column) { return i < a_count ? column(a) + i : column(b) + (i - a_count); }, encoder);
  __syncthreads();
  Key keys[shape.items];
  Value values[shape.items];
  const int first = static_cast<int>(threadIdx.x) * shape.items;
  block::merge(storage, {0, a_count, n}, shape.threads, first, keys, values, less);
  block::registers_to_tile(keys, values, first, storage);
  __syncthreads();
  block::store<shape.threads, shape.items>(storage, n, output + begin, decoder);
}

/// Scratch for the cuts of so many tiles.
struct merge_cuts : cuts_in_scratch {
  merge_cuts(carver& carve, std::size_t tiles)
      : cuts_in_scratch{{}, carve.take<std::size_t>(tiles), carve.take<unsigned>(tiles > 0 ? 1 : 0)} {}
};

/// Merges all pairs into `output`, by way of cuts that are left where `memory` says.
template <class Pairs, class Cuts, class Key, class Value, class Less, class Encoder, class Decoder>
void merge_pass(const context& context, Pairs pairs, columns<Key, Value> output, Less less, Encoder encoder,
                Decoder decoder, Cuts memory) {
  const std::size_t tiles = divide_up(pairs.count(), Pairs::tile.size());
  const std::size_t warps = divide_up(tiles, partition_tiles_per_warp);
  if constexpr (!strict_weak_order_v<Less>) set_zero(context, memory.contradiction, sizeof(unsigned));
  launch(context, {divide_up(warps * warp::threads, partition_threads), partition_threads},
         merge_partition_kernel<Pairs, Cuts, Less, Encoder>, pairs, memory, less, encoder);
  if constexpr (!strict_weak_order_v<Less>)
    launch(context, {divide_up(tiles, partition_threads), partition_threads}, check_cuts_kernel<Pairs>, pairs, memory);
  launch_early(context, shape{tiles, Pairs::tile.threads},
               merge_kernel<Pairs, Cuts, Key, Value, Less, Encoder, Decoder>, pairs, memory, output, less, encoder,
               decoder);
}

/// Up to so many tiles, of which half run side by side, blocks search for their own cuts.
inline constexpr std::size_t few_tiles = 1536;

/// Up to so many tiles, cuts that are left where the output will be are still in the L2 cache when they are needed;
/// beyond, each block would wait for memory, which costs more than to allocate scratch.
inline constexpr std::size_t cached_tiles = 8192;

/// So many of a merge's tiles have their cuts in scratch: all or none.
template <class Pairs, class Less>
constexpr std::size_t tiles_in_scratch(std::size_t n) {
  const std::size_t tiles = divide_up(n, Pairs::tile.size());
  return strict_weak_order_v<Less> && tiles <= cached_tiles ? 0 : tiles;
}

/// Merges one pair into `output`, by way of scratch if any of its tiles' cuts go there.
template <class Key, class Value, class Less, class Codec>
void merge_pair(const context& context, const single_pair<Key, Value>& pair, columns<Key, Value> output, Less less,
                Codec codec, const cuts_in_scratch& memory) {
  using pairs = single_pair<Key, Value>;
  if constexpr (strict_weak_order_v<Less>) {
    const std::size_t tiles = divide_up(pair.count(), pairs::tile.size());
    if (tiles <= few_tiles)
      return launch_early(context, {tiles, pairs::tile.threads},
                          merge_kernel<pairs, searched_cuts, Key, Value, Less, Codec, Codec>, pair, searched_cuts{},
                          output, less, codec, codec);
    if (tiles <= cached_tiles)
      return merge_pass(context, pair, output, less, codec, codec, cuts_in_output<Key>{output.keys});
  }
  merge_pass(context, pair, output, less, codec, codec, memory);
}

/// Bytes of scratch that a merge into n elements takes at most.
template <class Key, class Value>
std::size_t merge_scratch_bytes(std::size_t n) {
  return scratch_bytes<merge_cuts>(divide_up(n, single_pair<Key, Value>::tile.size()));
}

/// Merges the sorted first[0, first_count) and second[0, second_count) into `output`, which overlaps neither, stably:
/// of equivalent elements those of the first sequence come first. O(first_count + second_count) in one or two launches
/// on the context's stream; does not wait for them. Keys are compared by `less` as encoded by `codec` and stored as
/// they were. Throws std::bad_alloc before anything is written, gpu::error.
template <class Key, class Value, class Less, class Codec>
void merge(const context& context, const_columns<Key, Value> first, std::size_t first_count,
           const_columns<Key, Value> second, std::size_t second_count, columns<Key, Value> output, Less less,
           Codec codec) {
  const std::size_t n = first_count + second_count;
  if (n == 0) return;
  const scratch<merge_cuts> memory{context, tiles_in_scratch<single_pair<Key, Value>, Less>(n)};
  const single_pair<Key, Value> pair{{first, first_count, second, second_count, 0}};
  merge_pair(context, pair, output, less, codec, *memory);
}

/// Copies source[0, n) to target[0, n), stream-ordered; they do not overlap.
template <class Key, class Value>
void copy(const context& context, const_columns<Key, Value> source, std::size_t n, columns<Key, Value> target) {
  if (n == 0) return;
  copy_bytes(context.stream, target.keys, source.keys, n * sizeof(Key), cudaMemcpyDeviceToDevice);
  if constexpr (has_value_v<Value>)
    copy_bytes(context.stream, target.values, source.values, n * sizeof(Value), cudaMemcpyDeviceToDevice);
}

/// A second home for n elements, and the cuts of a merge.
template <class Key, class Value>
struct merge_buffer : merge_cuts {
  merge_buffer(carver& carve, std::size_t n) : merge_cuts{carve, divide_up(n, merge_tile_size_v<Key, Value>)} {
    data.keys = carve.take<Key>(n);
    if constexpr (has_value_v<Value>) data.values = carve.take<Value>(n);
  }
  columns<Key, Value> data;
};

/// Bytes of scratch that inplace_merge takes.
template <class Key, class Value>
std::size_t inplace_merge_scratch_bytes(std::size_t n) {
  return scratch_bytes<merge_buffer<Key, Value>>(n);
}

/// Merges the sorted data[0, middle) and data[middle, n) in place, through scratch for n elements; else as merge.
template <class Key, class Value, class Less, class Codec>
void inplace_merge(const context& context, columns<Key, Value> data, std::size_t middle, std::size_t n, Less less,
                   Codec codec) {
  if (middle == 0 || middle >= n) return;
  const scratch<merge_buffer<Key, Value>> buffer{context, n};
  const auto source = as_const(data);
  const single_pair<Key, Value> pair{{source, middle, source + middle, n - middle, 0}};
  merge_pair(context, pair, buffer->data, less, codec, *buffer);
  device::copy(context, as_const(buffer->data), n, data);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
