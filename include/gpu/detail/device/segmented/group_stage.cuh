// Elements of segments that groups of a warp's threads sort, on their way to shared memory and back.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../thread/codes.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Number k of the calling lane's elements of a warp, each of the 32nd of which is one lane's: in which of the parts of
/// Size that follow one another, and where in it.
template <unsigned Size>
struct row_place {
  unsigned part;
  unsigned index;

  __device__ __forceinline__ explicit row_place(unsigned k) {
    const unsigned lane = threadIdx.x % warp::threads, first = k * warp::threads;
    if constexpr (Size < warp::threads) {
      constexpr unsigned period = 3 * warp::threads;  // after it, indices recur
      static_assert(period % Size == 0);
      const unsigned rest = first % period + lane;
      part = first / period * (period / Size) + rest / Size, index = rest % Size;
    } else {  // known but for the lane
      const bool in_next = first % Size + lane >= Size;
      part = first / Size + (in_next ? 1 : 0), index = first % Size + lane - (in_next ? Size : 0);
    }
  }
};

/// Calls body with the number of a class's lanes, from First to Last, as a constant.
template <unsigned Last, unsigned First = 2, class Body>
__device__ __forceinline__ void with_lanes(unsigned lanes, const Body& body) {
  if (First == Last || lanes == First) return body(std::integral_constant<unsigned, First>{});
  if constexpr (First < Last) device::with_lanes<Last, 2 * First>(lanes, body);
}

/// Shared memory of a warp that sorts groups, whose lanes have so many Items. Positions are spread as in warp_stage.
template <class Key, unsigned Items>
struct group_stage {
  using code = register_code<Key>;
  static constexpr unsigned classes = Items == thread_items<Key> ? group_classes : first_binned<Key>;
  code codes[(Items + 1) * warp::threads];
  listed_segment segments[warp::threads];

  __device__ __forceinline__ code& of_lane(unsigned lane, unsigned i) { return codes[lane * (Items + 1) + i]; }
  /// Number k of the calling lane while all are moved.
  __device__ __forceinline__ code& of_row(unsigned k) {
    const row_place<Items> place{k};
    return of_lane(place.part, place.index);
  }
};

/// Items of all segments to the stage, all of a lane under way at once; the greatest code where there are none.
template <unsigned Lanes, class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void groups_to_stage(group_stage<Key, Items>& shared, Data data, Codec codec) {
  using code = register_code<Key>;
  using place = row_place<Items * Lanes>;
  Key found[Items];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const place at{k};
    const listed_segment from = shared.segments[at.part * Lanes];
    if (at.index < from.count())
      found[k] = (data + from.begin())[at.index];  // from where the segment begins, for data that count
  }
  device::encode_items(found, codec);
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const place at{k};
    shared.of_row(k) =
        at.index < shared.segments[at.part * Lanes].count() ? static_cast<code>(found[k]) : static_cast<code>(~code{0});
  }
}

/// The way back, in two halves.
template <unsigned Lanes, class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void groups_from_stage(group_stage<Key, Items>& shared, Data data, Codec codec) {
  constexpr unsigned half = Items / 2;
#pragma unroll
  for (unsigned first = 0; first < Items; first += half) {
    Key found[half];
#pragma unroll
    for (unsigned k = 0; k < half; ++k) found[k] = static_cast<Key>(shared.of_row(first + k));
    device::decode_items(found, codec);
#pragma unroll
    for (unsigned k = 0; k < half; ++k) {
      const row_place<Items * Lanes> at{first + k};
      const listed_segment to = shared.segments[at.part * Lanes];
      if (at.index < to.count()) data[to.begin() + at.index] = found[k];
    }
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
