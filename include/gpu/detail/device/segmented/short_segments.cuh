// Segments that one thread sorts, by a network in its registers: a warp brings 32 neighbours to shared memory and back.
// Longer ones are listed for others.
#pragma once

#include <cstddef>

#include "../../calls/segments.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/codes.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"
#include "warp_bounds.cuh"

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

  /// Where in memory the element at position row + lane is, if no lane's segment is empty but the last ones'. Rows of
  /// 32 are asked for one after the other. `begun`: segments that begin in those before, 0 at first. Called by all
  /// lanes.
  __device__ __forceinline__ std::size_t place_of(unsigned row, unsigned& begun) const {
    const bool here = count > 0 && first / warp::threads == row / warp::threads;
    const unsigned begins = warp::sum(here ? 1u << first % warp::threads : 0u);  // different bits
    const auto owner = static_cast<int>(begun) + __popc(begins & (warp::lanes_before() << 1 | 1u)) - 1;
    begun += static_cast<unsigned>(__popc(begins));
    return __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(begin - first), owner) + row +
           threadIdx.x % warp::threads;
  }
};

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

/// The same of segments that do not adjoin.
template <way Way, class Key, class Data, class Codec>
__device__ __forceinline__ void move_scattered(warp_stage<Key>& stage, Data data, const lane_segments& all,
                                               Codec codec) {
  constexpr unsigned together = 4;
  constexpr bool to_stage = Way == way::to_stage;
  const unsigned lane = threadIdx.x % warp::threads;
  unsigned begun = 0;
#pragma unroll 1
  for (unsigned first = 0; first < all.total; first += together * warp::threads) {
    const unsigned count = all.total > first + lane ? all.total - first - lane : 0;
    std::size_t places[together];
    Key found[together];
#pragma unroll
    for (unsigned t = 0; t < together; ++t) {
      places[t] = all.place_of(first + t * warp::threads, begun);
      if (t * warp::threads < count)
        found[t] =
            to_stage ? static_cast<Key>(data[places[t]]) : static_cast<Key>(stage[first + lane + t * warp::threads]);
    }
    if constexpr (to_stage)
      device::encode_items(found, codec);
    else
      device::decode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < together; ++t) {
      if (t * warp::threads >= count) continue;
      if constexpr (to_stage)
        stage[first + lane + t * warp::threads] = found[t];
      else
        data[places[t]] = found[t];
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
    device::move_scattered<way::to_stage>(stage, data, all, codec);
  __syncwarp();
  device::sort_staged(stage, all.first, all.count, longest);
  __syncwarp();
  if (all.contiguous)
    device::move_all<way::from_stage>(stage, data + all.base, all.total, codec);
  else
    device::move_scattered<way::from_stage>(stage, data, all, codec);
  __syncwarp();
}

/// Sorts segments of up to `longest` elements that follow one another in memory, in the stage, which all of these fit.
/// Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_adjoining(warp_stage<Key>& stage, Data data, warp_bounds& all, unsigned first,
                                               unsigned end, unsigned longest, Codec codec) {
  constexpr bool dear_networks = sizeof(Key) > sizeof(unsigned);
  const unsigned lane = threadIdx.x % warp::threads;
  const std::size_t base = all.begins[first];
  const auto total = static_cast<unsigned>(all.extent(first, end));
  device::move_all<way::to_stage>(stage, data + base, total, codec);
  if (dear_networks && longest > warp_bounds::alike) all.order(first, end);
  __syncwarp();
#pragma unroll 1
  for (unsigned own = first + lane; own - lane < end; own += warp::threads) {
    const unsigned count = own < end ? static_cast<unsigned>(all.counts[own]) : 0;
    const unsigned position = static_cast<unsigned>(all.begins[min(own, end - 1)] - base);
    const unsigned longest_here = longest > warp_bounds::alike ? warp::maximum(count) : longest;
    device::sort_staged(stage, position, count, longest_here);
  }
  __syncwarp();
  device::move_all<way::from_stage>(stage, data + base, total, codec);
  __syncwarp();
}

/// The same of as many as there are, some at a time.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_all_adjoining(warp_stage<Key>& stage, Data data, warp_bounds& all, unsigned count,
                                                   unsigned longest, Codec codec) {
  unsigned together = warp_bounds::size;
  if (all.extent(0, count) > warp_stage<Key>::size) {
    together /= 2;
    if (all.extent(0, min(together, count)) > warp_stage<Key>::size ||
        (together < count && all.extent(together, count) > warp_stage<Key>::size))
      together = warp::threads;
  }
#pragma unroll 1
  for (unsigned first = 0; first < count; first += together)
    device::sort_adjoining(stage, data, all, first, min(first + together, count), longest, codec);
}

/// Sorts the first `kept` segments, none of which is empty, wherever they are. Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_scattered(warp_stage<Key>& stage, Data data, warp_bounds& all, unsigned kept,
                                               Codec codec) {
  all.order(0, kept);
#pragma unroll 1
  for (unsigned own = threadIdx.x % warp::threads; own - threadIdx.x % warp::threads < kept; own += warp::threads) {
    const unsigned count = own < kept ? static_cast<unsigned>(all.counts[own]) : 0;
    const unsigned longest = warp::maximum(count);
    if (longest > 1) device::sort_lane_segments(stage, data, lane_segments{all.begins[own], count}, longest, codec);
  }
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
  const unsigned warp = threadIdx.x / warp::threads;
  warp_bounds& read = all_read[warp];
  const std::size_t step = std::size_t{gridDim.x} * warps * warp_bounds::size;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * warp_bounds::size; first < bounds.count;
       first += step) {
    const segment_sizes sizes = read.read(bounds, first, n, most);
    if (sizes.longest < 2) continue;
    const bool all_short = sizes.longest <= most;
    auto count = static_cast<unsigned>(min(bounds.count - first, std::size_t{warp_bounds::size}));
    bool adjoin = all_short && bounds.are_neighbours() && read.extent(0, count) == sizes.total;  // that ascend
    if (!adjoin) {
      if (!all_short) device::list_segments<Key, bounds_at_once>(read.begins, read.counts, n, groups, others);
      count = read.keep_short(most);
      adjoin = all_short && read.adjoin(count);
    }
    if (adjoin)
      device::sort_all_adjoining(stages[warp], data, read, count, sizes.longest, codec);
    else
      device::sort_scattered(stages[warp], data, read, count, codec);
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
