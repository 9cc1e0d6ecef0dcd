// Stable merge of two sorted sequences in global memory by merge path: one kernel finds where every tile of the output
// begins in both inputs, another merges each tile through shared memory; of few tiles it finds that, too. Green, McColl
// and Bader, "GPU Merge Path", 2012; Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <cuda_runtime_api.h>

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
/// pairs begin at multiples of the tile.
template <class Key, class Value>
struct single_pair {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool alone = true;
  static constexpr tile_shape tile = merge_of_two_tile(sizeof(Key), value_bytes_v<Value>);
  sequence_pair<Key, Value> pair;

  __device__ const sequence_pair<Key, Value>& at(std::size_t) const { return pair; }
};

inline constexpr int partition_threads = 128;
inline constexpr int partition_tiles_per_warp = warp::threads - 1;  // the last lane's cut is there to be checked

/// cuts[t] = how many elements of its pair's first sequence precede output tile t. If two cuts contradict one another,
/// which happens only if `less` is no strict weak order, sets *contradiction. Of one pair of numbers the outer lanes of
/// a warp search first, the others between them.
template <class Pairs, class Less, class Codec>
__global__ void __launch_bounds__(partition_threads)
    merge_partition_kernel(Pairs pairs, std::size_t n, std::size_t* cuts, unsigned* contradiction, Less less,
                           Codec codec) {
  using key_type = typename Pairs::key_type;
  constexpr std::size_t tile = Pairs::tile.size();
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * partition_threads + threadIdx.x;
  const std::size_t lane = thread % warp::threads;
  const std::size_t begin = (thread / warp::threads * partition_tiles_per_warp + lane) * tile;
  std::size_t cut = 0;
  const auto pair = pairs.at(begin < n ? begin : 0);
  const encoded_keys<key_type, Codec> a{pair.a.keys, codec}, b{pair.b.keys, codec};
  if constexpr (Pairs::alone && thread::interpolates_v<key_type, Less>) {
    const std::size_t diagonal = min(begin, n);
    const bool outer = lane == 0 || lane + 1 == warp::threads;
    if (outer) cut = cut_by_value(a, b, {0, 0}, {n, pair.a_count}, diagonal);
    const path_point before{warp::shuffle(diagonal, 0), warp::shuffle(cut, 0)};
    const path_point after{warp::shuffle(diagonal, warp::threads - 1), warp::shuffle(cut, warp::threads - 1)};
    if (!outer) cut = cut_by_value(a, b, before, after, diagonal);
  } else if (begin < n) {
    cut = merge_path(a, pair.a_count, b, pair.b_count, begin - pair.begin, less);
  }
  if (begin < n) cuts[begin / tile] = cut;
  if constexpr (!strict_weak_order_v<Less>) {
    const std::size_t next = __shfl_down_sync(0xffffffffu, cut, 1);
    const bool checked = lane + 1 < warp::threads && begin + tile < n && begin + tile < pair.begin + pair.count();
    if (checked && (next < cut || next - cut > tile)) *contradiction = 1;
  }
}

/// What a tile takes of its pair's first sequence: [begin, end).
struct tile_cuts {
  std::size_t begin;
  std::size_t end;
};

/// Cuts that merge_partition_kernel has found.
struct known_cuts {
  const std::size_t* cuts;
  const unsigned* contradiction;

  /// Those of tile blockIdx.x, from one diagonal of its pair to another. After a contradiction the sequences of a pair
  /// follow one another unmerged, but tile by tile merged: every element still arrives once.
  template <class Pair, class Less, class Codec>
  __device__ __forceinline__ tile_cuts between(const Pair& pair, std::size_t begin, std::size_t end, Less,
                                               Codec) const {
    bool trusted = true;
    if constexpr (!strict_weak_order_v<Less>) trusted = *contradiction == 0;
    const auto cut_at = [&](std::size_t at, std::size_t tile) {
      if (at == pair.count()) return pair.a_count;
      return trusted ? cuts[tile] : at < pair.a_count ? at : pair.a_count;
    };
    return {cut_at(begin, blockIdx.x), cut_at(end, blockIdx.x + 1)};
  }
};

/// Cuts that blocks search for themselves. Both of a seam's find the same, as `less` is a strict weak order.
struct searched_cuts {
  /// By the first two warps. Synchronises.
  template <class Pair, class Less, class Codec>
  __device__ __forceinline__ tile_cuts between(const Pair& pair, std::size_t begin, std::size_t end, Less less,
                                               Codec codec) const {
    __shared__ std::size_t found[2];
    const unsigned warp = threadIdx.x / warp::threads;
    if (warp < 2)
      found[warp] = cut_by_warp(encoded_keys{pair.a.keys, codec}, pair.a_count, encoded_keys{pair.b.keys, codec},
                                pair.b_count, warp == 0 ? begin : end, less);
    __syncthreads();
    return {found[0], found[1]};
  }
};

/// Block t merges output tile t.
template <class Pairs, class Cuts, class Key, class Value, class Less, class Encoder, class Decoder>
__global__ void __launch_bounds__(Pairs::tile.threads)
    merge_kernel(Pairs pairs, Cuts known, columns<Key, Value> output, Less less, Encoder encoder, Decoder decoder) {
  constexpr tile_shape shape = Pairs::tile;
  constexpr std::size_t tile_size = shape.size();
  __shared__ block::merge_storage<Key, Value, shape.threads, shape.items> storage;

  await_predecessors();
  const std::size_t begin = blockIdx.x * tile_size;
  const auto pair = pairs.at(begin);
  const std::size_t diagonal = begin - pair.begin;
  const std::size_t left = pair.count() - diagonal;
  const int n = static_cast<int>(left < tile_size ? left : tile_size);
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

/// What a merge pass over n elements needs besides its data.
struct merge_cuts {
  merge_cuts(carver& carve, std::size_t tiles)
      : cuts{carve.take<std::size_t>(tiles)}, contradiction{carve.take<unsigned>(1)} {}
  std::size_t* cuts;
  unsigned* contradiction;
};

/// Merges all pairs into output[0, n).
template <class Pairs, class Key, class Value, class Less, class Encoder, class Decoder>
void merge_pass(const context& context, Pairs pairs, columns<Key, Value> output, std::size_t n, Less less,
                Encoder encoder, Decoder decoder, const merge_cuts& memory) {
  const std::size_t tiles = divide_up(n, Pairs::tile.size());
  const std::size_t warps = divide_up(tiles, partition_tiles_per_warp);
  if constexpr (!strict_weak_order_v<Less>) set_zero(context, memory.contradiction, sizeof(unsigned));
  launch(context, {divide_up(warps * warp::threads, partition_threads), partition_threads},
         merge_partition_kernel<Pairs, Less, Encoder>, pairs, n, memory.cuts, memory.contradiction, less, encoder);
  launch_early(context, shape{tiles, Pairs::tile.threads},
               merge_kernel<Pairs, known_cuts, Key, Value, Less, Encoder, Decoder>, pairs,
               known_cuts{memory.cuts, memory.contradiction}, output, less, encoder, decoder);
}

/// Up to so many tiles, no more than run side by side, blocks search for their own cuts.
inline constexpr std::size_t few_tiles = 1024;

/// The same for one pair of few tiles, in one launch and without scratch; false, without effect, if there are more, or
/// if cuts would have to be checked.
template <class Key, class Value, class Less, class Codec>
bool merge_few_tiles(const context& context, const single_pair<Key, Value>& pair, columns<Key, Value> output,
                     std::size_t n, Less less, Codec codec) {
  using pairs = single_pair<Key, Value>;
  const std::size_t tiles = divide_up(n, pairs::tile.size());
  if (!strict_weak_order_v<Less> || tiles > few_tiles) return false;
  if constexpr (strict_weak_order_v<Less>)
    launch_early(context, {tiles, pairs::tile.threads},
                 merge_kernel<pairs, searched_cuts, Key, Value, Less, Codec, Codec>, pair, searched_cuts{}, output,
                 less, codec, codec);
  return true;
}

/// Bytes of scratch that a merge into n elements takes at most.
template <class Key, class Value>
std::size_t merge_scratch_bytes(std::size_t n) {
  return scratch_bytes<merge_cuts>(divide_up(n, merge_tile_size_v<Key, Value>));
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
  const single_pair<Key, Value> pair{{first, first_count, second, second_count, 0}};
  if (merge_few_tiles(context, pair, output, n, less, codec)) return;
  const scratch<merge_cuts> memory{context, divide_up(n, merge_tile_size_v<Key, Value>)};
  merge_pass(context, pair, output, n, less, codec, codec, *memory);
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
  device::copy(context, as_const(data), n, buffer->data);
  const auto source = as_const(buffer->data);
  const single_pair<Key, Value> pair{{source, middle, source + middle, n - middle, 0}};
  if (merge_few_tiles(context, pair, data, n, less, codec)) return;
  merge_pass(context, pair, data, n, less, codec, codec, *buffer);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
