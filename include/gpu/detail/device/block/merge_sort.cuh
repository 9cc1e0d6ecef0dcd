// Merge sort of a tile, stable if wanted, by one block: every thread sorts its own elements in registers, then runs of
// doubled length are merged in shared memory until one is left. Satish, Harris and Garland, "Designing efficient
// sorting algorithms for manycore GPUs", 2009; merges as in merge.cuh.
//
//   using tile_sort = block::merge_sort<Key, Value, 256, 9>;
//   __shared__ typename tile_sort::storage storage;
//   tile_sort{storage}.sort(source, target, n, less, encoder, decoder);
#pragma once

#include "../thread/sort.cuh"
#include "load_store.cuh"
#include "merge.cuh"

namespace gpu::inline v1::detail::device::block {

/// Threads: the block's size, a power of two of at least 32. An odd number of Items avoids bank conflicts. Value:
/// no_value for keys alone. Stable: false saves comparisons. All members are called by every thread of the block with
/// the same n <= tile; elements from n on are not compared and take no part. If `less` is no strict weak order, the
/// result may be unordered, but no element is lost. No synchronisation is needed between two calls on the same storage.
template <class Key, class Value, int Threads, int Items, bool Stable = true>
class merge_sort {
  static_assert(Threads >= warp::threads && (Threads & (Threads - 1)) == 0);

 public:
  static constexpr int tile = Threads * Items;
  using storage = merge_storage<Key, Value, Threads, Items>;

  __device__ explicit merge_sort(storage& shared) : shared_{shared} {}

  /// Sorts elements in registers: those of thread t are elements [t * Items, (t + 1) * Items) of the tile, before and
  /// after.
  template <class Less>
  __device__ void sort(Key (&keys)[Items], Value (&values)[Items], int n, Less less) {
    const int first = static_cast<int>(threadIdx.x) * Items;
    sort_own(keys, values, n - first, less);
#pragma unroll 1
    for (int threads = 2; threads <= Threads && (threads >> 1) * Items < n; threads *= 2) {
      block::registers_to_tile(keys, values, first, shared_);
      synchronize(threads);
      const int begin = (static_cast<int>(threadIdx.x) & -threads) * Items;
      const run_pair runs{begin, max(begin, min(begin + (threads >> 1) * Items, n)),
                          max(begin, min(begin + threads * Items, n))};
      block::merge(shared_, runs, threads, first, keys, values, less);
    }
    __syncthreads();
  }

  /// Sorts the elements in shared memory, storage.keys[0, n) and storage.values[0, n), written by any thread;
  /// synchronises before and after.
  template <class Less>
  __device__ void sort(int n, Less less) {
    Key keys[Items];
    Value values[Items];
    const int first = static_cast<int>(threadIdx.x) * Items;
    __syncthreads();
    block::tile_to_registers(shared_, first, keys, values);
    __syncthreads();
    sort(keys, values, n, less);
    block::registers_to_tile(keys, values, first, shared_);
    __syncthreads();
  }

  /// Sorts source[0, n) of global memory into target[0, n), which may be the same. Keys are encoded when loaded and
  /// decoded when stored.
  template <class Source, class Less, class Encoder, class Decoder>
  __device__ void sort(Source source, columns<Key, Value> target, int n, Less less, Encoder encoder, Decoder decoder) {
    block::load<Threads, Items>(source, n, shared_, encoder);
    sort_loaded(target, n, less, decoder);
  }

  /// Sorts the elements in shared memory into target[0, n).
  template <class Less, class Decoder>
  __device__ void sort_loaded(columns<Key, Value> target, int n, Less less, Decoder decoder) {
    sort(n, less);
    block::store<Threads, Items>(shared_, n, target, decoder);
    __syncthreads();
  }

 private:
  /// Sorts the calling thread's first `count` elements, if any. A warp in which some threads lack elements takes only
  /// one branch, not both in turn.
  template <class Less>
  __device__ __forceinline__ void sort_own(Key (&keys)[Items], Value (&values)[Items], int count, Less less) {
    if (__all_sync(warp::all_lanes, count >= Items)) {
      if constexpr (Stable)
        thread::sort_stably<false>(keys, values, Items, less);
      else
        thread::sort_unstably(keys, values, less);
    } else if (count > 0) {
      if constexpr (Stable)
        thread::sort_stably<true>(keys, values, min(count, Items), less);
      else
        thread::sort_unstably(keys, values, count, less);
    }
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
