// Elements of segments that lanes sort, on their way to a warp's shared memory and back, whether the segments adjoin or
// not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../thread/codes.cuh"
#include "../warp/shuffle.cuh"
#include "counted_keys.cuh"
#include "long_lists.hpp"
#include "staging.cuh"
#include "warp_bounds.cuh"

namespace gpu::inline v1::detail::device {

/// Elements of a lane that are read from the stage, or written there, at once.
template <class Key>
inline constexpr unsigned moved_at_once = sizeof(Key) <= 4   ? 16
                                          : sizeof(Key) <= 8 ? 8
                                                             : 4;

/// Whether lanes may leave codes where they are, and note how they are to be moved.
template <class Key>
inline constexpr bool has_moves_v = sizeof(Key) == 8;

/// A warp's codes in shared memory. Positions are spread so that threads working on stretches of the same length, a
/// power of two, have few bank conflicts.
template <class Key>
struct warp_stage {
  using code = register_code<Key>;
  static constexpr unsigned size = thread_items<Key> * warp::threads;
  /// Distance between the slots of positions that differ by 32.
  static constexpr unsigned row = warp::threads + warp::threads / thread_items<Key>;
  static constexpr unsigned slots = size / warp::threads * row;
  code codes[slots];
  std::int8_t moves[has_moves_v<Key> ? slots : 1];  ///< distance from a position to its code

  __device__ __forceinline__ static unsigned slot_of(unsigned position) {
    return position + position / thread_items<Key>;
  }
  __device__ __forceinline__ code& operator[](unsigned position) { return codes[slot_of(position)]; }
  __device__ __forceinline__ std::int8_t& move_to(unsigned position) { return moves[slot_of(position)]; }
  /// The calling lane's slot in the row of 32 positions from `first` on, a multiple of 32. Advance it by `row`: to
  /// compute the slot for each row would take most of the time of moving elements.
  __device__ __forceinline__ code* own(unsigned first) { return &(*this)[first + threadIdx.x % warp::threads]; }
};

/// Some segments of a warp, one per lane.
struct lane_segments {
  std::size_t begin;
  unsigned count;
  unsigned first;  ///< elements of the lanes before
  unsigned total;

  /// The segments from number `set` on, of `kept` in all. Called by all lanes.
  __device__ __forceinline__ lane_segments(const warp_bounds& all, unsigned set, unsigned kept) {
    const unsigned own = set + threadIdx.x % warp::threads;
    begin = all.begins[min(own, kept - 1)];
    count = own < kept ? static_cast<unsigned>(all.counts[own]) : 0;
    const auto last = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(count)));
    first = last - count;
    total = __shfl_sync(warp::all_lanes, last, warp::threads - 1);
  }

  /// Where in memory the element at position row + lane is, if only the last lanes' segments are empty. To be called
  /// for consecutive rows of 32. `begun`: number of segments that begin in earlier rows, 0 at first. Called by all
  /// lanes.
  __device__ __forceinline__ std::size_t position_of(unsigned row, unsigned& begun) const {
    const bool here = count > 0 && first / warp::threads == row / warp::threads;
    const unsigned begins = warp::sum(here ? 1u << first % warp::threads : 0u);  // different bits
    const auto owner = static_cast<int>(begun) + __popc(begins & (warp::lanes_before() << 1 | 1u)) - 1;
    begun += static_cast<unsigned>(__popc(begins));
    return __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(begin - first), owner) + row +
           threadIdx.x % warp::threads;
  }
};

/// Calls body(staged, first, count) for each moved_at_once of the calling lane's elements, which are a row apart in the
/// stage: the slot and the number of the first one, and how many of `total` elements there are from it on.
template <class Key, class Body>
__device__ __forceinline__ void for_rows(warp_stage<Key>& stage, unsigned total, Body body) {
  constexpr unsigned at_once = moved_at_once<Key> * warp::threads;
  static_assert(warp_stage<Key>::size % at_once == 0);  // positions past the last element are in the stage, too
  const unsigned lane = threadIdx.x % warp::threads;
#pragma unroll 1
  for (unsigned first = lane; first - lane < total; first += at_once)
    body(stage.own(first - lane), first, total > first ? total - first : 0);
}

/// Encodes the keys that the calling lane has brought to the stage, of `total` in all.
template <class Key, class Codec>
__device__ __forceinline__ void encode_staged(warp_stage<Key>& stage, unsigned total, Codec codec) {
  if (device::changes_nothing(codec)) return;
  device::for_rows(stage, total, [&](auto* staged, unsigned, unsigned) {
    Key found[moved_at_once<Key>];
#pragma unroll
    for (unsigned t = 0; t < moved_at_once<Key>; ++t) found[t] = static_cast<Key>(staged[t * warp_stage<Key>::row]);
    device::encode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < moved_at_once<Key>; ++t) staged[t * warp_stage<Key>::row] = found[t];
  });
}

/// Brings `total` consecutive elements from `data` on to the stage, through registers.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void all_to_stage(warp_stage<Key>& stage, Data data, unsigned total, Codec codec) {
  device::for_rows(stage, total, [&](auto* staged, unsigned first, unsigned count) {
    const Data own = data + first;
    Key found[moved_at_once<Key>];
#pragma unroll
    for (unsigned t = 0; t < moved_at_once<Key>; ++t)
      found[t] = t * warp::threads < count ? static_cast<Key>(own[t * warp::threads]) : Key{};
    device::encode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < moved_at_once<Key>; ++t) staged[t * warp_stage<Key>::row] = found[t];
  });
}

/// Writes the elements back: moved as noted if Moved, else from their own positions.
template <bool Moved, class Key, class Data, class Codec>
__device__ __forceinline__ void all_from_stage(warp_stage<Key>& stage, Data data, unsigned total, Codec codec) {
  device::for_rows(stage, total, [&](auto* staged, unsigned first, unsigned count) {
    const Data own = data + first;
    Key found[moved_at_once<Key>];
#pragma unroll
    for (unsigned t = 0; t < moved_at_once<Key>; ++t) {
      if constexpr (Moved) {
        const unsigned position = first + t * warp::threads;
        const int move = t * warp::threads < count ? stage.move_to(position) : 0;
        found[t] = stage[position + static_cast<unsigned>(move)];
      } else {
        found[t] = static_cast<Key>(staged[t * warp_stage<Key>::row]);
      }
    }
    device::decode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < moved_at_once<Key>; ++t)
      if (t * warp::threads < count) own[t * warp::threads] = found[t];
  });
}

/// Begins to bring `total` consecutive elements from `data` on to the stage: wide ones without going through registers,
/// which have room for too few.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void begin_to_stage(warp_stage<Key>& stage, Data data, unsigned total, Codec codec) {
  if constexpr (sizeof(Key) <= sizeof(unsigned)) {
    device::all_to_stage(stage, data, total, codec);
  } else {
    auto* staged = stage.own(0);
#pragma unroll 4
    for (unsigned i = threadIdx.x % warp::threads; i < total; i += warp::threads, staged += warp_stage<Key>::row)
      device::copy_later(staged, data + i);
  }
}

/// Waits until the elements are in the stage, for all lanes to see, and encodes them. Called by all lanes.
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
  auto* staged = stage.own(begin);
#pragma unroll 1
  for (unsigned row = 0; row < all.total; row += warp::threads, staged += warp_stage<Key>::row) {
    const std::size_t position = all.position_of(row, begun);
    if (row + threadIdx.x % warp::threads < all.total) device::copy_later(staged, data + position);
  }
}

/// Writes the elements back, as all_from_stage() does.
template <bool Moved, class Key, class Data, class Codec>
__device__ __forceinline__ void scattered_from_stage(warp_stage<Key>& stage, unsigned begin, Data data,
                                                     const lane_segments& all, Codec codec) {
  constexpr unsigned together = 4;
  const unsigned lane = threadIdx.x % warp::threads;
  unsigned begun = 0;
#pragma unroll 1
  for (unsigned first = 0; first < all.total; first += together * warp::threads) {
    const auto* const staged = stage.own(begin + first);
    const unsigned count = all.total > first + lane ? all.total - first - lane : 0;
    std::size_t positions[together];
    Key found[together];
#pragma unroll
    for (unsigned t = 0; t < together; ++t) {
      positions[t] = all.position_of(first + t * warp::threads, begun);
      found[t] = Key{};
      if (t * warp::threads >= count) continue;
      if constexpr (Moved) {
        const unsigned position = begin + first + lane + t * warp::threads;
        found[t] = stage[position + static_cast<unsigned>(static_cast<int>(stage.move_to(position)))];
      } else {
        found[t] = static_cast<Key>(staged[t * warp_stage<Key>::row]);
      }
    }
    device::decode_items(found, codec);
#pragma unroll
    for (unsigned t = 0; t < together; ++t)
      if (t * warp::threads < count) data[positions[t]] = found[t];
  }
}

}  // namespace gpu::inline v1::detail::device
