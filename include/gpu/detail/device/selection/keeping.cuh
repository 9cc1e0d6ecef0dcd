// One read of a level's input: what lies between its bounds is kept, in any order, and what lies below is counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../warp/shuffle.cuh"
#include "levels.cuh"
#include "rank.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int keeping_threads = 256;

/// Kept ranks that a block collects before it claims room for them: an addition to one word for each would take longer
/// than the read.
template <class Rank>
inline constexpr unsigned kept_together = sizeof(Rank) == 8 ? 2048 : 1024;

/// Where ranks are kept: at ranks[0, capacity), as long as there is room. `count` tells how many wanted to be.
template <class Rank>
struct kept_ranks {
  Rank* ranks;
  std::size_t capacity;
  unsigned long long* count;

  __device__ void put(unsigned long long slot, const Rank& rank) const {
    if (slot < capacity) ranks[slot] = rank;
  }
};

template <class Rank>
struct keeping_storage {
  static constexpr unsigned size = kept_together<Rank>;
  alignas(16) unsigned char ranks[size * sizeof(Rank)];
  unsigned count;
  unsigned long long base;
  unsigned long long below;
};

/// A block's share in what is kept.
template <class Rank>
class collector {
 public:
  __device__ collector(keeping_storage<Rank>& shared, const kept_ranks<Rank>& kept) : shared_{shared}, kept_{kept} {
    if (threadIdx.x == 0) shared_.count = 0, shared_.below = 0;
    __syncthreads();
  }

  /// Takes rank_of(i) for every bit i of `mask`. All lanes of a warp call.
  template <class RankOf>
  __device__ void take(unsigned long long mask, const RankOf& rank_of) {
    const int own = __popcll(mask);
    const int sum = warp::inclusive_sum(own);
    unsigned base = 0;
    if (threadIdx.x % warp::threads == warp::threads - 1) base = atomicAdd(&shared_.count, static_cast<unsigned>(sum));
    unsigned slot = __shfl_sync(warp::all_lanes, base, warp::threads - 1) + static_cast<unsigned>(sum - own);
    for (; mask != 0; mask &= mask - 1, ++slot) {
      const Rank rank = rank_of(__ffsll(static_cast<long long>(mask)) - 1);
      if (slot < keeping_storage<Rank>::size)
        ranks()[slot] = rank;
      else
        kept_.put(atomicAdd(kept_.count, 1ull), rank);
    }
  }

  /// Brings what has been collected to global memory if it is much, or the last. All threads call.
  __device__ void flush(bool last) {
    __syncthreads();
    constexpr unsigned size = keeping_storage<Rank>::size;
    const unsigned count = shared_.count < size ? shared_.count : size;
    __syncthreads();  // before a warp goes on to its next tile, and counts
    if (last || count > size / 4) {
      if (threadIdx.x == 0 && count > 0) shared_.base = atomicAdd(kept_.count, static_cast<unsigned long long>(count));
      __syncthreads();
      for (unsigned i = threadIdx.x; i < count; i += blockDim.x) kept_.put(shared_.base + i, ranks()[i]);
      if (threadIdx.x == 0) shared_.count = 0;
      __syncthreads();
    }
  }

 private:
  __device__ Rank* ranks() { return reinterpret_cast<Rank*>(shared_.ranks); }

  keeping_storage<Rank>& shared_;
  const kept_ranks<Rank>& kept_;
};

/// The bounds of a level, as kernels apply them.
template <class Rank>
struct rank_bounds {
  Rank low, high;
  bool has_low, has_high;

  __device__ bool above(const Rank& rank) const { return !has_low || low < rank; }
  __device__ bool holds(const Rank& rank) const { return above(rank) && (!has_high || !(high < rank)); }
};

inline constexpr std::size_t none_pinned = static_cast<std::size_t>(-1);

/// Elements [begin, end) of a source, and where the one that has been exchanged with another stood before: ranks are
/// those from before.
struct source_part {
  std::size_t begin, end;
  std::size_t exchanged_a = 0, exchanged_b = 0;

  __device__ std::size_t former(std::size_t i) const {
    return i == exchanged_a ? exchanged_b : i == exchanged_b ? exchanged_a : i;
  }
};

/// Reads one element a thread.
template <class Rank, class Source>
__device__ void keep_singly(const Source& source, const source_part& part, std::size_t begin, std::size_t end,
                            const rank_bounds<Rank>& bounds, collector<Rank>& collected, unsigned long long& below,
                            std::size_t first_tile, std::size_t tiles) {
  constexpr int items = 4;
  constexpr std::size_t tile = keeping_threads * items;
  for (std::size_t t = first_tile; begin + t * tile < end; t += tiles) {
    Rank ranks[items];
    std::size_t places[items];
    unsigned long long mask = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const std::size_t at = begin + t * tile + static_cast<std::size_t>(i) * keeping_threads + threadIdx.x;
      places[i] = at < end ? at : begin;
    }
    source.load(places, ranks);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const std::size_t at = begin + t * tile + static_cast<std::size_t>(i) * keeping_threads + threadIdx.x;
      if constexpr (Source::has_vectors)
        ranks[i] = rank_parts<Rank>::make(rank_parts<Rank>::code_of(ranks[i]), part.former(at));
      if (at >= end) continue;
      below += !bounds.above(ranks[i]);
      if (bounds.holds(ranks[i])) mask |= 1ull << i;
    }
    if (__any_sync(warp::all_lanes, mask != 0)) {
      collected.take(mask, [&](int i) {
        Rank rank = ranks[0];
#pragma unroll
        for (int j = 1; j < items; ++j)
          if (i == j) rank = ranks[j];
        return rank;
      });
    }
    collected.flush(false);
  }
}

/// Codes that the elements at [first, last] of some bounds may have: those that the codes alone do not tell off.
template <class Bits>
struct code_interval {
  Bits low = 0;
  Bits span = static_cast<Bits>(~Bits{0});
  bool empty = false;

  /// Elements whose code is that of a bound are told off by their places, where all of these are on one side of the
  /// bound's: of keys that are all equal few are looked at again.
  template <class Rank>
  __device__ code_interval(const key_source<Bits, Rank>& source, const rank_bounds<Rank>& bounds, std::size_t first,
                           std::size_t last) {
    using parts = rank_parts<Rank>;
    Bits high = static_cast<Bits>(~Bits{0});
    if (bounds.has_low) {
      low = static_cast<Bits>(parts::code_of(bounds.low));
      if (last < parts::index(bounds.low) && low != static_cast<Bits>(~Bits{0})) low = static_cast<Bits>(low + 1);
    }
    if (bounds.has_high) {
      high = static_cast<Bits>(parts::code_of(bounds.high));
      if (first > parts::index(bounds.high)) {
        empty |= high == 0;
        high = static_cast<Bits>(high - 1);
      }
    }
    source.widen(low, high);
    empty |= high < low;
    span = static_cast<Bits>(high - low);
  }
};

/// Reads dense keys sixteen bytes at a time, several vectors a thread; [begin, end) are whole vectors. Codes alone tell
/// nearly all elements off; the others are looked at with their places.
template <class Bits, class Rank>
__device__ void keep_vectors(const key_source<Bits, Rank>& source, const source_part& part, std::size_t begin,
                             std::size_t end, const rank_bounds<Rank>& bounds, collector<Rank>& collected,
                             unsigned long long& below) {
  using parts = rank_parts<Rank>;
  constexpr int width = 16 / static_cast<int>(sizeof(Bits));
  constexpr int vectors = sizeof(Bits) == 1 ? 2 : 4;
  constexpr std::size_t tile = static_cast<std::size_t>(keeping_threads) * vectors;
  const auto* const from = reinterpret_cast<const uint4*>(source.first_key + begin * sizeof(Bits));
  const std::size_t count = (end - begin) / width;
  for (std::size_t t = blockIdx.x * tile; t < count; t += gridDim.x * tile) {
    uint4 words[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const std::size_t at = t + static_cast<std::size_t>(v) * keeping_threads + threadIdx.x;
      words[v] = __ldcs(from + (at < count ? at : count - 1));
    }
    const code_interval<Bits> interval{source, bounds, begin + t * width, begin + (t + tile) * width};
    unsigned long long mask = 0;
    unsigned lower = 0;
    Bits codes[vectors][width];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const bool valid = t + static_cast<std::size_t>(v) * keeping_threads + threadIdx.x < count;
      Bits keys[width];
      std::memcpy(keys, &words[v], sizeof(uint4));
      unsigned long long own = 0;
      unsigned own_lower = 0;
#pragma unroll
      for (int i = 0; i < width; ++i) {
        codes[v][i] = source.codec.encode(keys[i]);
        if (static_cast<Bits>(codes[v][i] - interval.low) <= interval.span) own |= 1ull << i;
        own_lower += codes[v][i] < interval.low;
      }
      if (valid) mask |= own << (v * width), lower += own_lower;
    }
    if (interval.empty) mask = 0;
    below += lower;
    if (__any_sync(warp::all_lanes, mask != 0)) {
      const auto rank_of = [&](int bit) {
        Bits code = codes[0][0];
#pragma unroll
        for (int j = 1; j < vectors * width; ++j)
          if (bit == j) code = codes[j / width][j % width];
        if (source.floating) code = source.order.rank(code);
        const std::size_t vector = t + static_cast<std::size_t>(bit / width) * keeping_threads + threadIdx.x;
        return parts::make(code, part.former(begin + vector * width + static_cast<std::size_t>(bit % width)));
      };
      for (unsigned long long rest = mask; rest != 0; rest &= rest - 1) {
        const int bit = __ffsll(static_cast<long long>(rest)) - 1;
        const Rank rank = rank_of(bit);
        if (bounds.holds(rank)) continue;
        below += !bounds.above(rank);
        mask ^= 1ull << bit;
      }
      collected.take(mask, rank_of);
    }
    collected.flush(false);
  }
}

/// Keeps what of the part lies between the bounds; adds what lies below to *below_all unless that is null.
template <class Source, class Rank>
__device__ void keep_between(const Source& source, const source_part& part, const rank_bounds<Rank>& bounds,
                             const kept_ranks<Rank>& kept, unsigned long long* below_all,
                             keeping_storage<Rank>& shared) {
  collector<Rank> collected{shared, kept};
  unsigned long long below = 0;
  std::size_t head = part.begin, tail = part.begin;
  if constexpr (Source::has_vectors) {
    using Bits = typename Source::code_type;
    if (source.is_dense()) {
      constexpr std::size_t width = 16 / sizeof(Bits);
      const std::size_t off = reinterpret_cast<std::uintptr_t>(source.first_key + part.begin * sizeof(Bits)) % 16;
      const std::size_t before = off == 0 ? 0 : (16 - off) / sizeof(Bits);
      head = min(part.begin + before, part.end);
      tail = head + (part.end - head) / width * width;
      keep_vectors(source, part, head, tail, bounds, collected, below);
    }
  }
  if (head == tail) {
    keep_singly(source, part, part.begin, part.end, bounds, collected, below, blockIdx.x, gridDim.x);
  } else if (blockIdx.x == gridDim.x - 1) {
    keep_singly(source, part, part.begin, head, bounds, collected, below, 0, 1);
    keep_singly(source, part, tail, part.end, bounds, collected, below, 0, 1);
  }
  if (below_all != nullptr && bounds.has_low) atomicAdd(&shared.below, below);
  collected.flush(true);
  if (below_all != nullptr && bounds.has_low && threadIdx.x == 0) atomicAdd(below_all, shared.below);
}

/// What a level keeps of the source: of its first `n` elements, or of the level before's ranks if n is 0.
template <class Source, class Rank>
__global__ void __launch_bounds__(keeping_threads)
    keeping_kernel(Source source, std::size_t n, selection_state<Rank>* level, Rank* ranks, std::size_t capacity) {
  await_predecessors();
  __shared__ keeping_storage<Rank> shared;
  if (level->misled) return;
  const rank_bounds<Rank> bounds{level->low, level->high, level->has_low != 0, level->has_high != 0};
  const source_part part{0, n > 0 ? n : static_cast<std::size_t>(level->count)};
  keep_between(source, part, bounds, kept_ranks<Rank>{ranks, capacity, &level->kept}, &level->below, shared);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
