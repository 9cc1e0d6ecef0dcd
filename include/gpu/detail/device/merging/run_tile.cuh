// A tile of keys that multiway selection has cut out of many sequences, for blocks that load it as a row of vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../block/multiway_merge.cuh"
#include "../warp/shuffle.cuh"
#include "multiway_selection.cuh"
#include "run_part.cuh"

namespace gpu::inline v1::detail::device {

/// The tile's parts that are not empty, in the order of their sequences. Vectors: the most that the row can have.
template <class Key, int Vectors>
struct run_tile {
  static constexpr int size = key_vector<Key>::size;
  static constexpr int group = warp::threads;
  static constexpr int group_count = Vectors / group;
  /// The parts of `group` neighbouring vectors: a bit for each vector where one begins, and the last part that begins
  /// before.
  struct alignas(8) group_parts {
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
    if (threadIdx.x < warp::threads) {
      if (set.count <= warp::threads)
        find_parts<1>(set, cuts);
      else
        find_parts<sequences_per_lane>(set, cuts);
    }
    __syncthreads();
  }

  __device__ int count() const { return bounds[parts]; }

  /// The part that a vector belongs to; for vectors behind all parts, the last part. To be called by warps, each for
  /// the vectors of a group, one per lane.
  __device__ __forceinline__ const run_part<Key>& part_of(unsigned vector) const {
    const group_parts at = groups[vector / group];
    return list[at.before + __popc(at.starts & (warp::lanes_before() << 1 | 1))];
  }

  /// Where the key at a position of the tile is.
  __device__ const Key* locate(int position) const {
    const int part = block::run_list{bounds, parts, 0}.run_at(position);
    return list[part].key(list[part].begin + (position - bounds[part]));
  }

 private:
  /// Numbers of keys and of vectors are added up together, in halves of a word.
  static constexpr unsigned vector_unit = 1u << 16;
  static_assert(Vectors * size < 1 << 16);

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp::threads; }

  /// The parts of a lane's sequences, which are neighbours. All cuts are read before one is waited for.
  template <int Count>
  struct lane_parts {
    static constexpr int count = Count;
    std::size_t from[count];
    int length[count];
    vector_extent extent[count];
    const Key* keys[count];

    __device__ lane_parts(const sequence_set<Key, no_value>& set, const std::size_t* cuts) {
      std::size_t to[count];
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const int s = lane() * count + i;
        from[i] = s < set.count ? cuts[s] : 0;
        to[i] = s < set.count ? cuts[set.count + s] : 0;
      }
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const auto& whole = set.items[min(lane() * count + i, set.count - 1)];
        keys[i] = whole.data.keys + from[i];
        length[i] = static_cast<int>(to[i] - from[i]);
        extent[i] = vector_extent::of(keys[i], length[i], from[i], whole.count);
      }
    }

    __device__ unsigned sizes(int i) const {
      return static_cast<unsigned>(length[i]) + static_cast<unsigned>(extent[i].vectors) * vector_unit;
    }
  };

  template <int PerLane>
  __device__ void find_parts(const sequence_set<Key, no_value>& set, const std::size_t* cuts) {
    const lane_parts<PerLane> own{set, cuts};
    for (int g = lane(); g < group_count; g += warp::threads) groups[g].starts = 0;
    __syncwarp();
    unsigned all = 0;
    int part = 0, listed = 0;
#pragma unroll
    for (int i = 0; i < own.count; ++i) {
      const unsigned used = __ballot_sync(warp::all_lanes, own.length[i] > 0);
      part += __popc(used & warp::lanes_before());
      listed += __popc(used);
      all += own.sizes(i);
    }
    const auto end = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(all)));
    unsigned before = end - all;
#pragma unroll
    for (int i = 0; i < own.count; ++i) {
      if (own.length[i] > 0)
        list_part(own, i, part++, static_cast<int>(before / vector_unit), static_cast<int>(before % vector_unit));
      before += own.sizes(i);
    }
    publish_totals(own, listed, end);
    count_before_groups();
  }

  /// Lists a part that has first_vector vectors and keys_before keys before it.
  template <class LaneParts>
  __device__ void list_part(const LaneParts& own, int i, int part, int first_vector, int keys_before) {
    const int begin_key = first_vector * size + own.extent[i].skipped;
    bounds[part + 1] = keys_before + own.length[i];
    atomicOr(&groups[first_vector / group].starts, 1u << first_vector % group);
    list[part] = {reinterpret_cast<const key_vector<Key>*>(own.keys[i] - own.extent[i].skipped) - first_vector,
                  static_cast<std::uint16_t>(begin_key), static_cast<std::uint16_t>(begin_key + own.length[i]),
                  own.extent[i].within};
  }

  /// The last lane publishes the totals of all lanes. `end`: the sizes of its parts and of all before.
  template <class LaneParts>
  __device__ void publish_totals(const LaneParts& own, int listed, unsigned end) {
    constexpr unsigned low_bits = 24;  // a warp adds up words in one instruction
    unsigned low = 0, high = 0;
#pragma unroll
    for (int i = 0; i < own.count; ++i) {
      low += static_cast<unsigned>(own.from[i]) & ((1u << low_bits) - 1);
      high += static_cast<unsigned>(own.from[i] >> low_bits);
    }
    low = warp::sum(low), high = warp::sum(high);
    if (lane() != warp::threads - 1) return;
    bounds[0] = 0;
    begin = (static_cast<std::size_t>(high) << low_bits) + low;
    parts = listed;
    vectors = static_cast<int>(end / vector_unit);
  }

  /// Sets `before` of all groups; each lane handles neighbouring ones.
  __device__ void count_before_groups() {
    constexpr int per_lane = (group_count + warp::threads - 1) / warp::threads;
    __syncwarp();
    int own[per_lane], sum = 0;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      const int g = lane() * per_lane + i;
      own[i] = g < group_count ? __popc(groups[g].starts) : 0;
      sum += own[i];
    }
    int before = warp::inclusive_sum(sum) - sum - 1;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      const int g = lane() * per_lane + i;
      if (g < group_count) groups[g].before = before;
      before += own[i];
    }
  }
};

}  // namespace gpu::inline v1::detail::device
