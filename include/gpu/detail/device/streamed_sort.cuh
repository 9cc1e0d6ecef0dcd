// Bucket sort in one launch, for more elements than the registers of all multiprocessors hold, but no more than the L2
// cache holds: resident blocks, which wait for each other, read the elements twice, to count them and to move them to
// partitions in another array; then each partition is sorted back by a block. For keys that lie evenly or along a
// curve; if the sample or the counts show that they do not, they are left to passes by digits. A variant of
// resident_quicksort.cuh.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "resident/streamed_block.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

template <class Key, class Codec>
__global__ void __launch_bounds__(resident_shape<Key, code_less, residents::streamed>::threads,
                                  resident_blocks_per_multiprocessor)
    streamed_sort_kernel(Key* keys, unsigned n, resident_scratch<Key> together, Codec codec) {
  auto& shared = device::dynamic_shared<typename resident_shape<Key, code_less, residents::streamed>::storage>();
  const auto barrier = [] { cooperative_groups::this_grid().sync(); };
  streamed_block<Key, Codec> own{shared, {keys, nullptr}, n, together, code_less{}, codec};
  own.begin();
  barrier();
  if (!own.partition(barrier)) return;
  barrier();
  own.sort_partitions();
}

/// Sorts keys[0, n) by codes in one launch, with partitions in `elsewhere`, if the device can; else writes nothing and
/// returns false. n: see worth_streaming(). Skewed keys are left as they are, which `if_skewed` reports. On the
/// context's stream, without waiting. Throws no_device_memory before anything is written, gpu::error if the launch is
/// refused.
template <class Key, class Codec>
bool streamed_sort(const context& context, Key* keys, Key* elsewhere, std::size_t n, Codec codec,
                   const fallback& if_skewed) {
  using parts = resident_shape<Key, code_less, residents::streamed>;
  constexpr std::size_t shared_bytes = sizeof(typename parts::storage);
  if (!context.device.cooperative || shared_bytes > context.device.shared_bytes_per_block) return false;
  const auto kernel = streamed_sort_kernel<Key, Codec>;
  const shape grid =
      device::persistent_shape(context, kernel, divide_up(n, resident_share), parts::threads, shared_bytes);
  const scratch<resident_scratch<Key>> memory{context, std::size_t{0}};
  resident_scratch<Key> together = *memory;
  together.if_skewed = if_skewed;
  together.destination = elsewhere;
  return device::launch_cooperative(context, grid, kernel, keys, static_cast<unsigned>(n), together, codec);
}

}  // namespace gpu::inline v1::detail::device
