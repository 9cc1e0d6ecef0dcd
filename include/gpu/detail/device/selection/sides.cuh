// In-place partition of dense keys around a rank, in one pass, once it is known how many go left. A block takes tiles
// from both sides of the border, holds their keys in shared memory, smaller keys at one end and greater ones at the
// other, and fills a tile as soon as it holds enough keys of that side: what it holds fits exactly into the tiles that
// it has taken and not yet filled. Blocks of two sides that neutralise each other: Tsigas and Zhang, "A simple, fast
// parallel implementation of quicksort", 2003.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../launching/launch.cuh"
#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "sampling.cuh"
#include "side_test.cuh"

namespace gpu::inline v1::detail::device {

/// Elements [begin, end) on one side of the border, of which blocks partition the first `tiles` tiles.
struct side {
  std::size_t begin, end;
  std::size_t tiles = 0;
};

/// A tile that was left with keys of both sides, those that go left first.
struct mixed_tile {
  std::size_t begin;
  unsigned smaller;
  bool on_left;
};

/// What the blocks of a partition share. Begins as zeros.
struct side_state {
  unsigned long long claimed[2];  ///< tiles on the left and on the right, or more than there are
  unsigned long long strays[2];
  unsigned mixed;
};

/// One tile's keys in registers, and which of them go left.
template <class Key>
struct sided_tile {
  static constexpr int items = side_items<Key>;
  Key keys[items];
  unsigned left[items];  ///< masks of the warp's lanes
  unsigned left_of_warp = 0;

  /// from[0, count)
  __device__ void load(const Key* from, unsigned count) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (!holds(i, count)) continue;
      if constexpr (std::is_integral_v<Key> && sizeof(Key) <= 8)
        keys[i] = __ldcs(from + slot(i));
      else
        keys[i] = from[slot(i)];
    }
  }
  /// Tests the keys, which were at index `at`.
  template <class Test>
  __device__ void look(std::size_t at, unsigned count, const Test& test) {
    unsigned own = 0;
    test.with_sides(at, count, [&](const auto& goes_left) {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const bool goes = holds(i, count) && goes_left(keys[i], slot(i));
        left[i] = __ballot_sync(warp::all_lanes, goes);
        own += goes;
      }
    });
    left_of_warp = warp::sum(own);
  }
  /// Calls put(key, goes_left, lefts, number) for each key: it is number `number` of its warp's keys, and `lefts` of
  /// those before it go left.
  template <class Put>
  __device__ void number(const Put& put) const {
    const unsigned lane = threadIdx.x % warp::threads;
    unsigned lefts = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned before = left[i] & ((1u << lane) - 1);
      put(keys[i], (left[i] >> lane & 1) != 0, lefts + static_cast<unsigned>(__popc(before)),
          static_cast<unsigned>(i) * warp::threads + lane);
      lefts += static_cast<unsigned>(__popc(left[i]));
    }
  }

 private:
  __device__ static unsigned slot(int i) { return static_cast<unsigned>(i) * siding_threads + threadIdx.x; }
  __device__ static bool holds(int i, unsigned count) { return count == side_tile<Key> || slot(i) < count; }
};

/// How many keys go left, of all warps and of those before the calling one.
struct left_counts {
  unsigned all = 0;
  unsigned before = 0;
};

template <class Key>
struct siding_storage {
  static constexpr unsigned warps = siding_threads / warp::threads;
  alignas(16) unsigned char keys[2 * side_tile<Key> * sizeof(Key)];
  unsigned left_of_warps[warps];
  unsigned long long claimed;

  /// Adds up what every warp has counted. Synchronises.
  __device__ left_counts add_up(unsigned left_of_warp) {
    const unsigned own = threadIdx.x / warp::threads;
    if (threadIdx.x % warp::threads == 0) left_of_warps[own] = left_of_warp;
    __syncthreads();
    left_counts sums;
#pragma unroll
    for (unsigned w = 0; w < warps; ++w) {
      if (w == own) sums.before = sums.all;
      sums.all += left_of_warps[w];
    }
    return sums;
  }
};

/// A block's part in the partition.
template <class Key>
class siding_block {
  static constexpr unsigned tile = side_tile<Key>, warps = siding_threads / warp::threads;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

 public:
  __device__ siding_block(siding_storage<Key>& shared, Key* keys, const side& left, const side& right,
                          side_state& state)
      : shared_{shared}, keys_{keys}, left_{left}, right_{right}, state_{state} {}

  template <class Test>
  __device__ void run(const Test& test, mixed_tile* mixed) {
    if (threadIdx.x == 0) shared_.claimed = claim(true);
    __syncthreads();
    bool on_left = true;  // whether the tile being read is
    std::size_t at = next(on_left);
    sided_tile<Key> read;
    if (at != none) read.load(keys_ + at, tile);
    while (at != none) {
      read.look(at, tile, test);
      const left_counts smaller = shared_.add_up(read.left_of_warp);
      const bool moves = smaller.all != (on_left ? tile : 0);  // else it stays as it is
      if (moves) {
        (on_left ? left_hole_ : right_hole_) = at;
        smaller_ += smaller.all;
        greater_ += tile - smaller.all;
      }
      const bool fills_left = left_hole_ != none && smaller_ >= tile;
      const bool fills_right = right_hole_ != none && greater_ >= tile;
      on_left = left_hole_ == none || fills_left;
      unsigned long long claimed = 0;  // in flight while keys are written to shared memory
      if (threadIdx.x == 0) claimed = claim(on_left);
      if (moves) write(read, smaller);
      if (threadIdx.x == 0) shared_.claimed = claimed;
      __syncthreads();
      at = next(on_left);
      if (at != none) read.load(keys_ + at, tile);  // in flight while others are written
      if (fills_left) {
        fill(left_hole_, smaller_ - tile);
        smaller_ -= tile;
      }
      if (fills_right) {
        fill(right_hole_, 2 * tile - greater_);
        greater_ -= tile;
      }
    }
    leave(mixed);
  }

 private:
  __device__ Key* stack() { return reinterpret_cast<Key*>(shared_.keys); }
  __device__ unsigned long long claim(bool on_left) { return atomicAdd(&state_.claimed[on_left ? 0 : 1], 1ull); }
  /// Where the claimed tile begins, or none.
  __device__ std::size_t next(bool on_left) const {
    const std::size_t tiles = on_left ? left_.tiles : right_.tiles, begin = on_left ? left_.begin : right_.begin;
    return shared_.claimed < tiles ? begin + shared_.claimed * tile : none;
  }
  /// Writes a tile's keys, which are counted already, to the stack.
  __device__ void write(const sided_tile<Key>& read, const left_counts& smaller) {
    const unsigned greater_before = threadIdx.x / warp::threads * (tile / warps) - smaller.before;
    const unsigned to_left = smaller_ - smaller.all + smaller.before;
    const unsigned to_right = 2 * tile - 1 - (greater_ - (tile - smaller.all)) - greater_before;
    read.number([&](const Key& key, bool goes_left, unsigned lefts, unsigned number) {
      stack()[lefts + (goes_left ? to_left : to_right - number)] = key;
    });
  }
  /// Fills the tile at `hole` with the keys on the stack from `first` on: the last ones of its side.
  __device__ void fill(std::size_t& hole, unsigned first) {
    const Key* const from = stack() + first;
    Key* const to = keys_ + hole;
#pragma unroll
    for (int i = 0; i < side_items<Key>; ++i) {
      const unsigned own = static_cast<unsigned>(i) * siding_threads + threadIdx.x;
      to[own] = from[own];
    }
    hole = none;
  }
  /// Writes the keys that are still held to the tile that is to be filled, and records it as mixed.
  __device__ void leave(mixed_tile* mixed) {
    const bool on_left = left_hole_ != none;
    const std::size_t at = on_left ? left_hole_ : right_hole_;
    if (at == none) return;
    for (unsigned i = threadIdx.x; i < tile; i += siding_threads)
      keys_[at + i] = i < smaller_ ? stack()[i] : stack()[tile + i];
    if (threadIdx.x == 0) mixed[atomicAdd(&state_.mixed, 1u)] = {at, smaller_, on_left};
  }

  siding_storage<Key>& shared_;
  Key* keys_;
  const side& left_;
  const side& right_;
  side_state& state_;
  std::size_t left_hole_ = none, right_hole_ = none;  ///< beginnings of the tiles to be filled, or none
  unsigned smaller_ = 0, greater_ = 0;                ///< keys that are held
};

template <class Source, class Key, class Rank>
__global__ void __launch_bounds__(siding_threads, siding_blocks_per_multiprocessor)
    siding_kernel(Source source, Key* keys, side left, side right, std::size_t pinned, const Rank* threshold,
                  side_state* state, mixed_tile* mixed) {
  await_predecessors();
  __shared__ siding_storage<Key> shared;
  source_part part{0, 0};
  if (pinned != none_pinned) part.exchanged_a = pinned, part.exchanged_b = rank_parts<Rank>::index(*threshold);
  siding_block<Key>{shared, keys, left, right, *state}.run(side_test<Source, Rank>{source, {part, *threshold}}, mixed);
}

/// The greatest rank that is less than all ranks with this one's code, which is not zero.
template <class Rank>
__device__ Rank rank_before_code(const Rank& rank) {
  using parts = rank_parts<Rank>;
  return parts::make(parts::code_of(rank) - 1, static_cast<typename parts::index_type>(-1));
}

/// Copies the keys that are less than the threshold's, in any order. `written` begins as zero.
template <class Bits, class Rank>
__global__ void __launch_bounds__(siding_threads, siding_blocks_per_multiprocessor)
    compacting_kernel(key_source<Bits, Rank> source, const Bits* keys, std::size_t n, const Rank* threshold, Bits* to,
                      unsigned long long* written) {
  await_predecessors();
  constexpr unsigned tile = side_tile<Bits>;
  __shared__ siding_storage<Bits> shared;
  if (rank_parts<Rank>::code_of(*threshold) == 0) return;
  const source_part part{0, 0};
  const side_test<key_source<Bits, Rank>, Rank> test{source, {part, rank_before_code(*threshold)}};
  Bits* const stack = reinterpret_cast<Bits*>(shared.keys);
  const auto count_at = [&](std::size_t at) {
    return static_cast<unsigned>(at >= n ? 0 : n - at < tile ? n - at : tile);
  };
  sided_tile<Bits> read;
  std::size_t at = std::size_t{blockIdx.x} * tile;
  read.load(keys + at, count_at(at));
  while (at < n) {
    const unsigned count = count_at(at);
    read.look(at, count, test);
    const left_counts left = shared.add_up(read.left_of_warp);
    if (threadIdx.x == 0) shared.claimed = atomicAdd(written, static_cast<unsigned long long>(left.all));
    read.number([&](Bits key, bool goes_left, unsigned lefts, unsigned) {
      if (goes_left) stack[left.before + lefts] = key;
    });
    at += std::size_t{gridDim.x} * tile;
    read.load(keys + at, count_at(at));  // in flight while others are written
    __syncthreads();
    for (unsigned i = threadIdx.x; i < left.all; i += siding_threads) to[shared.claimed + i] = stack[i];
  }
}

}  // namespace gpu::inline v1::detail::device
