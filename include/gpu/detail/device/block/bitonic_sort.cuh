// The bitonic network over a tile by one block. Batcher, "Sorting networks and their applications", 1968; all exchanges
// go one way, as each merge begins with a flip (position p against p ^ (2 * run - 1)) and half-cleaners follow. Absent
// elements count as infinite and, as they come last, never move: no element stands in for them.
#pragma once

#include "../columns.cuh"
#include "../order.cuh"
#include "../thread/sort.cuh"
#include "../warp/shuffle.cuh"
#include "load_store.cuh"
#include "merge.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Threads: the block's size; Items: elements per thread; powers of two, Threads from 32 on. All members are called by
/// all threads of the block. Thread t holds positions [t * Items, (t + 1) * Items) in registers: near steps of the
/// network stay within a thread, farther ones within a warp (by shuffles), the few farthest go through shared memory.
template <class Key, class Value, int Threads, int Items>
class bitonic_sort {
  static_assert(Threads >= warp::threads && (Threads & (Threads - 1)) == 0 && (Items & (Items - 1)) == 0);

 public:
  static constexpr int tile = Threads * Items;
  /// Aligned for words, too, in which threads answer each other.
  struct alignas(unsigned) alignas(tile_storage<Key, Value, tile>) storage : tile_storage<Key, Value, tile> {};

  /// `n` elements of the tile exist.
  __device__ bitonic_sort(storage& shared, int n)
      : shared_{shared}, n_{n}, first_{static_cast<int>(threadIdx.x) * Items} {}

  /// Keys are encoded. Synchronises.
  template <class Codec>
  __device__ void load(columns<Key, Value> source, Codec codec) {
    block::load<Threads, Items>(source, n_, shared_, codec);
    __syncthreads();
    tile_to_registers(shared_, first_, keys_, values_);
    __syncthreads();
  }

  /// Keys are decoded. Synchronises.
  template <class Codec>
  __device__ void store(columns<Key, Value> target, Codec codec) {
    registers_to_tile(keys_, values_, first_, shared_);
    __syncthreads();
    block::store<Threads, Items>(shared_, n_, target, codec);
  }

  /// Sorts the tile; not stable.
  template <class Less>
  __device__ void sort(Less less) {
#pragma unroll
    for (int run = 1; run < Items; run *= 2) {
      flip_in_thread(run, less);
      clean_in_thread(run / 2, less);
    }
#pragma unroll 1
    for (int run = 1; run < Threads && run * Items < n_; run *= 2) {
      exchange<true>(2 * run - 1, less);
      clean(run / 2, less);
    }
  }

  /// Sorts a tile that is bitonic, by half-cleaners alone.
  template <class Less>
  __device__ void merge(Less less) {
    clean(Threads / 2, less);
  }

 private:
  /// Half-cleaners from a distance of `threads` threads down to neighbours.
  template <class Less>
  __device__ __forceinline__ void clean(int threads, Less less) {
#pragma unroll 1
    for (; threads > 0; threads /= 2) exchange<false>(threads, less);
    clean_in_thread(Items / 2, less);
  }

  template <class Less>
  __device__ __forceinline__ void flip_in_thread(int run, Less less) {
#pragma unroll
    for (int i = 0; i < Items; ++i) order(i, i ^ (2 * run - 1), less);
  }

  /// Half-cleaners from `distance` down; both it and the loop are known when compiling.
  template <class Less>
  __device__ __forceinline__ void clean_in_thread(int distance, Less less) {
#pragma unroll
    for (int step = Items / 2; step > 0; step /= 2)
      if (step <= distance) {
#pragma unroll
        for (int i = 0; i < Items; ++i) order(i, i ^ step, less);
      }
  }

  template <class Less>
  __device__ __forceinline__ void order(int low, int high, Less less) {
    if (low < high && first_ + high < n_)
      thread::order_pair(keys_[low], values_[low], keys_[high], values_[high], less);
  }

  /// Compares with the thread whose index is ours exclusive-or `mask`, element by element, in reverse for a flip.
  /// Both threads ask the same questions; of comparators that might answer them differently the lower one's count.
  template <bool Flip, class Less>
  __device__ __forceinline__ void exchange(int mask, Less less) {
    Key other_keys[Items];
    Value other_values[Items];
    fetch<Flip>(mask, shared_.keys, keys_, other_keys);
    if constexpr (has_value_v<Value>) fetch<Flip>(mask, shared_.values, values_, other_values);
    const int partner = static_cast<int>(threadIdx.x) ^ mask;
    const bool low = static_cast<int>(threadIdx.x) < partner;
    bool exchanged[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const int high_position = low ? partner * Items + (Flip ? Items - 1 - i : i) : first_ + i;
      exchanged[i] = high_position < n_ && less(low ? other_keys[i] : keys_[i], low ? keys_[i] : other_keys[i]);
    }
    if constexpr (!strict_weak_order_v<Less>) agree<Flip>(mask, low, exchanged);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (exchanged[i]) {
        keys_[i] = other_keys[i];
        if constexpr (has_value_v<Value>) values_[i] = other_values[i];
      }
  }

  /// Gives both partners the answers of the lower one.
  template <bool Flip>
  __device__ __forceinline__ void agree(int mask, bool low, bool (&exchanged)[Items]) {
    static_assert(Items <= 32 && sizeof(shared_.keys) >= Threads * sizeof(unsigned));
    unsigned own[1] = {0}, other[1];
#pragma unroll
    for (int i = 0; i < Items; ++i) own[0] |= exchanged[i] ? 1u << i : 0u;
    fetch<false>(mask, reinterpret_cast<unsigned*>(shared_.keys), own, other);
    const unsigned answers = low ? own[0] : Flip ? __brev(other[0]) >> (32 - Items) : other[0];
#pragma unroll
    for (int i = 0; i < Items; ++i) exchanged[i] = (answers >> i & 1u) != 0;
  }

  template <bool Flip, int Count, class T>
  __device__ __forceinline__ void fetch(int mask, T* shared, const T (&own)[Count], T (&other)[Count]) {
    if (sizeof(T) <= warp::shuffle_bytes && mask < warp::threads) {
#pragma unroll
      for (int i = 0; i < Count; ++i) other[i] = warp::shuffle_xor(own[Flip ? Count - 1 - i : i], mask);
      return;
    }
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < Count; ++i) shared[i * Threads + thread] = own[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) other[i] = shared[(Flip ? Count - 1 - i : i) * Threads + (thread ^ mask)];
    __syncthreads();
  }

  storage& shared_;
  int n_;
  int first_;
  Key keys_[Items];
  Value values_[Items];
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
