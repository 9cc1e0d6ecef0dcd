// Segments of hundreds or thousands of evenly distributed codes: a block sorts each by bins. Others are handed on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../block/thread_bins.cuh"
#include "../block/wide_bins.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/codes.cuh"
#include "../tuning/local_sorts.hpp"
#include "lists.cuh"

namespace gpu::inline v1::detail::device {

/// A block's memory for sorting the segments of a class: with as many elements per thread as the longest of them take
/// or, for segments of up to three quarters of that, with fewer.
template <class Key, unsigned Class>
union segment_bins {
  static constexpr unsigned tile = longest_of_class<Key>(Class);
  static constexpr int threads = tile <= 512 ? 32 : static_cast<int>(tile) / 16;
  static constexpr int items = static_cast<int>(tile) / threads;
  template <int Items>
  using sort =
      std::conditional_t<sizeof(Key) == 4, block::thread_bins<threads, Items>, block::wide_bins<Key, threads, Items>>;
  using longest = sort<items>;
  using shorter = sort<items - items / 4>;

  typename longest::storage of_longest;
  typename shorter::storage of_shorter;

  /// Blocks per multiprocessor that registers allow, for blocks of several warps.
  static constexpr int blocks() {
    return threads <= 64 ? 1 : std::max(even_bin_blocks(sizeof(Key)) * bin_tile(sizeof(Key)).threads / threads, 1);
  }
};

/// Brings a segment that the block sorts soon into the L2 cache.
template <class Key, int Threads, class Data>
__device__ __forceinline__ void fetch_segment(Data data, const listed_segment& next) {
  if constexpr (std::is_pointer_v<Data>) {
    constexpr unsigned line = 128 / sizeof(Key);
    for (unsigned i = threadIdx.x * line; i < next.count(); i += Threads * line)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(data + next.begin() + i));
  }
}

/// Encodes the keys in data[0, n) in place. Called by every thread.
template <class Key, int Threads, class Data, class Codec>
__device__ __forceinline__ void encode_segment(Data data, unsigned n, Codec codec) {
  if (device::changes_nothing(codec)) return;
  for (unsigned i = threadIdx.x; i < n; i += Threads) data[i] = codec.encode(static_cast<Key>(data[i]));
}

/// Sorts the listed segments of a class, and hands on those whose bins are too full. Blocks take segments at a fixed
/// stride or, in the classes of long ones, as they become idle.
template <class Key, unsigned Class, class Data, class Codec>
__global__ void __launch_bounds__(segment_bins<Key, Class>::threads,
                                  blocks_allowed(segment_bins<Key, Class>::blocks(), segment_bins<Key, Class>::threads))
    binned_segments_kernel(Data data, const __grid_constant__ group_lists groups,
                           const __grid_constant__ long_lists others, Codec codec) {
  await_predecessors();
  using bins = segment_bins<Key, Class>;
  constexpr bool in_turn = Class < group_classes;
  auto& shared = device::dynamic_shared<bins>();
  __shared__ unsigned taken;  // the one after the next
  const unsigned listed = groups.listed(2 * Class);
  for (unsigned i = blockIdx.x, next = i + gridDim.x; i < listed; i = next, next = in_turn ? i + gridDim.x : taken) {
    const listed_segment own = groups.of[Class][i];
    const Data target = data + own.begin();
    const auto take = [&] {
      if (!in_turn && threadIdx.x == 0) taken = 2 * gridDim.x + atomicAdd(&groups.claims->taken[Class], 1u);
      if (bins::threads > 512 && next < listed)  // no other block of the multiprocessor is at work meanwhile
        device::fetch_segment<Key, bins::threads>(data, groups.of[Class][next]);
    };
    const auto sort = [&]<class Sort>(Sort tile) {
      if (!tile.sort(target, own.count(), Sort::begin_for(target), codec, take)) return false;
      tile.store(target, own.count(), codec);
      return true;
    };
    const bool sorted = own.count() <= bins::shorter::tile ? sort(typename bins::shorter{shared.of_shorter})
                                                           : sort(typename bins::longest{shared.of_longest});
    if (sorted) continue;
    if constexpr (Class < group_classes) {
      constexpr unsigned c = Class - first_binned<Key>;
      if (threadIdx.x == 0) groups.overflowing[c][atomicAdd(&groups.claims->overflowing[c], 1u)] = own;
    } else {
      if (others.coded && own.count() <= others.longest_base_case)
        device::encode_segment<Key, bins::threads>(target, own.count(), codec);
      if (threadIdx.x == 0) device::hand_on(others, own.begin(), own.count());
    }
  }
}

}  // namespace gpu::inline v1::detail::device
