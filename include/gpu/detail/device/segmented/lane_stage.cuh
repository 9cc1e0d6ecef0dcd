// Elements of segments that lanes sort, on their way to a warp's shared memory and back, whether the segments adjoin or
// not.
#pragma once

#include <cstddef>

#include "../thread/codes.cuh"
#include "../warp/shuffle.cuh"
#include "counted_keys.cuh"
#include "long_lists.hpp"
#include "staging.cuh"
#include "warp_bounds.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Elements of a lane that are read from the stage, or written there, at once.
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

/// Some segments of a warp, one a lane.
struct lane_segments {
  std::size_t begin;
  unsigned count;
  unsigned first;  ///< elements of the lanes before
  unsigned total;

  /// Those from number `set` on, as far as there are `kept`. Called by all lanes.
  __device__ __forceinline__ lane_segments(const warp_bounds& all, unsigned set, unsigned kept) {
    const unsigned own = set + threadIdx.x % warp::threads;
    begin = all.begins[min(own, kept - 1)];
    count = own < kept ? static_cast<unsigned>(all.counts[own]) : 0;
    const auto last = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(count)));
    first = last - count;
    total = __shfl_sync(warp::all_lanes, last, warp::threads - 1);
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

/// Makes codes of the keys that the calling lane has brought to the stage, which has `total`.
template <class Key, class Codec>
__device__ __forceinline__ void encode_staged(warp_stage<Key>& stage, unsigned total, Codec codec) {
  constexpr unsigned together = moved_at_once<Key>;
  if (device::changes_nothing(codec)) return;
#pragma unroll 1
  for (unsigned first = threadIdx.x % warp::threads; first < total; first += together * warp::threads) {
    Key found[together];
#pragma unroll
    for (unsigned t = 0; t < together; ++t)
      if (first + t * warp::threads < total) found[t] = static_cast<Key>(stage[first + t * warp::threads]);
    device::encode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < together; ++t)
      if (first + t * warp::threads < total) stage[first + t * warp::threads] = found[t];
  }
}

/// Which way elements go between global memory and the stage, where they are codes.
enum class way : unsigned char { to_stage, from_stage };

/// Moves the `total` elements from `data` on that follow one another, by registers.
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

/// Begins to bring the `total` elements from `data` on, which follow one another, to the stage: wide ones without
/// registers, which have room for too few.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void begin_to_stage(warp_stage<Key>& stage, Data data, unsigned total, Codec codec) {
  if constexpr (sizeof(Key) <= sizeof(unsigned)) {
    device::move_all<way::to_stage>(stage, data, total, codec);
  } else {
#pragma unroll 4
    for (unsigned i = threadIdx.x % warp::threads; i < total; i += warp::threads)
      device::copy_later(&stage[i], data + i);
  }
}

/// When they are there for all lanes, as codes. Called by all lanes.
template <class Key, class Codec>
__device__ __forceinline__ void end_to_stage(warp_stage<Key>& stage, unsigned total, Codec codec) {
  if constexpr (sizeof(Key) > sizeof(unsigned)) {
    device::await_copies();
    device::encode_staged(stage, total, codec);
  }
  __syncwarp();
}

/// Begins to bring segments that do not adjoin to the stage, from position `begin` on, a multiple of 32. Called by all
/// lanes.
template <class Key, class Data>
__device__ __forceinline__ void scattered_to_stage(warp_stage<Key>& stage, unsigned begin, Data data,
                                                   const lane_segments& all) {
  unsigned begun = 0;
#pragma unroll 1
  for (unsigned row = 0; row < all.total; row += warp::threads) {
    const std::size_t place = all.place_of(row, begun);
    const unsigned i = row + threadIdx.x % warp::threads;
    if (i < all.total) device::copy_later(&stage[begin + i], data + place);
  }
}

/// The way back.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void scattered_from_stage(warp_stage<Key>& stage, unsigned begin, Data data,
                                                     const lane_segments& all, Codec codec) {
  constexpr unsigned together = 4;
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
      if (t * warp::threads < count) found[t] = static_cast<Key>(stage[begin + first + lane + t * warp::threads]);
    }
    device::decode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < together; ++t)
      if (t * warp::threads < count) data[places[t]] = found[t];
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
