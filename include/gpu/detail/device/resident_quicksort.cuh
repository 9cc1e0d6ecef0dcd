// Two-phase quicksort in one launch, for as many elements as the registers of all multiprocessors hold together. Keys
// are read once and stay in registers while the blocks agree on pivots and on places, so that phase one writes its
// partitions over the input and needs no second array; barriers over the whole grid take the place of launches. Only
// rows that are sorted as codes, which may go elsewhere than they come from, have partitions apart, of codes. After
// Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009 (see quicksort.cuh); blocks that
// stay and wait for each other: Xiao and Feng, "Inter-block GPU communication via fast barrier synchronization", 2010.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "columns.cuh"
#include "erased_rows.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "resident/block.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// Elements that move as whole keys, or as codes joined of two columns, and fit registers.
template <class Key, class Value>
inline constexpr bool may_reside_v = !has_value_v<Value> && sizeof(Key) <= 16;

template <class Key, class Value, class Less, class Codec, residents Count>
__global__ void __launch_bounds__(resident_shape<Key, Less, Count>::threads, resident_blocks_per_multiprocessor)
    resident_quicksort_kernel(columns<Key, Value> data, unsigned n, resident_scratch<Key> together, Less less,
                              Codec codec) {
  auto& shared = device::dynamic_shared<typename resident_shape<Key, Less, Count>::storage>();
  const auto barrier = [] { cooperative_groups::this_grid().sync(); };
  resident_block<Key, Value, Less, Codec, Count> own{shared, data, n, together, less, codec};
  own.begin();
  barrier();
  if (!own.partition(barrier)) return;
  barrier();
  own.sort_long_partitions(barrier);
  own.sort_partitions();
}

/// Bytes of scratch that resident_quicksort takes, at most; none if it does not sort so many.
template <class Key, class Value>
[[nodiscard]] std::size_t resident_scratch_bytes(std::size_t n) {
  if (!may_reside_v<Key, Value> || n > resident_tiles_for(residents::many, sizeof(Key)).most_elements()) return 0;
  return device::scratch_bytes<resident_scratch<Key>>(std::is_same_v<Value, no_value> ? 0 : n);
}

/// Sorts data[0, n) in one launch if the device holds so many elements at once; says whether.
template <residents Count, class Key, class Value, class Less, class Codec>
bool sort_if_resident(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec,
                      const fallback& if_skewed) {
  using parts = resident_shape<Key, Less, Count>;
  constexpr auto tile = static_cast<std::size_t>(parts::threads * parts::items);
  static_assert(tile >= resident_share);
  constexpr std::size_t shared_bytes = sizeof(typename parts::storage);
  if (n > parts::tiles.most_elements()) return false;
  if (!context.device.cooperative || shared_bytes > context.device.shared_bytes_per_block) return false;
  const auto kernel = resident_quicksort_kernel<Key, Value, Less, Codec, Count>;
  const shape grid =
      device::persistent_shape(context, kernel, divide_up(n, resident_share), parts::threads, shared_bytes);
  if (n > grid.blocks * tile) return false;
  const scratch<resident_scratch<Key>> memory{context, std::is_same_v<Value, erased> ? n : 0};
  resident_scratch<Key> together = *memory;
  together.if_skewed = if_skewed;
  return device::launch_cooperative(context, grid, kernel, data, static_cast<unsigned>(n), together, less, codec);
}

/// Sorts data[0, n) in place by `less` on encoded keys, in one launch on the context's stream, if the device holds so
/// many elements at once; else nothing is written, and false returned. Not stable. O(n log n) comparisons are expected
/// on any input; a partition that no block can hold after several divisions costs all of them O(m log^2 m). Throws
/// no_device_memory before anything is written, gpu::error if the launch is refused. See fallback.
template <class Key, class Value, class Less, class Codec>
  requires(!is_joined_v<Value>)
bool resident_quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec,
                        const fallback& if_skewed = {}) {
  if constexpr (are_codes_v<Key, Less>)
    if (device::sort_if_resident<residents::few>(context, data, n, less, codec, if_skewed) ||
        device::sort_if_resident<residents::some>(context, data, n, less, codec, if_skewed))
      return true;
  return device::sort_if_resident<residents::many>(context, data, n, less, codec, if_skewed);
}

/// The same for columns that are joined.
template <class Bits, class High, class Low, class Codec>
bool resident_quicksort(const context& context, const columns<Bits, joined<High, Low>>& data, std::size_t n,
                        code_less less, const Codec& codec, const fallback& if_skewed = {}) {
  return device::resident_quicksort(context, device::erase(data, codec), n, less, identity_codec{}, if_skewed);
}

}  // namespace gpu::inline v1::detail::device
