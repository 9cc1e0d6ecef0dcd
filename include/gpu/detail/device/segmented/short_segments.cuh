// Segments that one thread sorts, by a network in its registers: a warp brings 32 neighbours to shared memory and back.
// Longer ones are listed for others.
#pragma once

#include <cstddef>

#include "../../segments.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int short_threads = 128;

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
  unsigned count;  ///< 0 for what is not short, or needs no sorting
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

  /// write(position among the short ones, place in memory, read(position, place)) for all elements, some of a lane
  /// under way at once.
  template <class Read, class Write>
  __device__ __forceinline__ void each(Read read, Write write) const {
    const unsigned lane = threadIdx.x % warp::threads;
    constexpr unsigned together = 8;
    if (contiguous) {
#pragma unroll 1
      for (unsigned e = lane; e < total; e += together * warp::threads) {
        decltype(read(0u, std::size_t{})) found[together];
#pragma unroll
        for (unsigned t = 0; t < together; ++t)
          if (e + t * warp::threads < total) found[t] = read(e + t * warp::threads, base + e + t * warp::threads);
#pragma unroll
        for (unsigned t = 0; t < together; ++t)
          if (e + t * warp::threads < total) write(e + t * warp::threads, base + e + t * warp::threads, found[t]);
      }
      return;
    }
    for (unsigned rest = __ballot_sync(warp::all_lanes, count > 0); rest != 0; rest &= rest - 1) {
      const int owner = __ffs(static_cast<int>(rest)) - 1;
      const std::size_t from = __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(begin), owner);
      const unsigned length = __shfl_sync(warp::all_lanes, count, owner);
      const unsigned position = __shfl_sync(warp::all_lanes, first, owner) + lane;
      if (lane < length) write(position, from + lane, read(position, from + lane));
    }
  }
};

/// Brings a warp's short segments to the stage, sorts them, and brings them back. `longest` of them, all lanes' known.
template <class Key, class Codec>
__device__ __forceinline__ void sort_lane_segments(warp_stage<Key>& stage, Key* data, const lane_segments& all,
                                                   unsigned longest, Codec codec) {
  constexpr unsigned most = thread_items<Key>;
  all.each([&](unsigned, std::size_t place) { return data[place]; },
           [&](unsigned position, std::size_t, Key key) { stage[position] = codec.encode(key); });
  __syncwarp();
  if (longest <= 4)
    device::sort_short<4>(stage, all.first, all.count);
  else if (longest <= 8)
    device::sort_short<8>(stage, all.first, all.count);
  else if constexpr (most > 8) {
    if (longest <= 16)
      device::sort_short<16>(stage, all.first, all.count);
    else
      device::sort_short<most>(stage, all.first, all.count);
  }
  __syncwarp();
  all.each([&](unsigned position, std::size_t) { return codec.decode(static_cast<Key>(stage[position])); },
           [&](unsigned, std::size_t place, Key key) { data[place] = key; });
  __syncwarp();
}

/// Sets of 32 segments whose bounds a warp reads at once: most of what many tiny ones cost is the wait for bounds.
inline constexpr unsigned bounds_at_once = 4;

/// Where they are read to.
struct warp_bounds {
  static constexpr unsigned size = bounds_at_once * warp::threads;
  std::size_t begins[size];
  std::size_t counts[size];

  /// Reads bounds from number `first` on; whether any segment has something to sort. Called by all lanes.
  __device__ __forceinline__ bool read(const segment_bounds& bounds, std::size_t first, std::size_t n) {
    const unsigned lane = threadIdx.x % warp::threads;
    segment_range found[bounds_at_once];
    bool any = false;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      const std::size_t i = first + s * warp::threads + lane;
      found[s] = i < bounds.count ? bounds.of(i, n) : segment_range{0, 0};
      any |= found[s].count() > 1;
    }
    if (!__any_sync(warp::all_lanes, any)) return false;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      begins[s * warp::threads + lane] = found[s].begin;
      counts[s * warp::threads + lane] = found[s].count();
    }
    return true;  // every lane reads what it has written
  }
};

/// Sorts the segments of up to thread_items, and lists all longer ones.
template <class Key, class Codec>
__global__ void __launch_bounds__(short_threads)
    short_segments_kernel(Key* data, std::size_t n, segment_bounds bounds, const __grid_constant__ group_lists groups,
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
    if (!read.read(bounds, first, n)) continue;
#pragma unroll 1
    for (unsigned own = lane; own < warp_bounds::size; own += warp::threads) {
      const std::size_t begin = read.begins[own], count = read.counts[own];
      const bool is_short = count <= most;
      device::list_segments<most>(!is_short, begin, count, n, groups, others);
      const unsigned to_sort = is_short && count > 1 ? static_cast<unsigned>(count) : 0;
      const unsigned longest = warp::maximum(to_sort);
      if (longest > 0) device::sort_lane_segments(stages[warp], data, lane_segments{begin, to_sort}, longest, codec);
    }
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
