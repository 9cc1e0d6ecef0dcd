// Tiles in shared memory, and their transfer to and from global memory and registers.
#pragma once

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// Room for Size elements in shared memory.
template <class Key, class Value, int Size>
struct tile_storage {
  static constexpr int size = Size;
  static constexpr bool has_values = true;
  Key keys[Size];
  Value values[Size];
};
template <class Key, class Value, int Size>
  requires(!has_value_v<Value>)
struct tile_storage<Key, Value, Size> {
  static constexpr int size = Size;
  static constexpr bool has_values = false;
  Key keys[Size];
};

/// target[i] = convert(*locate(i)) for i < n <= Threads * Items; beyond n, target[i] gets copies of these elements if n
/// > 0. Each thread issues all its reads before its first write, and none depends on a branch, which keeps global
/// memory busy. Neighbouring threads read neighbouring elements. Does not synchronise.
template <int Threads, int Items, class T, class Locate, class Convert>
__device__ __forceinline__ void fill(T* target, int n, Locate locate, Convert convert) {
  if (n <= 0) return;
  decltype(locate(0)) sources[Items];
  T elements[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) sources[i] = locate(min(i * Threads + static_cast<int>(threadIdx.x), n - 1));
#pragma unroll
  for (int i = 0; i < Items; ++i) elements[i] = *sources[i];
#pragma unroll
  for (int i = 0; i < Items; ++i) target[i * Threads + static_cast<int>(threadIdx.x)] = convert(elements[i]);
}

/// Loads the encoded keys and the values at locate(i, column) for i < n into the tile, where column(data) is data.keys
/// or data.values. Does not synchronise.
template <int Threads, int Items, class Tile, class Locate, class Codec>
__device__ __forceinline__ void load(Tile& tile, int n, Locate locate, Codec codec) {
  const auto keys_of = [](const auto& data) { return data.keys; };
  const auto values_of = [](const auto& data) { return data.values; };
  block::fill<Threads, Items>(
      tile.keys, n, [&](int i) { return locate(i, keys_of); }, [&](const auto& key) { return codec.encode(key); });
  if constexpr (Tile::has_values)
    block::fill<Threads, Items>(
        tile.values, n, [&](int i) { return locate(i, values_of); }, [](const auto& value) { return value; });
}

/// Loads the encoded keys and the values of source[0, n) into the tile. Does not synchronise.
template <int Threads, int Items, class Key, class Value, class Tile, class Codec>
__device__ __forceinline__ void load(columns<Key, Value> source, int n, Tile& tile, Codec codec) {
  block::load<Threads, Items>(tile, n, [&](int i, auto column) { return column(source) + i; }, codec);
}

/// Stores the decoded keys and the values of the tile's first n elements to target[0, n). Does not synchronise.
template <int Threads, int Items, class Target, class Tile, class Codec>
__device__ __forceinline__ void store(const Tile& tile, int n, Target target, Codec codec) {
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int index = i * Threads + static_cast<int>(threadIdx.x);
    const auto key = codec.decode(tile.keys[index]);
    if (index < n) target.keys[index] = key;
  }
  if constexpr (Tile::has_values)
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const int index = i * Threads + static_cast<int>(threadIdx.x);
      const auto value = tile.values[index];
      if (index < n) target.values[index] = value;
    }
}

/// Writes four words to a 16-byte-aligned target with one store; compilers split a plain assignment into four.
template <class T>
__device__ __forceinline__ void store_quad(T* target, uint4 words) {
  __stwb(reinterpret_cast<uint4*>(target), words);
}

/// Reads positions [first, first + Items) of the tile into registers of the calling thread. No read depends on a
/// branch, so positions beyond the tile's elements yield unspecified data.
template <int Items, class Tile, class Key, class Value>
__device__ __forceinline__ void tile_to_registers(const Tile& tile, int first, Key (&keys)[Items],
                                                  Value (&values)[Items]) {
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    keys[i] = tile.keys[first + i];
    if constexpr (Tile::has_values) values[i] = tile.values[first + i];
  }
}

/// Writes registers of the calling thread to positions [first, first + Items) of the tile.
template <int Items, class Tile, class Key, class Value>
__device__ __forceinline__ void registers_to_tile(const Key (&keys)[Items], const Value (&values)[Items], int first,
                                                  Tile& tile) {
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    tile.keys[first + i] = keys[i];
    if constexpr (Tile::has_values) tile.values[first + i] = values[i];
  }
}

}  // namespace gpu::inline v1::detail::device::block
