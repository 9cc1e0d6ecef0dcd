// A piece of a sorted sequence as part of a tile that a block loads as a row of vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"

namespace gpu::inline v1::detail::device {

/// Neighbouring keys that are loaded together: finding what they belong to costs as much as sorting a few of them.
template <class Key>
struct alignas(4 * sizeof(Key)) key_vector {
  static constexpr int size = 4;
  Key keys[size];
};

/// The vectors of a piece of a sequence. They are aligned in memory, so that the first and the last may hold other
/// keys.
struct vector_extent {
  int skipped;  ///< other keys of the first one
  int vectors;
  bool within;  ///< whether all of them lie within the sequence

  /// Of `count` keys that begin at `first`, number `from` of `length`; none if there are no keys.
  template <class Key>
  __device__ __forceinline__ static vector_extent of(const Key* first, int count, std::size_t from,
                                                     std::size_t length) {
    constexpr int size = key_vector<Key>::size;
    const int skipped = count > 0 ? static_cast<int>(reinterpret_cast<std::uintptr_t>(first) / sizeof(Key) % size) : 0;
    const int vectors = (skipped + count + size - 1) / size;
    const std::size_t before = static_cast<std::size_t>(skipped), all = static_cast<std::size_t>(vectors) * size;
    return {skipped, vectors, before <= from && all <= length - from + before};
  }
};

/// The part of one sequence in a tile: some vectors of the tile's row. They are aligned in memory, so that the first
/// and the last may hold keys of other tiles. Keys are numbered by their position in the row, those of other tiles
/// included.
template <class Key>
struct alignas(16) run_part {
  static constexpr int size = key_vector<Key>::size;
  const key_vector<Key>* row;  ///< where the row's first vector would be
  std::uint16_t begin;         ///< number of the part's first key
  std::uint16_t end;
  bool within;  ///< whether all its vectors lie within the sequence

  __device__ const Key* key(int number) const { return reinterpret_cast<const Key*>(row) + number; }

  /// A vector of the row; keys that do not belong to the part are unspecified.
  __device__ __forceinline__ key_vector<Key> load(int index) const {
    if (within) return row[index];
    key_vector<Key> found{};
#pragma unroll
    for (int i = 0; i < size; ++i)
      if (index * size + i >= begin && index * size + i < end) found.keys[i] = *key(index * size + i);
    return found;
  }

  /// Which keys of a vector belong to the part, a bit for each; none of a vector behind it.
  __device__ __forceinline__ unsigned present(int index) const {
    constexpr unsigned all = (1u << size) - 1;
    const int before = max(begin - index * size, 0), beyond = min(max(index * size + size - end, 0), size);
    return all << before & all >> beyond;
  }
};

}  // namespace gpu::inline v1::detail::device
