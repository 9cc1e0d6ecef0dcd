// The bitonic network over the tiles of a cluster of blocks, for codes alone: steps across tiles send codes between
// blocks through distributed shared memory, in half the time that a separate launch takes.
#pragma once

#include "../block/bitonic_sort.cuh"
#include "../columns.cuh"
#include "../order.cuh"
#include "cluster.cuh"

namespace gpu::inline v1::detail::device::cluster {

/// Blocks: the cluster's size; Threads: per block; Items: codes per thread; all powers of two. All members are called
/// by all threads of the cluster: first either sort() or merge(), then store().
template <class Key, int Blocks, int Threads, int Items>
class bitonic_sort {
  using tile_sort = block::bitonic_sort<Key, no_value, code_less, Threads, Items>;

 public:
  static constexpr int tile = tile_sort::tile;  ///< codes of one block

  /// Codes from other blocks arrive in two buffers in turn. A block sends to the same buffer again only after a barrier
  /// at which all had read its contents: one barrier per step is enough.
  struct storage {
    typename tile_sort::storage own;
    Key sent[2][tile];
  };

  /// `n`: the number of codes of the calling block's tile, perhaps none; if a tile is not full, all later tiles are
  /// empty.
  __device__ bitonic_sort(storage& shared, int n) : shared_{shared}, tile_{shared.own, n, code_less{}} { arrive(); }

  /// Loads the tiles, this block's from `source`, and sorts them as one. Keys are encoded.
  template <class Codec>
  __device__ void sort(columns<Key, no_value> source, Codec codec) {
    tile_.sort(source, codec);
    wait();  // all blocks have started, so their shared memory can be accessed
#pragma unroll 1
    for (int run = 1; run < Blocks; run *= 2) {
      tile_.spread();
      exchange<true>(2 * run - 1);
      clean(run / 2);
      tile_.merge_spread();
    }
  }

  /// Loads tiles that together are bitonic and sorts them, by half-cleaners alone. If source is empty, its first
  /// element is read all the same.
  __device__ void merge(columns<Key, no_value> source) {
    tile_.load_spread(source);
    wait();
    clean(Blocks / 2);
    tile_.merge_spread();
  }

  /// Stores the block's tile. Keys are decoded.
  template <class Codec>
  __device__ void store(columns<Key, no_value> target, Codec codec) {
    tile_.store(target, codec);
  }

 private:
  /// Half-cleaners from a distance of `blocks` tiles down to neighbours.
  __device__ __forceinline__ void clean(int blocks) {
#pragma unroll 1
    for (; blocks > 0; blocks /= 2) exchange<false>(blocks);
  }

  /// Compares the spread tile with that of the block whose rank is ours exclusive-or `mask`, in reverse for a flip.
  template <bool Flip>
  __device__ __forceinline__ void exchange(int mask) {
    const int partner = rank() ^ mask;
    const bool low = rank() < partner;
    Key* const here = shared_.sent[turn_];
    Key* const there = cluster::of_block(partner, here);
    const auto position = tile_sort::spread_position();
    auto& keys = tile_.keys();
#pragma unroll
    for (int i = 0; i < Items; ++i) there[Flip ? tile - 1 - position(i) : position(i)] = keys[i];
    arrive();
    wait();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const Key other = here[position(i)];
      if ((other < keys[i]) == low) keys[i] = other;
    }
    turn_ ^= 1;
  }

  storage& shared_;
  tile_sort tile_;
  int turn_ = 0;
};

}  // namespace gpu::inline v1::detail::device::cluster
