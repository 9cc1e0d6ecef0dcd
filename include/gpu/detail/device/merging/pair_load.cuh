// Loads the keys of a tile that merges two sequences, by vectors: this takes a quarter of the instructions, and
// requests no sector of memory twice, as neighbouring warps do that load rows of unaligned keys. The first-level cache,
// which has what tiles leave of a multiprocessor's memory, would not always make up for that.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../block/load_store.cuh"
#include "../block/merge.cuh"
#include "../thread/codes.cuh"
#include "run_part.cuh"

namespace gpu::inline v1::detail::device {

/// Whether keys are loaded by vectors: numbers of 4 bytes without values. Wider ones gain nothing, floating-point
/// orders take too many registers, and callers' comparators must not be called for what lies between two runs.
template <class Key, class Value, class Less>
inline constexpr bool loads_vectors_v = std::is_same_v<Less, code_less> && !has_value_v<Value> && sizeof(Key) == 4;

/// Shared memory of a tile. If loaded by vectors, it has room for two runs, each of which begins at the offset that it
/// has in its first vector.
template <class Key, class Value, int Threads, int Items, bool ByVectors>
struct pair_storage : block::merge_storage<Key, Value, Threads, Items> {};
template <class Key, class Value, int Threads, int Items>
struct pair_storage<Key, Value, Threads, Items, true>
    : block::tile_storage<Key, Value, Threads * Items + 3 * key_vector<Key>::size> {};

/// Elements [from, from + count) of a sequence of `length`.
template <class Key>
struct piece {
  const Key* keys;
  std::size_t length;
  std::size_t from;
  int count;

  __device__ const Key* first() const { return keys + from; }
  __device__ vector_extent extent() const { return vector_extent::of(first(), count, from, length); }
};

/// Loads the encoded keys of `a` and, behind them, of `b`, Threads * Items at most, into the tile; returns where they
/// are. Does not synchronise.
template <int Threads, int Items, class Key, class Tile, class Codec>
__device__ __forceinline__ block::run_pair load_pair(Tile& tile, const piece<Key>& a, const piece<Key>& b,
                                                     Codec codec) {
  using vector = key_vector<Key>;
  constexpr int size = vector::size, rounds = (Threads * Items / size + 3 + Threads - 1) / Threads;
  static_assert(Tile::size == Threads * Items + 3 * size);
  const vector_extent in_a = a.extent(), in_b = b.extent();
  const int thread = static_cast<int>(threadIdx.x), n = a.count + b.count;
  const int vectors = in_a.vectors + in_b.vectors, a_end = in_a.skipped + a.count;
  const block::run_pair runs{in_a.skipped, a_end, a_end + b.count, in_a.vectors * size + in_b.skipped - a_end};
  if (in_a.within && in_b.within) {
    const auto* const row_a = reinterpret_cast<const vector*>(a.first() - in_a.skipped);
    const auto* const row_b = reinterpret_cast<const vector*>(b.first() - in_b.skipped) - in_a.vectors;
    const auto index = [&](int i) { return min(i * Threads + thread, vectors - 1); };  // the last one repeatedly
    vector found[rounds];
#pragma unroll
    for (int i = 0; i < rounds; ++i) found[i] = (index(i) < in_a.vectors ? row_a : row_b)[index(i)];
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      device::encode_items(found[i].keys, codec);
      reinterpret_cast<vector*>(tile.keys)[index(i)] = found[i];
    }
  } else {  // the ends of the sequences
    for (int i = thread; i < n; i += Threads) {
      const bool of_a = i < a.count;
      tile.keys[runs.begin + i + (of_a ? 0 : runs.gap)] = codec.encode(of_a ? a.first()[i] : b.first()[i - a.count]);
    }
  }
  return runs;
}

}  // namespace gpu::inline v1::detail::device
