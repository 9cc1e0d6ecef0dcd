// Elements of segments that groups of a warp's threads sort, on their way to shared memory and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../thread/codes.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"

namespace gpu::inline v1::detail::device {

/// Where the calling lane's k-th element lies if the lanes of a warp take consecutive elements in turn: in which of the
/// consecutive parts of Size elements, and at which index in it.
template <unsigned Size>
struct row_slot {
  unsigned part;
  unsigned index;

  __device__ __forceinline__ explicit row_slot(unsigned k) {
    const unsigned lane = threadIdx.x % warp::threads, first = k * warp::threads;
    if constexpr (Size < warp::threads) {
      constexpr unsigned period = 3 * warp::threads;  // after it, indices recur
      static_assert(period % Size == 0);
      const unsigned rest = first % period + lane;
      part = first / period * (period / Size) + rest / Size, index = rest % Size;
    } else {  // constant except for the lane
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

/// Slots in a warp's shared memory of elements of which each lane has Items. Positions are spread as in warp_stage.
template <unsigned Items>
struct lane_slots {
  static constexpr unsigned stride = Items + 1;
  static constexpr unsigned count = stride * warp::threads;

  __device__ __forceinline__ static unsigned of_lane(unsigned lane, unsigned i) { return lane * stride + i; }
  /// The slot of the calling lane's k-th element while all are moved.
  __device__ __forceinline__ static unsigned of_row(unsigned k) {
    const row_slot<Items> slot{k};
    return of_lane(slot.part, slot.index);
  }
};

/// Shared memory of a warp that sorts groups, whose lanes have Items elements each. Wide codes stay where they are, and
/// are put in order on their way out.
template <class Key, unsigned Items>
struct group_stage {
  using code = register_code<Key>;
  using slots = lane_slots<Items>;
  static constexpr unsigned classes = Items == thread_items<Key> ? group_classes : first_binned<Key>;
  static constexpr bool has_order = sizeof(Key) > sizeof(unsigned);
  code codes[slots::count];
  std::uint16_t order[has_order ? slots::count : 1];  ///< slots of codes
  listed_segment segments[warp::threads];

  /// The k-th of the sorted codes that the calling lane moves out of the stage.
  __device__ __forceinline__ const code& sorted(unsigned k) const {
    if constexpr (has_order)
      return codes[order[slots::of_row(k)]];
    else
      return codes[slots::of_row(k)];
  }
};

/// Brings the elements of all segments to the stage, with all loads of a lane in flight at once; fills the rest with
/// the greatest code.
template <unsigned Lanes, class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void groups_to_stage(group_stage<Key, Items>& shared, Data data, Codec codec) {
  const Key none = device::last_key<Key>(codec);
  Key found[Items];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const row_slot<Items * Lanes> at{k};
    const listed_segment from = shared.segments[at.part * Lanes];
    found[k] = at.index < from.count()  // relative to the segment's beginning, for counted_keys
                   ? static_cast<Key>((data + from.begin())[at.index])
                   : none;
  }
  device::encode_items(found, codec);
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) shared.codes[group_stage<Key, Items>::slots::of_row(k)] = found[k];
}

/// Writes the sorted elements back, in two halves.
template <unsigned Lanes, class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void groups_from_stage(group_stage<Key, Items>& shared, Data data, Codec codec) {
  constexpr unsigned half = Items / 2;
#pragma unroll
  for (unsigned first = 0; first < Items; first += half) {
    Key found[half];
#pragma unroll
    for (unsigned k = 0; k < half; ++k) found[k] = static_cast<Key>(shared.sorted(first + k));
    device::decode_items(found, codec);
#pragma unroll
    for (unsigned k = 0; k < half; ++k) {
      const row_slot<Items * Lanes> at{first + k};
      const listed_segment to = shared.segments[at.part * Lanes];
      if (at.index < to.count()) data[to.begin() + at.index] = found[k];
    }
  }
}

}  // namespace gpu::inline v1::detail::device
