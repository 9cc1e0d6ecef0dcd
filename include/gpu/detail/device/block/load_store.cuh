// Tiles in shared memory, and their ways to and from global memory and registers.
#pragma once

#include "../columns.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Room for Size elements in shared memory.
template <class Key, class Value, int Size>
struct tile_storage {
  Key keys[Size];
  Value values[Size];
};
template <class Key, int Size>
struct tile_storage<Key, no_value, Size> {
  Key keys[Size];
};

/// target[i] = read(i) for i < n <= Threads * Items. All reads of a thread are under way before its first write, which
/// is what keeps global memory busy. Neighbouring threads read neighbouring elements. Does not synchronise.
template <int Threads, int Items, class T, class Read>
__device__ __forceinline__ void fill(T* target, int n, Read read) {
  T elements[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int index = i * Threads + static_cast<int>(threadIdx.x);
    if (index < n) elements[i] = read(index);
  }
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int index = i * Threads + static_cast<int>(threadIdx.x);
    if (index < n) target[index] = elements[i];
  }
}

/// Encoded keys and values of source[0, n) into the tile. Does not synchronise.
template <int Threads, int Items, class Source, class Tile, class Codec>
__device__ __forceinline__ void load(Source source, int n, Tile& tile, Codec codec) {
  block::fill<Threads, Items>(tile.keys, n, [&](int index) { return codec.encode(source.keys[index]); });
  if constexpr (has_value_v<typename Source::value_type>)
    block::fill<Threads, Items>(tile.values, n, [&](int index) { return source.values[index]; });
}

/// Decoded keys and values of the tile's first n elements into target[0, n). Does not synchronise.
template <int Threads, int Items, class Target, class Tile, class Codec>
__device__ __forceinline__ void store(const Tile& tile, int n, Target target, Codec codec) {
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int index = i * Threads + static_cast<int>(threadIdx.x);
    if (index < n) {
      target.keys[index] = codec.decode(tile.keys[index]);
      if constexpr (has_value_v<typename Target::value_type>) target.values[index] = tile.values[index];
    }
  }
}

/// Registers of the calling thread from positions [first, first + Items) of the tile, as far as these are below n.
template <int Items, class Tile, class Key, class Value>
__device__ __forceinline__ void tile_to_registers(const Tile& tile, int first, int n, Key (&keys)[Items],
                                                  Value (&values)[Items]) {
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if (first + i < n) {
      keys[i] = tile.keys[first + i];
      if constexpr (has_value_v<Value>) values[i] = tile.values[first + i];
    }
}

/// The way back.
template <int Items, class Tile, class Key, class Value>
__device__ __forceinline__ void registers_to_tile(const Key (&keys)[Items], const Value (&values)[Items], int first,
                                                  int n, Tile& tile) {
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if (first + i < n) {
      tile.keys[first + i] = keys[i];
      if constexpr (has_value_v<Value>) tile.values[first + i] = values[i];
    }
}

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
