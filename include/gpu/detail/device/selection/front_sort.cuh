// Sort of the first keys of some, only the device knows how many, in one launch: those that are less than the wanted
// one. What is equivalent to it needs no sort. The quicksort of resident_quicksort.cuh, of which no key is left to
// passes by digits.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "../columns.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../resident/block.cuh"
#include "../tuning/resident.hpp"
#include "../tuning/selection.hpp"

namespace gpu::inline v1::detail::device {

/// Keys of which the first *count are sorted, at most so many. What follows these becomes the key with the code *rest,
/// unless that is null.
template <class Key>
struct front_keys {
  Key* keys;
  std::size_t most;
  const unsigned long long* count;
  const Key* rest = nullptr;
};

template <class Key, residents Count>
__global__ void __launch_bounds__(resident_shape<Key, code_less, Count>::threads, resident_blocks_per_multiprocessor)
    front_sort_kernel(front_keys<Key> front, resident_scratch<Key> together, key_codec<Key> codec) {
  using parts = resident_shape<Key, code_less, Count>;
  auto& shared = device::dynamic_shared<typename parts::storage>();
  const auto barrier = [] { cooperative_groups::this_grid().sync(); };
  const auto n = static_cast<unsigned>(*front.count);
  if (front.rest != nullptr) {
    const Key key = codec.decode(*front.rest);
    constexpr unsigned threads = parts::threads;
    for (unsigned i = n + blockIdx.x * threads + threadIdx.x; i < front.most; i += gridDim.x * threads)
      front.keys[i] = key;
  }
  if (n < 2) return;
  resident_block<Key, no_value, code_less, key_codec<Key>, Count> own{
      shared, columns<Key, no_value>{front.keys, nullptr}, n, together, code_less{}, codec};
  own.begin();
  barrier();
  own.partition(barrier);
  barrier();
  own.sort_long_partitions(barrier);
  own.sort_partitions();
}

/// Calls use(kernel, shape) with what sorts so many keys in one launch, if the device can; says whether.
template <residents Count, class Key, class Use>
bool with_front_sort(const context& context, std::size_t most, const Use& use) {
  using parts = resident_shape<Key, code_less, Count>;
  constexpr std::size_t shared_bytes = sizeof(typename parts::storage);
  if (most > parts::tiles.most_elements()) return false;
  if (!context.device.cooperative || shared_bytes > context.device.shared_bytes_per_block) return false;
  const auto kernel = front_sort_kernel<Key, Count>;
  const shape grid =
      device::persistent_shape(context, kernel, divide_up(most, resident_share), parts::threads, shared_bytes);
  if (most > grid.blocks * parts::threads * parts::items) return false;
  return use(kernel, grid);
}
template <class Key, class Use>
bool with_front_sort(const context& context, std::size_t most, const Use& use) {
  return device::with_front_sort<residents::few, Key>(context, most, use) ||
         device::with_front_sort<residents::some, Key>(context, most, use) ||
         device::with_front_sort<residents::many, Key>(context, most, use);
}

/// Whether sort_front() sorts so many, if nothing else runs on the device.
template <class Key>
bool sorts_front(const context& context, std::size_t most) {
  return device::with_front_sort<Key>(context, most, [](auto, const shape&) { return true; });
}

/// Sorts the front in one launch, if the device can; says whether.
template <class Key>
bool sort_front(const context& context, const front_keys<Key>& front, const key_codec<Key>& codec) {
  return device::with_front_sort<Key>(context, front.most, [&](auto kernel, const shape& grid) {
    const scratch<resident_scratch<Key>> memory{context};
    return device::launch_cooperative(context, grid, kernel, front, *memory, codec);
  });
}

/// Makes keys[*count, most) the one with the code *rest.
template <class Key>
__global__ void __launch_bounds__(enumeration_threads) fill_rest_kernel(front_keys<Key> front, key_codec<Key> codec) {
  await_predecessors();
  const std::size_t i = blockIdx.x * std::size_t{enumeration_threads} + threadIdx.x;
  if (i >= *front.count && i < front.most) front.keys[i] = codec.decode(*front.rest);
}

}  // namespace gpu::inline v1::detail::device
