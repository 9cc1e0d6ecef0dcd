// A tile of keys that multiway selection has cut out of many sequences, for blocks that load it as a row of vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../block/multiway_merge.cuh"
#include "../warp/shuffle.cuh"
#include "multiway_selection.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Neighbouring keys that are loaded together.
template <class Key>
struct alignas(16) key_vector {
  static constexpr int size = 16 / sizeof(Key);
  Key keys[size];
};

/// What belongs to a tile of one sequence: some vectors of the tile's row. They are aligned in memory, so that the
/// first and the last may hold keys of other tiles. Keys are numbered as if all of the row's vectors counted.
template <class Key>
struct alignas(16) run_part {
  static constexpr int size = key_vector<Key>::size;
  const key_vector<Key>* row;  ///< where the row's first vector would be
  std::uint16_t begin;         ///< number of the part's first key
  std::uint16_t end;
  bool within;  ///< whether all its vectors lie within the sequence

  __device__ const Key* key(int number) const { return reinterpret_cast<const Key*>(row) + number; }

  /// A vector of the row; what does not belong to the part is unspecified.
  __device__ __forceinline__ key_vector<Key> load(int index) const {
    if (within) return row[index];
    key_vector<Key> found{};
#pragma unroll
    for (int i = 0; i < size; ++i)
      if (index * size + i >= begin && index * size + i < end) found.keys[i] = *key(index * size + i);
    return found;
  }

  /// Which keys of a vector belong to the part, a bit for each.
  __device__ __forceinline__ unsigned present(int index) const {
    const int first = min(max(begin - index * size, 0), size), last = min(max(end - index * size, 0), size);
    return ((1u << last) - 1) & ~((1u << first) - 1);
  }
};

/// The parts that are not empty, in the order of their sequences. Vectors: the most that the row can have.
template <class Key, int Vectors>
struct run_tile {
  static constexpr int size = key_vector<Key>::size;
  static constexpr int group = warp::threads;
  static constexpr int group_count = Vectors / group;
  static_assert(Vectors * size <= 1 << 16);
  /// The parts of `group` neighbouring vectors: bits where one begins, and the last that begins before.
  struct group_parts {
    unsigned starts;
    int before;
  };

  run_part<Key> list[max_sequences];
  int bounds[max_sequences + 1];  ///< where parts begin in the tile, and the end of the last
  group_parts groups[group_count];
  std::size_t begin;  ///< where the tile begins in the output
  int parts;
  int vectors;

  /// Finds the parts between cuts[s] and cuts[set.count + s] of every sequence s. Called by every thread of the block;
  /// the first warp does it. Synchronises.
  __device__ void find(const sequence_set<Key, no_value>& set, const std::size_t* cuts) {
    if (threadIdx.x < warp::threads) find_parts(set, cuts);
    __syncthreads();
  }

  __device__ int count() const { return bounds[parts]; }

  /// The part that a vector belongs to.
  __device__ __forceinline__ const run_part<Key>& part_of(int vector) const {
    const group_parts at = groups[vector / group];
    const unsigned until = ~0u >> (group - 1 - vector % group);
    return list[at.before + __popc(at.starts & until)];
  }

  /// Where the key is that belongs to a position of the tile.
  __device__ const Key* locate(int position) const {
    const int part = block::run_list{bounds, parts, 0}.run_at(position);
    return list[part].key(list[part].begin + (position - bounds[part]));
  }

 private:
  __device__ void find_parts(const sequence_set<Key, no_value>& set, const std::size_t* cuts) {
    const int lane = static_cast<int>(threadIdx.x);
    std::size_t from_all = 0;
    int keys_before = 0, vectors_before = 0, listed = 0;
    for (int g = lane; g < group_count; g += warp::threads) groups[g].starts = 0;
    __syncwarp();
    for (int first = 0; first < set.count; first += warp::threads) {
      const int s = first + lane;
      const std::size_t from = s < set.count ? cuts[s] : 0;
      const std::size_t to = s < set.count ? cuts[set.count + s] : 0;
      const Key* const keys = set.items[min(s, set.count - 1)].data.keys + from;
      const int length = static_cast<int>(to - from);
      const int skipped = static_cast<int>(reinterpret_cast<std::uintptr_t>(keys) / sizeof(Key) % size);
      const int own_vectors = length == 0 ? 0 : (skipped + length + size - 1) / size;
      const int keys_end = keys_before + warp::inclusive_sum(length);
      const int vectors_end = vectors_before + warp::inclusive_sum(own_vectors);
      const unsigned used = __ballot_sync(warp::all_lanes, length > 0);
      if (length > 0) {
        const int part = listed + __popc(used & ((1u << lane) - 1));
        const int first_vector = vectors_end - own_vectors;
        const int begin_key = first_vector * size + skipped;
        const std::size_t behind = set.items[s].count - from;
        bounds[part + 1] = keys_end;
        atomicOr(&groups[first_vector / group].starts, 1u << first_vector % group);
        list[part] = {reinterpret_cast<const key_vector<Key>*>(keys - skipped) - first_vector,
                      static_cast<std::uint16_t>(begin_key), static_cast<std::uint16_t>(begin_key + length),
                      from >= static_cast<std::size_t>(skipped) &&
                          static_cast<std::size_t>(own_vectors * size - skipped) <= behind};
      }
      listed += __popc(used);
      from_all += from;
      keys_before = __shfl_sync(warp::all_lanes, keys_end, warp::threads - 1);
      vectors_before = __shfl_sync(warp::all_lanes, vectors_end, warp::threads - 1);
    }
    from_all = warp::sum(from_all);
    if (lane == 0) {
      bounds[0] = 0;
      begin = from_all;
      parts = listed;
      vectors = vectors_before;
    }
    count_before_groups();
  }

  __device__ void count_before_groups() {
    const int lane = static_cast<int>(threadIdx.x);
    __syncwarp();
    int before = -1;
    for (int first = 0; first < group_count; first += warp::threads) {
      const int g = first + lane;
      const int own = g < group_count ? __popc(groups[g].starts) : 0;
      const int end = before + warp::inclusive_sum(own);
      if (g < group_count) groups[g].before = end - own;
      before = __shfl_sync(warp::all_lanes, end, warp::threads - 1);
    }
  }
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
