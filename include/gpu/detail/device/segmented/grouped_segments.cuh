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
/// Blocks per multiprocessor, by registers.
constexpr int grouped_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 6 : 4; }

/// The lesser of two codes in the lower one of two lanes, the greater in the other.
template <class Code>
__device__ __forceinline__ Code kept(bool lower, const Code& own, const Code& other) {
  return (other < own) == lower ? other : own;
}

/// Merges, in groups of as many lanes, what each lane has sorted. `lanes`: a power of two. Called by all lanes.
template <int Items, class Code>
__device__ __forceinline__ void merge_in_groups(Code (&codes)[Items], unsigned lanes) {
  const unsigned lane = threadIdx.x % warp::threads;
  const auto clean = [&] {
#pragma unroll
    for (int step = Items / 2; step > 0; step /= 2)
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if ((i & step) == 0) thread::order_numbers(codes[i], codes[i + step]);
  };
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
    clean();
  }
}

/// A warp's elements, as many segments as it has groups of Lanes: item number k of the calling lane is element index(k)
/// of the segment that lane owner(k) looks after.
template <unsigned Items, unsigned Lanes>
struct group_items {
  __device__ static unsigned position(unsigned k) { return k * warp::threads + threadIdx.x % warp::threads; }
  __device__ static unsigned owner(unsigned k) {
    if constexpr (Items == warp::threads) return k & ~(Lanes - 1);  // of a whole warp
    return position(k) / Items & ~(Lanes - 1);
  }
  __device__ static unsigned index(unsigned k) { return position(k) & (Items * Lanes - 1); }
};

/// Calls body with the number of a class's lanes as a constant.
template <class Body>
__device__ __forceinline__ void with_lanes(unsigned lanes, const Body& body) {
  switch (lanes) {
    case 2:
      return body(std::integral_constant<unsigned, 2>{});
    case 4:
      return body(std::integral_constant<unsigned, 4>{});
    case 8:
      return body(std::integral_constant<unsigned, 8>{});
    case 16:
      return body(std::integral_constant<unsigned, 16>{});
    default:
      return body(std::integral_constant<unsigned, 32>{});
  }
}

/// Shared memory of a warp that sorts groups.
template <class Key>
struct group_stage {
  warp_stage<Key> codes;
  listed_segment segments[warp::threads];
};

/// Items of all segments to the stage, all of a lane under way at once; the greatest code where there are none.
template <unsigned Lanes, class Key, class Data, class Codec>
__device__ __forceinline__ void groups_to_stage(group_stage<Key>& shared, Data data, Codec codec) {
  using code = register_code<Key>;
  constexpr unsigned items = thread_items<Key>;
  using all = group_items<items, Lanes>;
  Key found[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const listed_segment from = shared.segments[all::owner(k)];
    if (all::index(k) < from.count()) found[k] = data[from.begin() + all::index(k)];
  }
  device::encode_items(found, codec);
#pragma unroll
  for (unsigned k = 0; k < items; ++k)
    shared.codes[all::position(k)] = all::index(k) < shared.segments[all::owner(k)].count()
                                         ? static_cast<code>(found[k])
                                         : static_cast<code>(~code{0});
}

/// The way back, in two halves.
template <unsigned Lanes, class Key, class Data, class Codec>
__device__ __forceinline__ void groups_from_stage(group_stage<Key>& shared, Data data, Codec codec) {
  constexpr unsigned items = thread_items<Key>, half = items / 2;
  using all = group_items<items, Lanes>;
#pragma unroll
  for (unsigned first = 0; first < items; first += half) {
    Key found[half];
#pragma unroll
    for (unsigned k = 0; k < half; ++k) found[k] = static_cast<Key>(shared.codes[all::position(first + k)]);
    device::decode_items(found, codec);
#pragma unroll
    for (unsigned k = 0; k < half; ++k) {
      const listed_segment to = shared.segments[all::owner(first + k)];
      if (all::index(first + k) < to.count()) data[to.begin() + all::index(first + k)] = found[k];
    }
  }
}

/// Sorts one segment per group of lanes, of up to thread_items for each of them. Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_groups(group_stage<Key>& shared, Data data, const listed_segment& own,
                                            unsigned lanes, Codec codec) {
  constexpr unsigned items = thread_items<Key>;
  const unsigned lane = threadIdx.x % warp::threads;
  shared.segments[lane] = own;
  __syncwarp();
  device::with_lanes(lanes, [&](auto l) { device::groups_to_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
  register_code<Key> codes[items];
#pragma unroll
  for (unsigned i = 0; i < items; ++i) codes[i] = shared.codes[lane * items + i];
  thread::sort_by_merges(codes);
  device::merge_in_groups(codes, lanes);
#pragma unroll
  for (unsigned i = 0; i < items; ++i) shared.codes[lane * items + i] = codes[i];
  __syncwarp();
  device::with_lanes(lanes, [&](auto l) { device::groups_from_stage<decltype(l)::value>(shared, data, codec); });
  __syncwarp();
}

/// Sorts all segments that are listed for groups; of the binned classes the overflowing ones alone.
template <class Key, class Data, class Codec>
__global__ void __launch_bounds__(group_threads, device::grouped_blocks(sizeof(Key)))
    grouped_segments_kernel(Data data, const __grid_constant__ group_lists groups, Codec codec) {
  await_predecessors();
  constexpr unsigned warps_per_block = group_threads / warp::threads;
  __shared__ group_stage<Key> stages[warps_per_block];
  const unsigned warp = threadIdx.x / warp::threads, lane = threadIdx.x % warp::threads;
  const std::size_t warps = std::size_t{gridDim.x} * warps_per_block;
  std::size_t work = std::size_t{blockIdx.x} * warps_per_block + warp, first = 0;
#pragma unroll 1
  for (unsigned c = 0; c < group_classes; ++c) {
    const unsigned lanes = 2u << c, at_once = warp::threads / lanes;
    const bool rest = c >= first_binned<Key>;
    const unsigned listed = rest ? groups.claims->overflowing[c - first_binned<Key>] : groups.claims->groups[c];
    const listed_segment* const list = rest ? groups.overflowing[c - first_binned<Key>] : groups.of[c];
    const std::size_t jobs = (listed + std::size_t{at_once} - 1) / at_once;
#pragma unroll 1
    for (; work < first + jobs; work += warps) {
      const std::size_t own = (work - first) * at_once + lane / lanes;
      device::sort_groups(stages[warp], data, own < listed ? list[own] : listed_segment{0, 0}, lanes, codec);
    }
    first += jobs;
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
