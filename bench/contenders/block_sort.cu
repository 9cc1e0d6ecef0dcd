// Sorts of one tile per block by its threads: gpu::block::sort, and CUB's.
#include <gpu/block.cuh>

#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#include "../contender.hpp"
#include "../cuda_check.hpp"
#include "../elements.hpp"

namespace bench {
namespace {

constexpr int threads = 256;

template <class Key, int Items>
struct ours {
  using storage = gpu::block::sort_storage<Key, threads, Items>;
  static __device__ void sort(storage& memory, Key (&keys)[Items]) { gpu::block::sort(memory, keys, less{}); }
};

template <class Key, int Items>
struct merging {
  using sorter = cub::BlockMergeSort<Key, threads, Items>;
  using storage = typename sorter::TempStorage;
  static __device__ void sort(storage& memory, Key (&keys)[Items]) { sorter{memory}.Sort(keys, less{}); }
};

template <class Key, int Items>
struct by_digits {
  using sorter = cub::BlockRadixSort<Key, threads, Items>;
  using storage = typename sorter::TempStorage;
  static __device__ void sort(storage& memory, Key (&keys)[Items]) { sorter{memory}.Sort(keys); }
};

/// Sorts whole tiles, loaded and stored through shared memory.
template <template <class, int> class Sorter, class Key, int Items>
__global__ void __launch_bounds__(threads) sort_tiles_kernel(Key* data) {
  using load = cub::BlockLoad<Key, threads, Items, cub::BLOCK_LOAD_TRANSPOSE>;
  using store = cub::BlockStore<Key, threads, Items, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename load::TempStorage load;
    typename store::TempStorage store;
    typename Sorter<Key, Items>::storage sort;
  } memory;
  Key* const tile = data + std::size_t{blockIdx.x} * (threads * Items);
  Key keys[Items];
  load{memory.load}.Load(tile, keys);
  __syncthreads();
  Sorter<Key, Items>::sort(memory.sort, keys);
  __syncthreads();
  store{memory.store}.Store(tile, keys);
}

/// A contender for inputs of whole tiles.
template <template <class, int> class Sorter, class Key, int Items>
preparation sort_tiles(std::size_t n) {
  return [n] {
    return prepared{[n](const arrays& on) {
      const auto tiles = static_cast<unsigned>(n / (threads * Items));
      sort_tiles_kernel<Sorter, Key, Items><<<tiles, threads>>>(static_cast<Key*>(on.keys));
      check(cudaGetLastError());
      return outcome{on.keys, nullptr};
    }};
  };
}

template <template <class, int> class Sorter, class Key>
preparation offer_items(const problem& asked) {
  switch (asked.ways / threads) {
    case 5:
      return sort_tiles<Sorter, Key, 5>(asked.n);
    case 9:
      return sort_tiles<Sorter, Key, 9>(asked.n);
    case 17:
      return sort_tiles<Sorter, Key, 17>(asked.n);
    default:
      return {};
  }
}

template <template <class, int> class Sorter>
preparation offer(const problem& asked) {
  if (asked.what != operation::block_sort || asked.n % asked.ways != 0) return {};
  if (asked.type == "u32") return offer_items<Sorter, std::uint32_t>(asked);
  if (asked.type == "u64") return offer_items<Sorter, std::uint64_t>(asked);
  return {};
}

const registered gpupar{"gpupar", true, [](const problem& asked) { return offer<ours>(asked); }};
const registered merge{"cub_block_merge", true, [](const problem& asked) { return offer<merging>(asked); }};
const registered radix{"cub_block_radix", true, [](const problem& asked) { return offer<by_digits>(asked); }};

}  // namespace
}  // namespace bench
