// Stable merge of two sorted sequences in global memory by merge path: one kernel finds where every tile of the output
// begins in both inputs, another merges each tile through shared memory. Green, McColl and Bader, "GPU Merge Path",
// 2012; Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <cuda_runtime_api.h>

#include "../../merge_path.hpp"
#include "../block/load_store.cuh"
#include "../block/merge.cuh"
#include "../columns.cuh"
#include "../context.hpp"
#include "../launch.cuh"
#include "../scratch.cuh"
#include "../thread/interpolation.cuh"
#include "../tuning.hpp"

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

/// What the merge kernels merge: here one pair. `at(position)` is the pair that output belongs to; pairs begin at
/// multiples of the tile.
template <class Key, class Value>
struct single_pair {
  using key_type = Key;
  using value_type = Value;
  sequence_pair<Key, Value> pair;

  __device__ const sequence_pair<Key, Value>& at(std::size_t) const { return pair; }
};

/// Keys as their codes.
template <class Key, class Codec>
struct encoded_keys {
  const Key* keys;
  Codec codec;
  __device__ decltype(auto) operator[](std::size_t index) const { return codec.encode(keys[index]); }
};

/// merge_path in global memory.
template <class Key, class Less, class Codec>
__device__ std::size_t merge_path_of(encoded_keys<Key, Codec> a, std::size_t a_count, encoded_keys<Key, Codec> b,
                                     std::size_t b_count, std::size_t diagonal, Less less) {
  if constexpr (!thread::interpolates_v<Key, Less>) {
    return merge_path(a, a_count, b, b_count, diagonal, less);
  } else {
    const std::size_t low = diagonal > b_count ? diagonal - b_count : 0;
    const std::size_t high = diagonal < a_count ? diagonal : a_count;
    if (low == high) return low;
    struct keys_across {
      Key a, b;
    };
    const auto look = [&](int, std::size_t at) { return keys_across{a[at], b[diagonal - 1 - at]}; };
    const auto see = [](const keys_across& found) {
      return thread::sighting<Key>{found.b < found.a,
                                   static_cast<Key>(found.b < found.a ? found.a - found.b : found.b - found.a)};
    };
    const thread::sighting<Key> least = see(look(0, low)), greatest = see(look(0, high - 1));
    if (least.behind) return low;
    if (!greatest.behind) return high;
    thread::search_interval<Key> places[] = {{low, high, least.gap, greatest.gap}};
    thread::interpolation_search(places, look, see);
    return places[0].low;
  }
}

inline constexpr int partition_threads = 128;
inline constexpr int partition_tiles_per_warp = warp::threads - 1;  // the last lane's cut is there to be checked

/// cuts[t] = how many elements of its pair's first sequence precede output tile t. If two cuts contradict one another,
/// which happens only if `less` is no strict weak order, sets *contradiction.
template <class Pairs, class Less, class Codec>
__global__ void __launch_bounds__(partition_threads)
    merge_partition_kernel(Pairs pairs, std::size_t n, unsigned tile, std::size_t* cuts, unsigned* contradiction,
                           Less less, Codec codec) {
  using key_type = typename Pairs::key_type;
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * partition_threads + threadIdx.x;
  const std::size_t lane = thread % warp::threads;
  const std::size_t begin = (thread / warp::threads * partition_tiles_per_warp + lane) * tile;
  std::size_t cut = 0;
  const auto pair = pairs.at(begin < n ? begin : 0);
  if (begin < n) {
    cut = merge_path_of(encoded_keys<key_type, Codec>{pair.a.keys, codec}, pair.a_count,
                        encoded_keys<key_type, Codec>{pair.b.keys, codec}, pair.b_count, begin - pair.begin, less);
    cuts[begin / tile] = cut;
  }
  if constexpr (!strict_weak_order_v<Less>) {
    const std::size_t next = __shfl_down_sync(0xffffffffu, cut, 1);
    const bool checked = lane + 1 < warp::threads && begin + tile < n && begin + tile < pair.begin + pair.count();
    if (checked && (next < cut || next - cut > tile)) *contradiction = 1;
  }
}

/// Block t merges output tile t. After a contradiction the sequences of a pair follow one another unmerged, but tile by
/// tile merged: every element still arrives once.
template <class Pairs, class Key, class Value, class Less, class Encoder, class Decoder>
__global__ void __launch_bounds__(merge_tile_v<Key, Value>.threads)
    merge_kernel(Pairs pairs, const std::size_t* cuts, const unsigned* contradiction, columns<Key, Value> output,
                 Less less, Encoder encoder, Decoder decoder) {
  constexpr tile_shape shape = merge_tile_v<Key, Value>;
  constexpr std::size_t tile_size = merge_tile_size_v<Key, Value>;
  __shared__ block::merge_storage<Key, Value, shape.threads, shape.items> storage;

  const std::size_t begin = blockIdx.x * tile_size;
  const auto pair = pairs.at(begin);
  const std::size_t diagonal = begin - pair.begin;
  const std::size_t left = pair.count() - diagonal;
  const int n = static_cast<int>(left < tile_size ? left : tile_size);
  bool trusted = true;
  if constexpr (!strict_weak_order_v<Less>) trusted = *contradiction == 0;
  const auto cut_at = [&](std::size_t at, std::size_t tile) {
    if (at == pair.count()) return pair.a_count;
    return trusted ? cuts[tile] : at < pair.a_count ? at : pair.a_count;
  };
  const std::size_t a_begin = cut_at(diagonal, blockIdx.x);
  const int a_count = static_cast<int>(cut_at(diagonal + n, blockIdx.x + 1) - a_begin);
  const auto a = pair.a + a_begin;
  const auto b = pair.b + (diagonal - a_begin);

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
  constexpr tile_shape tile = merge_tile_v<Key, Value>;
  const std::size_t tiles = divide_up(n, tile.size());
  const std::size_t warps = divide_up(tiles, partition_tiles_per_warp);
  if constexpr (!strict_weak_order_v<Less>) set_zero(context, memory.contradiction, sizeof(unsigned));
  launch(context, {divide_up(warps * warp::threads, partition_threads), partition_threads},
         merge_partition_kernel<Pairs, Less, Encoder>, pairs, n, static_cast<unsigned>(tile.size()), memory.cuts,
         memory.contradiction, less, encoder);
  launch(context, {tiles, tile.threads}, merge_kernel<Pairs, Key, Value, Less, Encoder, Decoder>, pairs, memory.cuts,
         memory.contradiction, output, less, encoder, decoder);
}

/// Bytes of scratch that a merge into n elements takes.
template <class Key, class Value>
std::size_t merge_scratch_bytes(std::size_t n) {
  return scratch_bytes<merge_cuts>(divide_up(n, merge_tile_size_v<Key, Value>));
}

/// Merges the sorted first[0, first_count) and second[0, second_count) into `output`, which overlaps neither, stably:
/// of equivalent elements those of the first sequence come first. O(first_count + second_count) in two launches on the
/// context's stream; does not wait for them. Keys are compared by `less` as encoded by `codec` and stored as they were.
/// Throws std::bad_alloc before anything is written, gpu::error.
template <class Key, class Value, class Less, class Codec>
void merge(const context& context, const_columns<Key, Value> first, std::size_t first_count,
           const_columns<Key, Value> second, std::size_t second_count, columns<Key, Value> output, Less less,
           Codec codec) {
  const std::size_t n = first_count + second_count;
  if (n == 0) return;
  const scratch<merge_cuts> memory{context, divide_up(n, merge_tile_size_v<Key, Value>)};
  merge_pass(context, single_pair<Key, Value>{{first, first_count, second, second_count, 0}}, output, n, less, codec,
             codec, *memory);
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
  merge_pass(context, single_pair<Key, Value>{{source, middle, source + middle, n - middle, 0}}, data, n, less, codec,
             codec, *buffer);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
