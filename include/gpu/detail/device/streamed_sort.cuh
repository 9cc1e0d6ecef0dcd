// Bucket sort in one launch, for more elements than the registers of all multiprocessors hold, but not more than the L2
// cache: blocks that stay and wait for each other read them twice, to count and to move them to partitions elsewhere,
// each of which a block sorts back. For keys that lie evenly or along a curve; what else a sample or the counts find is
// left to passes by digits. See resident_quicksort.cuh, of which it is a variant.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "columns.cuh"
#include "erased_rows.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "resident/streamed_block.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

template <class Key, class Value, class Codec>
__global__ void __launch_bounds__(resident_shape<Key, code_less, residents::streamed>::threads,
                                  resident_blocks_per_multiprocessor)
    streamed_sort_kernel(columns<Key, Value> data, unsigned n, resident_scratch<Key> together, Codec codec) {
  auto& shared = device::dynamic_shared<typename resident_shape<Key, code_less, residents::streamed>::storage>();
  const auto barrier = [] { cooperative_groups::this_grid().sync(); };
  streamed_block<Key, Value, Codec> own{shared, data, n, together, code_less{}, codec};
  own.begin();
  barrier();
  if (!own.partition(barrier)) return;
  barrier();
  own.sort_partitions();
}

/// Sorts data[0, n), as many as are worth it, by codes in one launch, with partitions in `elsewhere`, if the device
/// can; else nothing is written, and false returned. Keys that are skewed are left as they are, which `if_skewed`
/// tells. On the context's stream, without waiting. Throws no_device_memory before anything is written, gpu::error if
/// the launch is refused.
template <class Key, class Value, class Codec>
  requires(!is_joined_v<Value>)
bool streamed_sort(const context& context, columns<Key, Value> data, Key* elsewhere, std::size_t n, Codec codec,
                   const fallback& if_skewed) {
  using parts = resident_shape<Key, code_less, residents::streamed>;
  constexpr std::size_t shared_bytes = sizeof(typename parts::storage);
  if (!context.device.cooperative || shared_bytes > context.device.shared_bytes_per_block) return false;
  const auto kernel = streamed_sort_kernel<Key, Value, Codec>;
  const shape grid =
      device::persistent_shape(context, kernel, divide_up(n, resident_share), parts::threads, shared_bytes);
  const scratch<resident_scratch<Key>> memory{context, std::size_t{0}};
  resident_scratch<Key> together = *memory;
  together.if_skewed = if_skewed;
  together.destination = elsewhere;
  return device::launch_cooperative(context, grid, kernel, data, static_cast<unsigned>(n), together, codec);
}

/// Streamed sort of columns that are joined, which are erased first.
template <class Bits, class High, class Low, class Codec>
bool streamed_sort(const context& context, const columns<Bits, joined<High, Low>>& data, Bits* elsewhere, std::size_t n,
                   const Codec& codec, const fallback& if_skewed) {
  return device::streamed_sort(context, device::erase(data, codec), elsewhere, n, identity_codec{}, if_skewed);
}

}  // namespace gpu::inline v1::detail::device
