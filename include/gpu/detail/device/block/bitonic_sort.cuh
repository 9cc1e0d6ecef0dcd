// The bitonic network over a tile by one block. Batcher, "Sorting networks and their applications", 1968; all
// comparators point the same way, as each merge begins with a flip (position p against p ^ (2 * run - 1)), followed by
// half-cleaners. Absent elements count as infinite and, as they come last, never move: no element stands in for them.
// The exception is codes without values, where the greatest code stands in for absent ones, in registers: equal codes
// are indistinguishable.
#pragma once

#include "../columns.cuh"
#include "../order.cuh"
#include "../thread/sort.cuh"
#include "../warp/shuffle.cuh"
#include "load_store.cuh"
#include "merge.cuh"

namespace gpu::inline v1::detail::device::block {

/// Threads: the block's size; Items: elements per thread; both are powers of two, Threads at least 32. All members are
/// called by all threads of the block. Thread t holds positions [t * Items, (t + 1) * Items) in registers:
/// short-distance steps of the network stay within a thread, longer ones within a warp (by shuffles), and the few
/// longest go through shared memory.
template <class Key, class Value, class Less, int Threads, int Items>
class bitonic_sort {
  static_assert(Threads >= warp::threads && (Threads & (Threads - 1)) == 0);
  static_assert(Items <= Threads && (Items & (Items - 1)) == 0);
  static constexpr bool codes_alone = thread::codes_alone_v<Value, Less>;

 public:
  static constexpr int tile = Threads * Items;
  /// Aligned for the widest accesses, and for the words in which threads exchange comparison results.
  struct alignas(16) alignas(tile_storage<Key, Value, tile>) storage : tile_storage<Key, Value, tile> {};

  /// `n`: the number of elements of the tile, at least one.
  __device__ bitonic_sort(storage& shared, int n, Less less)
      : shared_{shared}, n_{n}, first_{static_cast<int>(threadIdx.x) * Items}, less_{less} {}

  /// Loads a tile and sorts it; not stable. Keys are encoded. Synchronises.
  template <class Codec>
  __device__ void sort(columns<Key, Value> source, Codec codec) {
    block::load<Threads, Items>(source, n_, shared_, codec);
    sort();
  }

  /// Sorts the elements in the storage into registers. Synchronises before and after.
  __device__ void sort() {
    take_tile();
#pragma unroll
    for (int run = 1; run < Items; run *= 2) {
      flip_in_thread(run);
      clean_in_thread(run / 2, own_position());
    }
#pragma unroll 1
    for (int run = 1; run < Threads && run * Items < n_; run *= 2) {
      exchange<true>(2 * run - 1);
      clean(run / 2);
    }
  }

  /// Loads a bitonic tile and sorts it by half-cleaners alone. Synchronises.
  __device__ void merge(columns<Key, Value> source) {
    load_spread(source);
    merge_spread();
  }

  /// The position in the tile of the calling thread's i-th element while the tile is spread: neighbouring threads hold
  /// neighbouring elements.
  __device__ __forceinline__ static auto spread_position() {
    return [thread = static_cast<int>(threadIdx.x)](int i) { return i * Threads + thread; };
  }

  /// Loads, spread, a tile that is bitonic or becomes so. If it has no elements, source[0] is read all the same.
  __device__ __forceinline__ void load_spread(columns<Key, Value> source) {
    const auto position = spread_position();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const int present = max(min(position(i), n_ - 1), 0);
      keys_[i] = source.keys[present];
      values_[i] = source.value(static_cast<std::size_t>(present));
    }
    fill_up(position);
  }

  /// Spreads the sorted tile. Synchronises.
  __device__ __forceinline__ void spread() {
    block::registers_to_tile(keys_, values_, first_, shared_);
    __syncthreads();
    const auto position = spread_position();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      keys_[i] = shared_.keys[position(i)];
      if constexpr (has_value_v<Value>) values_[i] = shared_.values[position(i)];
    }
    __syncthreads();
  }

  /// Sorts a spread tile that is bitonic: half-cleaners of distances down to Threads compare elements of the same
  /// thread while the tile is spread; the others follow in the usual layout. Synchronises.
  __device__ __forceinline__ void merge_spread() {
    const auto position = spread_position();
    clean_in_thread(Items / 2, position);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      shared_.keys[position(i)] = keys_[i];
      if constexpr (has_value_v<Value>) shared_.values[position(i)] = values_[i];
    }
    take_tile();
    clean(Threads / Items / 2);
  }

  /// The calling thread's keys.
  __device__ __forceinline__ Key (&keys())[Items] { return keys_; }

  /// Stores the tile; keys are decoded. Synchronises.
  template <class Codec>
  __device__ void store(columns<Key, Value> target, Codec codec) {
    block::registers_to_tile(keys_, values_, first_, shared_);
    __syncthreads();
    block::store<Threads, Items>(shared_, n_, target, codec);
  }

 private:
  /// Reads the tile from shared memory into registers. Synchronises before and after.
  __device__ __forceinline__ void take_tile() {
    __syncthreads();
    block::tile_to_registers(shared_, first_, keys_, values_);
    fill_up(own_position());
    __syncthreads();
  }

  /// The position in the tile of the calling thread's i-th element.
  __device__ __forceinline__ auto own_position() const {
    return [first = first_](int i) { return first + i; };
  }

  /// Sets absent codes without values to the greatest code.
  template <class Position>
  __device__ __forceinline__ void fill_up(Position position) {
    if constexpr (codes_alone)
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (position(i) >= n_) keys_[i] = static_cast<Key>(~Key{0});
  }

  /// Half-cleaners from a distance of `threads` threads down to neighbours.
  __device__ __forceinline__ void clean(int threads) {
#pragma unroll 1
    for (; threads > 0; threads /= 2) exchange<false>(threads);
    clean_in_thread(Items / 2, own_position());
  }

  __device__ __forceinline__ void flip_in_thread(int run) {
#pragma unroll
    for (int i = 0; i < Items; ++i) order(i, i ^ (2 * run - 1), own_position());
  }

  /// Half-cleaners from `distance` registers down; `distance` and the loop are known at compile time.
  template <class Position>
  __device__ __forceinline__ void clean_in_thread(int distance, Position position) {
#pragma unroll
    for (int step = Items / 2; step > 0; step /= 2)
      if (step <= distance) {
#pragma unroll
        for (int i = 0; i < Items; ++i) order(i, i ^ step, position);
      }
  }

  template <class Position>
  __device__ __forceinline__ void order(int low, int high, Position position) {
    if (low < high && (codes_alone || position(high) < n_))
      thread::order_pair(keys_[low], values_[low], keys_[high], values_[high], less_);
  }

  /// Compares with the thread whose index is ours exclusive-or `mask`, element by element, in reverse for a flip.
  template <bool Flip>
  __device__ __forceinline__ void exchange(int mask) {
    Key other_keys[Items];
    Value other_values[Items];
    fetch<Flip>(mask, shared_.keys, keys_, other_keys);
    if constexpr (has_value_v<Value>) fetch<Flip>(mask, shared_.values, values_, other_values);
    const bool low = static_cast<int>(threadIdx.x) < (static_cast<int>(threadIdx.x) ^ mask);
    if constexpr (codes_alone) {
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if ((other_keys[i] < keys_[i]) == low) keys_[i] = other_keys[i];
    } else {
      bool exchanged[Items];
      compare<Flip>(mask, low, other_keys, exchanged);
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (exchanged[i]) {
          keys_[i] = other_keys[i];
          if constexpr (has_value_v<Value>) values_[i] = other_values[i];
        }
    }
  }

  /// Which elements change places with the partner's. Both threads make the same comparisons; for comparators that
  /// might answer them differently, the lower thread's results count.
  template <bool Flip>
  __device__ __forceinline__ void compare(int mask, bool low, const Key (&other_keys)[Items],
                                          bool (&exchanged)[Items]) {
    const int partner = static_cast<int>(threadIdx.x) ^ mask;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const int high_position = low ? partner * Items + (Flip ? Items - 1 - i : i) : first_ + i;
      exchanged[i] = (high_position < n_) & less_(low ? other_keys[i] : keys_[i], low ? keys_[i] : other_keys[i]);
    }
    if constexpr (!strict_weak_order_v<Less>) agree<Flip>(mask, low, exchanged);
  }

  /// Gives both partners the comparison results of the lower one.
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
  Less less_;
  Key keys_[Items];
  Value values_[Items];
};

}  // namespace gpu::inline v1::detail::device::block
