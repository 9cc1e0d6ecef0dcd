// Segments that groups of 2 to 32 threads of a warp sort together: each thread sorts its share by a network in its
// registers, then a bitonic network merges the shares of neighbours by shuffles. Batcher, "Sorting networks and their
// applications", 1968.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"
#include "short_segments.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int group_threads = 128;
/// Blocks per multiprocessor, by registers: what spills of wide codes costs more than a warp less.
constexpr int grouped_blocks(std::size_t key_bytes, unsigned items) {
  if (key_bytes == 8) return items > 24 ? 3 : 4;
  return key_bytes <= 4 ? items > 24 ? 5 : 6 : 4;
}

/// The lesser of two codes in the lower one of two lanes, the greater in the other.
template <class Code>
__device__ __forceinline__ Code kept(bool lower, const Code& own, const Code& other) {
  return (other < own) == lower ? other : own;
}

/// Sorts a bitonic sequence: halves of halves, down to those of one or three.
template <int Items, class Code>
__device__ __forceinline__ void clean(Code (&codes)[Items]) {
  constexpr int odd = Items % 3 == 0 ? 3 : 1;
#pragma unroll
  for (int step = Items / 2; step >= odd; step /= 2)
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i / step % 2 == 0) thread::order_numbers(codes[i], codes[i + step]);
  if constexpr (odd == 3)
#pragma unroll
    for (int first = 0; first < Items; first += odd) {
      thread::order_numbers(codes[first], codes[first + 1]);
      thread::order_numbers(codes[first + 1], codes[first + 2]);
      thread::order_numbers(codes[first], codes[first + 1]);
    }
}

/// Merges, in groups of as many lanes, what each lane has sorted. `lanes`: a power of two. Called by all lanes.
template <int Items, class Code>
__device__ __forceinline__ void merge_in_groups(Code (&codes)[Items], unsigned lanes) {
  const unsigned lane = threadIdx.x % warp::threads;
#pragma unroll 1
  for (unsigned run = 1; run < lanes; run *= 2) {
    const bool first_half = (lane & run) == 0;
    const int across = static_cast<int>(2 * run - 1);
#pragma unroll
    for (int i = 0; i < Items / 2; ++i) {  // the whole other half, backwards
      const Code low = warp::shuffle_xor(codes[i], across), high = warp::shuffle_xor(codes[Items - 1 - i], across);
      codes[i] = kept(first_half, codes[i], high);
      codes[Items - 1 - i] = kept(first_half, codes[Items - 1 - i], low);
    }
#pragma unroll 1
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      const bool lower = (lane & distance) == 0;
#pragma unroll
      for (int i = 0; i < Items; ++i)
        codes[i] = kept(lower, codes[i], warp::shuffle_xor(codes[i], static_cast<int>(distance)));
    }
    device::clean(codes);
  }
}

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

/// Sorts one segment per group of lanes, of up to Items for each of them. Called by all lanes.
template <class Key, unsigned Items, class Data, class Codec>
__device__ __forceinline__ void sort_groups(group_stage<Key, Items>& shared, Data data, const listed_segment& own,
                                            unsigned lanes, Codec codec) {
  using stage = group_stage<Key, Items>;
  constexpr unsigned most_lanes = 1u << stage::classes;
  const unsigned lane = threadIdx.x % warp::threads;
  shared.segments[lane] = own;
  __syncwarp();
  device::with_lanes<most_lanes>(lanes,
                                 [&](auto l) { device::groups_to_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
  register_code<Key> codes[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) codes[i] = shared.of_lane(lane, i);
  thread::sort_by_merges(codes);
  device::merge_in_groups(codes, lanes);
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) shared.of_lane(lane, i) = codes[i];
  __syncwarp();
  device::with_lanes<most_lanes>(lanes,
                                 [&](auto l) { device::groups_from_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
}

/// Sorts all segments that are listed for groups whose threads have so many Items; of the binned classes the
/// overflowing ones alone.
template <class Key, unsigned Items, class Data, class Codec>
__global__ void __launch_bounds__(group_threads, device::grouped_blocks(sizeof(Key), Items))
    grouped_segments_kernel(Data data, const __grid_constant__ group_lists groups, Codec codec) {
  await_predecessors();
  using stage = group_stage<Key, Items>;
  constexpr unsigned warps_per_block = group_threads / warp::threads, list = Items == thread_items<Key> ? 0 : 1;
  __shared__ stage stages[warps_per_block];
  const unsigned warp = threadIdx.x / warp::threads, lane = threadIdx.x % warp::threads;
  const std::size_t warps = std::size_t{gridDim.x} * warps_per_block;
  std::size_t work = std::size_t{blockIdx.x} * warps_per_block + warp, first = 0;
#pragma unroll 1
  for (unsigned c = 0; c < stage::classes; ++c) {
    const unsigned lanes = 2u << c, at_once = warp::threads / lanes;
    const bool rest = c >= first_binned<Key>;
    const unsigned listed = rest ? groups.claims->overflowing[c - first_binned<Key>] : groups.listed(2 * c + list);
    const std::size_t jobs = (listed + std::size_t{at_once} - 1) / at_once;
#pragma unroll 1
    for (; work < first + jobs; work += warps) {
      const auto own = static_cast<unsigned>((work - first) * at_once + lane / lanes);
      const auto segment = [&] {
        return rest ? groups.overflowing[c - first_binned<Key>][own] : groups.number(2 * c + list, own);
      };
      device::sort_groups(stages[warp], data, own < listed ? segment() : listed_segment{0, 0}, lanes, codec);
    }
    first += jobs;
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
