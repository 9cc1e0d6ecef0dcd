// Segments that one thread sorts, by a network in its registers: a warp brings 32 neighbours to shared memory and back.
// Longer ones are listed for others.
#pragma once

#include <cstddef>

#include "../../segments.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/codes.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int short_threads = 128;

/// Blocks per multiprocessor, by registers: what waits for bounds alone wants many.
constexpr int short_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 7 : 4; }

/// Elements of a lane that are under way at once between global memory and the stage.
template <class Key>
inline constexpr unsigned moved_at_once = sizeof(Key) <= 4   ? 16
                                          : sizeof(Key) <= 8 ? 8
                                                             : 4;

/// A warp's codes in shared memory. Positions are spread so that threads whose stretches have the same length, a power
/// of two, meet in few banks.
template <class Key>
struct warp_stage {
  using code = register_code<Key>;
  static constexpr unsigned size = thread_items<Key> * warp::threads;
  code codes[size + size / thread_items<Key>];

  __device__ __forceinline__ code& operator[](unsigned position) {
    return codes[position + position / thread_items<Key>];
  }
};

/// Sorts codes [first, first + count) of the stage, count <= Most, in the calling thread's registers.
template <int Most, class Key>
__device__ __forceinline__ void sort_short(warp_stage<Key>& stage, unsigned first, unsigned count) {
  using code = register_code<Key>;
  code codes[Most];
#pragma unroll
  for (int i = 0; i < Most; ++i)
    codes[i] = static_cast<unsigned>(i) < count ? stage[first + static_cast<unsigned>(i)] : static_cast<code>(~code{0});
  thread::sort_by_merges(codes);
#pragma unroll
  for (int i = 0; i < Most; ++i)
    if (static_cast<unsigned>(i) < count) stage[first + static_cast<unsigned>(i)] = codes[i];
}

/// The short segments of a warp, one a lane.
struct lane_segments {
  std::size_t begin;
  unsigned count;
  unsigned first;  ///< elements of the lanes before
  unsigned total;
  bool contiguous;   ///< one behind the other in memory
  std::size_t base;  ///< where they begin then

  /// Called by all lanes.
  __device__ __forceinline__ lane_segments(std::size_t own_begin, unsigned own_count)
      : begin{own_begin}, count{own_count} {
    const int last = warp::inclusive_sum(static_cast<int>(count));
    first = static_cast<unsigned>(last) - count;
    total = __shfl_sync(warp::all_lanes, static_cast<unsigned>(last), warp::threads - 1);
    const unsigned some = __ballot_sync(warp::all_lanes, count > 0);
    const int leader = some != 0 ? __ffs(static_cast<int>(some)) - 1 : 0;
    base = __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(begin), leader);
    contiguous = __all_sync(warp::all_lanes, count == 0 || begin == base + first);
  }

  /// The lane whose segment has the element at a position. Called by all lanes.
  __device__ __forceinline__ int owner_of(unsigned position) const {
    int owner = 0;
#pragma unroll
    for (int half = warp::threads / 2; half > 0; half /= 2)
      if (__shfl_sync(warp::all_lanes, first, owner + half) <= position) owner += half;
    return owner;
  }

  /// Where in memory the element at a position is. Called by all lanes.
  __device__ __forceinline__ std::size_t place_of(unsigned position) const {
    const int owner = owner_of(position);
    return __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(begin - first), owner) + position;
  }
};

/// The same of segments that do not adjoin.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void scattered_to_stage(warp_stage<Key>& stage, Data data, const lane_segments& all,
                                                   Codec codec) {
  constexpr unsigned together = 4;
  for (unsigned e = threadIdx.x % warp::threads; e - threadIdx.x % warp::threads < all.total;
       e += together * warp::threads) {
    Key found[together];
#pragma unroll
    for (unsigned t = 0; t < together; ++t) {
      const std::size_t place = all.place_of(e + t * warp::threads);
      if (e + t * warp::threads < all.total) found[t] = data[place];
    }
    device::encode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < together; ++t)
      if (e + t * warp::threads < all.total) stage[e + t * warp::threads] = found[t];
  }
}
template <class Key, class Data, class Codec>
__device__ __forceinline__ void scattered_from_stage(warp_stage<Key>& stage, Data data, const lane_segments& all,
                                                     Codec codec) {
  for (unsigned e = threadIdx.x % warp::threads; e - threadIdx.x % warp::threads < all.total; e += warp::threads) {
    const std::size_t place = all.place_of(e);
    if (e < all.total) data[place] = codec.decode(static_cast<Key>(stage[e]));
  }
}

/// Which way elements go between global memory and the stage, where they are codes.
enum class way : unsigned char { to_stage, from_stage };

/// Moves the `total` elements from `data` on that follow one another.
template <way Way, class Key, class Data, class Codec>
__device__ __forceinline__ void move_all(warp_stage<Key>& stage, Data data, unsigned total, Codec codec) {
  constexpr unsigned together = moved_at_once<Key>;
  constexpr bool to_stage = Way == way::to_stage;
  const unsigned lane = threadIdx.x % warp::threads;
#pragma unroll 1
  for (unsigned first = lane; first - lane < total; first += together * warp::threads) {
    const Data own = data + first;
    const unsigned count = total > first ? total - first : 0;
    Key found[together];
#pragma unroll
    for (unsigned t = 0; t < together; ++t)
      if (t * warp::threads < count)
        found[t] =
            to_stage ? static_cast<Key>(own[t * warp::threads]) : static_cast<Key>(stage[first + t * warp::threads]);
    if constexpr (to_stage)
      device::encode_items(found, codec);
    else
      device::decode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < together; ++t) {
      if (t * warp::threads >= count) continue;
      if constexpr (to_stage)
        stage[first + t * warp::threads] = found[t];
      else
        own[t * warp::threads] = found[t];
    }
  }
}

/// Sorts codes [first, first + count) of the stage, count <= longest <= thread_items, by the smallest network of so
/// many that will do.
template <int Most = 4, class Key>
__device__ __forceinline__ void sort_staged(warp_stage<Key>& stage, unsigned first, unsigned count, unsigned longest) {
  if (Most == thread_items<Key> || longest <= Most)
    device::sort_short<Most>(stage, first, count);
  else if constexpr (Most < thread_items<Key>)
    device::sort_staged<Most % 3 == 0 ? Most / 3 * 4 : (Most < 8 ? 2 * Most : Most / 2 * 3)>(stage, first, count,
                                                                                             longest);
}

/// Brings a warp's short segments to the stage, sorts them, and brings them back. `longest` of them, all lanes' known.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_lane_segments(warp_stage<Key>& stage, Data data, const lane_segments& all,
                                                   unsigned longest, Codec codec) {
  if (all.contiguous)
    device::move_all<way::to_stage>(stage, data + all.base, all.total, codec);
  else
    device::scattered_to_stage(stage, data, all, codec);
  __syncwarp();
  device::sort_staged(stage, all.first, all.count, longest);
  __syncwarp();
  if (all.contiguous)
    device::move_all<way::from_stage>(stage, data + all.base, all.total, codec);
  else
    device::scattered_from_stage(stage, data, all, codec);
  __syncwarp();
}

/// Sets of 32 segments whose bounds a warp reads at once: most of what many tiny ones cost is the wait for bounds.
inline constexpr unsigned bounds_at_once = 4;

/// Where they are read to.
struct warp_bounds {
  static constexpr unsigned size = bounds_at_once * warp::threads;
  std::size_t begins[size];
  std::size_t counts[size];

  /// Reads bounds from number `first` on, and returns the longest count, or `most` + 1. Called by all lanes.
  __device__ __forceinline__ unsigned read(const segment_bounds& bounds, std::size_t first, std::size_t n,
                                           unsigned most) {
    const unsigned lane = threadIdx.x % warp::threads;
    segment_range found[bounds_at_once];
    std::size_t longest = 0;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      const std::size_t i = first + s * warp::threads + lane;
      found[s] = i < bounds.count ? bounds.of(i, n) : segment_range{n, n};
      longest = max(longest, found[s].count());
    }
    const unsigned together = warp::maximum(longest > most ? most + 1 : static_cast<unsigned>(longest));
    if (together < 2) return together;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      begins[s * warp::threads + lane] = found[s].begin;
      counts[s * warp::threads + lane] = found[s].count();
    }
    __syncwarp();
    return together;
  }

  /// Leaves those of 1 to `most` elements alone, in their order, and returns how many there are. Called by all lanes.
  __device__ __forceinline__ unsigned keep_short(unsigned most) {
    unsigned kept = 0;
#pragma unroll
    for (unsigned i = threadIdx.x % warp::threads; i < size; i += warp::threads) {
      const std::size_t begin = begins[i], count = counts[i];
      const bool keeps = count > 0 && count <= most;
      const unsigned all = __ballot_sync(warp::all_lanes, keeps);
      const unsigned slot = kept + __popc(all & warp::lanes_before());
      __syncwarp();
      if (keeps) begins[slot] = begin, counts[slot] = count;
      kept += __popc(all);
    }
    __syncwarp();
    return kept;
  }

  /// Elements of all, if they are at most `most` and follow begins[0] without a gap; else 0. Called by all lanes.
  __device__ __forceinline__ unsigned adjoining(unsigned most) const {
    bool within = true;
    unsigned elements = 0, extent = 0;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      const unsigned i = s * warp::threads + threadIdx.x % warp::threads;
      const std::size_t count = counts[i], before = begins[i] - begins[0];
      within &= count == 0 || (begins[i] >= begins[0] && before < most && count <= most - before);
      elements += within ? static_cast<unsigned>(count) : 0;
      extent = max(extent, count > 0 && within ? static_cast<unsigned>(before + count) : 0);
    }
    if (!__all_sync(warp::all_lanes, within)) return 0;
    elements = warp::sum(elements);
    return elements == warp::maximum(extent) ? elements : 0;
  }
};

/// Sorts segments that follow one another in memory, `total` elements that fit the stage.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_tiny_segments(warp_stage<Key>& stage, Data data, const warp_bounds& all,
                                                   unsigned total, unsigned longest, Codec codec) {
  const Data base = data + all.begins[0];
  device::move_all<way::to_stage>(stage, base, total, codec);
  __syncwarp();
#pragma unroll 1
  for (unsigned i = threadIdx.x % warp::threads; i < warp_bounds::size; i += warp::threads)
    device::sort_staged(stage, static_cast<unsigned>(all.begins[i] - all.begins[0]),
                        static_cast<unsigned>(all.counts[i]), longest);
  __syncwarp();
  device::move_all<way::from_stage>(stage, base, total, codec);
  __syncwarp();
}

/// Sorts the segments of up to thread_items, and lists all longer ones. Data: what points to Keys.
template <class Key, class Data, class Codec>
__global__ void __launch_bounds__(short_threads, device::short_blocks(sizeof(Key)))
    short_segments_kernel(Data data, std::size_t n, segment_bounds bounds, const __grid_constant__ group_lists groups,
                          long_lists others, Codec codec) {
  await_predecessors();
  constexpr unsigned most = thread_items<Key>, warps = short_threads / warp::threads;
  __shared__ warp_stage<Key> stages[warps];
  __shared__ warp_bounds all_read[warps];
  const unsigned warp = threadIdx.x / warp::threads, lane = threadIdx.x % warp::threads;
  warp_bounds& read = all_read[warp];
  const std::size_t step = std::size_t{gridDim.x} * warps * warp_bounds::size;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * warp_bounds::size; first < bounds.count;
       first += step) {
    const unsigned longest = read.read(bounds, first, n, most);
    if (longest < 2) continue;
    if (longest > most) {
      device::list_segments<Key, bounds_at_once>(read.begins, read.counts, n, groups, others);
    } else if (const unsigned total = read.adjoining(warp_stage<Key>::size)) {
      device::sort_tiny_segments(stages[warp], data, read, total, longest, codec);
      continue;
    }
    const unsigned kept = read.keep_short(most);
#pragma unroll 1
    for (unsigned own = lane; own - lane < kept; own += warp::threads) {
      const unsigned count = own < kept ? static_cast<unsigned>(read.counts[own]) : 0;
      const unsigned longest_here = warp::maximum(count);
      if (longest_here > 1)
        device::sort_lane_segments(stages[warp], data, lane_segments{read.begins[own], count}, longest_here, codec);
    }
    __syncwarp();
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
