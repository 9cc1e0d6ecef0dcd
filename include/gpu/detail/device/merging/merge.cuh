// Stable merge of two sorted sequences in global memory by merge path: one kernel finds where every tile of the output
// begins in both inputs, another merges each tile through shared memory. Where there are few tiles, the second kernel
// finds the cuts as well; so it does for the last tiles, whose place in the output holds what the first kernel found.
// Green, McColl and Bader, "GPU Merge Path", 2012; Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <cuda_runtime_api.h>

#include "../../merge_path.hpp"
#include "../block/load_store.cuh"
#include "../block/merge.cuh"
#include "../columns.cuh"
#include "../launching/context.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/merging.hpp"
#include "merge_cuts.cuh"
#include "pair_load.cuh"

namespace gpu::inline v1::detail::device {

/// Columns that are only read.
template <class Key, class Value>
using const_columns = columns<const Key, std::conditional_t<has_value_v<Value>, const Value, no_value>>;

template <class Key, class Value>
const_columns<Key, Value> as_const(columns<Key, Value> data) {
  return {data.keys, data.values};
}

/// The tile of merges and merge sorts of these columns.
template <class Key, class Value>
inline constexpr tile_shape merge_tile_v = device::merge_tile(sizeof(Key), value_bytes_v<Value>);
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

/// What the merge kernels merge, and in which tiles: here one pair, in the order of Less. `at(position)` is the pair
/// that an output position belongs to; pairs begin where tiles do.
template <class Key, class Value, class Less = code_less>
struct single_pair {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool searches = strict_weak_order_v<Less>;  ///< whether blocks find cuts where there is no table
  static constexpr tile_shape tile =
      device::merge_of_two_tile(sizeof(Key), value_bytes_v<Value>, loads_vectors_v<Key, Value, Less>);
  static constexpr int blocks =
      searches ? device::searching_merge_blocks(tile, sizeof(Key) + value_bytes_v<Value>) : device::merge_blocks(tile);
  sequence_pair<Key, Value> pair;

  GPUPAR_HOST_DEVICE std::size_t count() const { return pair.count(); }
  __device__ const sequence_pair<Key, Value>& at(std::size_t) const { return pair; }
  [[nodiscard]] single_pair<Key, no_value> keys_alone() const {
    return {{{pair.a.keys}, pair.a_count, {pair.b.keys}, pair.b_count, pair.begin}};
  }
};

/// Sets cuts[t] to how many elements of its pair's first sequence precede output tile t; tiles have `size` elements.
/// Pairs: of keys alone, even where values are merged.
template <class Pairs, class Less, class Codec>
__global__ void __launch_bounds__(partition_threads)
    merge_partition_kernel(Pairs pairs, std::size_t size, std::size_t* cuts, Less less, Codec codec) {
  await_predecessors();
  using key_type = typename Pairs::key_type;
  const std::size_t tile = static_cast<std::size_t>(blockIdx.x) * partition_threads + threadIdx.x;
  const std::size_t begin = tile * size;
  if (begin >= pairs.count()) return;
  const auto pair = pairs.at(begin);
  const encoded_keys<key_type, Codec> a{pair.a.keys, codec}, b{pair.b.keys, codec};
  if constexpr (thread::interpolates_v<key_type, Less>)
    cuts[tile] = device::cut_by_value(a, pair.a_count, b, pair.b_count, begin - pair.begin);
  else
    cuts[tile] = detail::merge_path(a, pair.a_count, b, pair.b_count, begin - pair.begin, less);
}

/// Sets *memory.contradiction if two cuts in the table contradict one another.
template <class Pairs>
__global__ void __launch_bounds__(partition_threads) check_cuts_kernel(Pairs pairs, known_cuts memory) {
  const std::size_t tile = static_cast<std::size_t>(blockIdx.x) * partition_threads + threadIdx.x;
  const std::size_t begin = tile * Pairs::tile.size();
  if (begin >= pairs.count()) return;
  const auto pair = pairs.at(begin);
  const std::size_t end = min(begin - pair.begin + Pairs::tile.size(), pair.count());
  const tile_cuts found = memory.of(tile, pair, end);
  if (found.end < found.begin || found.end - found.begin > end - (begin - pair.begin)) *memory.contradiction = 1;
}

/// Every block merges one output tile.
template <class Pairs, class Key, class Value, class Less, class Encoder, class Decoder>
__global__ void __launch_bounds__(Pairs::tile.threads, device::blocks_allowed(Pairs::blocks, Pairs::tile.threads))
    merge_kernel(Pairs pairs, known_cuts known, columns<Key, Value> output, Less less, Encoder encoder,
                 Decoder decoder) {
  constexpr tile_shape shape = Pairs::tile;
  constexpr bool by_vectors = loads_vectors_v<Key, Value, Less>;
  __shared__ alignas(16) pair_storage<Key, Value, shape.threads, shape.items, by_vectors> storage;

  if (!known.inputs_are_there()) {
    await_predecessors();
    admit_successors();
  }
  const std::size_t begin = min(known.tile() * shape.size(), pairs.count());  // is inside anyway; takes fewer registers
  const auto pair = pairs.at(begin);
  const std::size_t diagonal = begin - pair.begin;
  const std::size_t end = min(diagonal + shape.size(), pair.count());
  const int n = static_cast<int>(end - diagonal);
  const tile_cuts cuts = known.between<Pairs::searches>(pair, diagonal, end, less, encoder);
  const int a_count = static_cast<int>(cuts.end - cuts.begin);
  block::run_pair runs{0, a_count, n};
  if constexpr (by_vectors) {
    const piece<Key> a{pair.a.keys, pair.a_count, cuts.begin, a_count};
    const piece<Key> b{pair.b.keys, pair.b_count, diagonal - cuts.begin, n - a_count};
    runs = device::load_pair<shape.threads, shape.items>(storage, a, b, encoder);
  } else {
    const auto a = pair.a + cuts.begin;
    const auto b = pair.b + (diagonal - cuts.begin);
    const auto locate = [&](int i, auto column) { return i < a_count ? column(a) + i : column(b) + (i - a_count); };
    block::load<shape.threads, shape.items>(storage, n, locate, encoder);
  }
  __syncthreads();
  Key keys[shape.items];
  Value values[shape.items];
  const int first = static_cast<int>(threadIdx.x) * shape.items;
  block::merge(storage, runs, shape.threads, runs.begin + first, keys, values, less);
  block::registers_to_tile(keys, values, first, storage);
  __syncthreads();
  if (known.inputs_are_there()) await_predecessors();  // the output may not be written before
  block::store<shape.threads, shape.items>(storage, n, output + begin, decoder);
}

/// Enqueues the merge of `tiles` tiles.
template <class Pairs, class Key, class Value, class Less, class Encoder, class Decoder>
void merge_tiles(const context& context, const Pairs& pairs, known_cuts known, std::size_t tiles,
                 columns<Key, Value> output, Less less, Encoder encoder, Decoder decoder) {
  device::launch_early(context, {tiles, Pairs::tile.threads}, merge_kernel<Pairs, Key, Value, Less, Encoder, Decoder>,
                       pairs, known, output, less, encoder, decoder);
}

/// Enqueues the search for the cuts of all tiles, of `size` elements each.
template <class KeyPairs, class Less, class Codec>
void find_cuts_of_keys(const context& context, const KeyPairs& pairs, std::size_t size, std::size_t* cuts, Less less,
                       Codec codec) {
  const std::size_t tiles = device::divide_up(pairs.count(), size);
  device::launch_early(context, {divide_up(tiles, partition_threads), partition_threads},
                       merge_partition_kernel<KeyPairs, Less, Codec>, pairs, size, cuts, less, codec);
}
template <class Pairs, class Less, class Codec>
void find_cuts(const context& context, const Pairs& pairs, Less less, Codec codec, known_cuts memory) {
  if constexpr (!strict_weak_order_v<Less>) set_zero(context, memory.contradiction, sizeof(unsigned));
  device::find_cuts_of_keys(context, pairs.keys_alone(), Pairs::tile.size(), memory.cuts, less, codec);
  if constexpr (!strict_weak_order_v<Less>) {
    const std::size_t tiles = device::divide_up(pairs.count(), Pairs::tile.size());
    device::launch(context, {divide_up(tiles, partition_threads), partition_threads}, check_cuts_kernel<Pairs>, pairs,
                   memory);
  }
}

/// Merges all pairs into `output`, using a table of the cuts of all tiles.
template <class Pairs, class Key, class Value, class Less, class Encoder, class Decoder>
void merge_pass(const context& context, const Pairs& pairs, columns<Key, Value> output, Less less, Encoder encoder,
                Decoder decoder, known_cuts memory) {
  device::find_cuts(context, pairs, less, encoder, memory);
  const std::size_t tiles = device::divide_up(pairs.count(), Pairs::tile.size());
  device::merge_tiles(context, pairs, memory, tiles, output, less, encoder, decoder);
}

/// Merges one pair into `output`. For a strict weak order this takes no scratch: either the blocks search for the cuts
/// that they need, or the table of cuts lies at the output's end, whose tiles are merged after the others.
template <class Key, class Value, class Less, class Codec>
void merge_pair(const context& context, const single_pair<Key, Value, Less>& pair, columns<Key, Value> output,
                Less less, Codec codec, known_cuts memory) {
  const std::size_t size = pair.tile.size(), tiles = device::divide_up(pair.count(), size);
  if constexpr (!strict_weak_order_v<Less>) {
    device::merge_pass(context, pair, output, less, codec, codec, memory);
  } else if (tiles <= few_tiles) {
    device::merge_tiles(context, pair, known_cuts{}, tiles, output, less, codec, codec);
  } else {
    const cuts_in_output<Key> in_output{output.keys, pair.count(), size};
    const known_cuts all{in_output.table};
    device::find_cuts(context, pair, less, codec, all);
    device::merge_tiles(context, pair, all, in_output.covered_from, output, less, codec, codec);
    const known_cuts none{nullptr, nullptr, static_cast<unsigned>(in_output.covered_from)};
    device::merge_tiles(context, pair, none, tiles - in_output.covered_from, output, less, codec, codec);
  }
}

/// Scratch for the cuts of `tiles` tiles.
struct merge_cuts : known_cuts {
  merge_cuts(carver& carve, std::size_t tiles)
      : known_cuts{carve.take<std::size_t>(tiles), carve.take<unsigned>(tiles > 0 ? 1 : 0)} {}
};

/// The number of a merge's tiles whose cuts are in scratch.
template <class Key, class Value, class Less>
constexpr std::size_t tiles_in_scratch(std::size_t n) {
  return strict_weak_order_v<Less> ? 0 : device::divide_up(n, single_pair<Key, Value, Less>::tile.size());
}

/// Bytes of scratch that a merge into n elements takes.
template <class Key, class Value, class Less>
std::size_t merge_scratch_bytes(std::size_t n) {
  return device::scratch_bytes<merge_cuts>(device::tiles_in_scratch<Key, Value, Less>(n));
}

/// Merges the sorted first[0, first_count) and second[0, second_count) into `output`, which overlaps neither, stably:
/// of equivalent elements those of the first sequence come first. O(first_count + second_count) in one to three
/// launches on the context's stream; does not wait for them. Keys are compared by `less` as encoded by `codec` and
/// stored as they were. Throws std::bad_alloc before anything is written, gpu::error.
template <class Key, class Value, class Less, class Codec>
void merge(const context& context, const_columns<Key, Value> first, std::size_t first_count,
           const_columns<Key, Value> second, std::size_t second_count, columns<Key, Value> output, Less less,
           Codec codec) {
  const std::size_t n = first_count + second_count;
  if (n == 0) return;
  const scratch<merge_cuts> memory{context, device::tiles_in_scratch<Key, Value, Less>(n)};
  const single_pair<Key, Value, Less> pair{{first, first_count, second, second_count, 0}};
  device::merge_pair(context, pair, output, less, codec, *memory);
}

/// Copies source[0, n) to target[0, n), stream-ordered; they do not overlap.
template <class Key, class Value>
void copy(const context& context, const_columns<Key, Value> source, std::size_t n, columns<Key, Value> target) {
  if (n == 0) return;
  device::copy_bytes(context.stream, target.keys, source.keys, n * sizeof(Key), cudaMemcpyDeviceToDevice);
  if constexpr (has_value_v<Value>)
    device::copy_bytes(context.stream, target.values, source.values, n * sizeof(Value), cudaMemcpyDeviceToDevice);
}

/// A second array for n elements, and the cuts of `tiles` tiles.
template <class Key, class Value>
struct merge_buffer : merge_cuts {
  merge_buffer(carver& carve, std::size_t n, std::size_t tiles)
      : merge_cuts{carve, tiles}, data{take_columns<Key, Value>::from(carve, n)} {}
  columns<Key, Value> data;
};

/// Merges the sorted data[0, middle) and data[middle, n) in place, through scratch for n elements; otherwise like
/// merge().
template <class Key, class Value, class Less, class Codec>
void inplace_merge(const context& context, columns<Key, Value> data, std::size_t middle, std::size_t n, Less less,
                   Codec codec) {
  if (middle == 0 || middle >= n) return;
  const scratch<merge_buffer<Key, Value>> buffer{context, n, device::tiles_in_scratch<Key, Value, Less>(n)};
  const auto source = device::as_const(data);
  const single_pair<Key, Value, Less> pair{{source, middle, source + middle, n - middle, 0}};
  device::merge_pair(context, pair, buffer->data, less, codec, *buffer);
  device::copy(context, device::as_const(buffer->data), n, data);
}

}  // namespace gpu::inline v1::detail::device
