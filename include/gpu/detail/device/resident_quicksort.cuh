// Two-phase quicksort in one launch, for at most as many elements as the registers of all multiprocessors hold
// together. Keys are read once and stay in registers while the blocks agree on pivots and on offsets, so that phase one
// writes its partitions over the input and needs no second array; barriers over the whole grid take the place of
// launches. Only rows that are sorted as codes, whose destination may differ from their source, have partitions of
// codes in another array. After Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009
// (see quicksort.cuh); resident blocks that wait for each other: Xiao and Feng, "Inter-block GPU communication via fast
// barrier synchronization", 2010.
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

/// Whether elements may stay in registers: those that move as whole keys, or as codes joined from two columns, and are
/// small enough. Not bytes: if there are more of them than a cluster sorts they are counted, which takes less time.
template <class Key, class Value>
inline constexpr bool may_reside_v = !has_value_v<Value> && sizeof(Key) > 1 && sizeof(Key) <= 16;

/// Writes *front.rest, if there is one, behind the front of keys[0, n). Called by all threads; returns how many keys
/// are to be sorted.
template <class Key, class Codec>
__device__ unsigned begin_front(Key* keys, unsigned n, const front_keys<Key>& front, Codec codec) {
  const auto sorted = static_cast<unsigned>(*front.count);
  if (front.rest != nullptr) {
    const Key key = codec.decode(*front.rest);
    for (unsigned i = sorted + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) keys[i] = key;
  }
  return sorted;
}

template <class Key, class Value, class Less, class Codec, residents Count>
__global__ void __launch_bounds__(resident_shape<Key, Less, Count>::threads, resident_blocks_per_multiprocessor)
    resident_quicksort_kernel(columns<Key, Value> data, unsigned n, resident_scratch<Key> together, Less less,
                              Codec codec) {
  auto& shared = device::dynamic_shared<typename resident_shape<Key, Less, Count>::storage>();
  const auto barrier = [] { cooperative_groups::this_grid().sync(); };
  if constexpr (std::is_pointer_v<decltype(data.keys)>)
    if (together.front.count != nullptr) {
      n = device::begin_front(data.keys, n, together.front, codec);
      if (n < 2) return;
    }
  resident_block<Key, Value, Less, Codec, Count> own{shared, data, n, together, less, codec};
  own.begin();
  barrier();
  own.partition(barrier);
  barrier();
  own.sort_long_partitions(barrier);
  own.sort_partitions();
}

/// Upper bound on the bytes of scratch that resident_quicksort takes for n elements; 0 if it never sorts that many.
template <class Key, class Value>
[[nodiscard]] std::size_t resident_scratch_bytes(std::size_t n) {
  if (!may_reside_v<Key, Value> || n > resident_tiles_for(residents::many, sizeof(Key)).most_elements()) return 0;
  return device::scratch_bytes<resident_scratch<Key>>(std::is_same_v<Value, no_value> ? 0 : n);
}

/// Calls use(kernel, grid) with the smallest kernel that sorts n elements in one launch and holds them all at once, and
/// returns its result; returns false if the device cannot do so.
template <residents Count, class Key, class Value, class Less, class Codec, class Use>
bool with_residents(const context& context, std::size_t n, const Use& use) {
  using parts = resident_shape<Key, Less, Count>;
  constexpr auto tile = static_cast<std::size_t>(parts::threads * parts::items);
  static_assert(tile >= resident_share);
  constexpr std::size_t shared_bytes = sizeof(typename parts::storage);
  if (n > parts::tiles.most_elements()) return false;
  if (!context.device.cooperative || shared_bytes > context.device.shared_bytes_per_block) return false;
  const auto kernel = resident_quicksort_kernel<Key, Value, Less, Codec, Count>;
  const shape grid =
      device::persistent_shape(context, kernel, divide_up(n, resident_share), parts::threads, shared_bytes);
  return n <= grid.blocks * tile && use(kernel, grid);
}
template <class Key, class Value, class Less, class Codec, class Use>
bool with_residents(const context& context, std::size_t n, const Use& use) {
  if constexpr (are_codes_v<Key, Less>)
    if (device::with_residents<residents::few, Key, Value, Less, Codec>(context, n, use) ||
        device::with_residents<residents::some, Key, Value, Less, Codec>(context, n, use))
      return true;
  return device::with_residents<residents::many, Key, Value, Less, Codec>(context, n, use);
}

/// Whether resident_quicksort() sorts n elements, if nothing else runs on the device.
template <class Key, class Value, class Less, class Codec>
[[nodiscard]] bool resides(const context& context, std::size_t n) {
  return device::with_residents<Key, Value, Less, Codec>(context, n, [](auto, const shape&) { return true; });
}

/// Sorts data[0, n) in place by `less` on encoded keys, in one launch on the context's stream, if the device holds all
/// elements at once; else writes nothing and returns false. Not stable. Expects O(n log n) comparisons on any input; a
/// partition of m elements that no block can hold after several divisions costs all blocks together O(m log^2 m).
/// Throws no_device_memory before anything is written, gpu::error if the launch is refused. `front`: see front_keys.
template <class Key, class Value, class Less, class Codec>
  requires(!is_joined_v<Value>)
bool resident_quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec,
                        const front_keys<Key>& front = {}) {
  return device::with_residents<Key, Value, Less, Codec>(context, n, [&](auto kernel, const shape& grid) {
    const scratch<resident_scratch<Key>> memory{context, std::is_same_v<Value, erased> ? n : 0};
    resident_scratch<Key> together = *memory;
    together.front = front;
    return device::launch_cooperative(context, grid, kernel, data, static_cast<unsigned>(n), together, less, codec);
  });
}

/// The same for joined columns, which are erased first.
template <class Bits, class High, class Low, class Codec>
bool resident_quicksort(const context& context, const columns<Bits, joined<High, Low>>& data, std::size_t n,
                        code_less less, const Codec& codec) {
  return device::resident_quicksort(context, device::erase(data, codec), n, less, identity_codec{});
}

}  // namespace gpu::inline v1::detail::device
