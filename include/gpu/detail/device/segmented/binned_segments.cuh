// Segments of some hundreds of codes that lie evenly: small blocks sort them by bins. Others are listed, for networks.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../block/thread_bins.cuh"
#include "../block/wide_bins.cuh"
#include "../launching/launch.cuh"
#include "lists.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// The longest segment of a binned class, counted from the first one; the threads of a block for it, and the elements
/// that each of them has.
template <class Key>
constexpr unsigned longest_binned(unsigned binned_class) {
  return longest_group<Key> >> (binned_classes<Key> - 1 - binned_class);
}
template <class Key>
constexpr int binned_threads(unsigned binned_class) {
  return longest_binned<Key>(binned_class) > 512 ? 64 : 32;
}
template <class Key, unsigned Class>
inline constexpr int binned_items = static_cast<int>(longest_binned<Key>(Class)) / binned_threads<Key>(Class);

template <class Key, unsigned Class>
using segment_bins =
    std::conditional_t<sizeof(Key) == 4, block::thread_bins<binned_threads<Key>(Class), binned_items<Key, Class>>,
                       block::wide_bins<Key, binned_threads<Key>(Class), binned_items<Key, Class>>>;

/// Sorts the listed segments of a class, and lists those that are too full.
template <class Key, unsigned Class, class Data, class Codec>
__global__ void __launch_bounds__(binned_threads<Key>(Class))
    binned_segments_kernel(Data data, const __grid_constant__ group_lists groups, Codec codec) {
  await_predecessors();
  using bins = segment_bins<Key, Class>;
  __shared__ typename bins::storage shared;
  const unsigned listed = groups.claims->groups[first_binned<Key> + Class];
  for (unsigned i = blockIdx.x; i < listed; i += gridDim.x) {
    const listed_segment own = groups.of[first_binned<Key> + Class][i];
    bins tile{shared};
    const Data target = data + own.begin();
    if (tile.sort(target, own.count(), bins::begin_for(target), codec, [] {}))
      tile.store(target, own.count(), codec);
    else if (threadIdx.x == 0)
      groups.overflowing[Class][atomicAdd(&groups.claims->overflowing[Class], 1u)] = own;
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
