// One read of a level's input: the ranks between its bounds are kept, in any order, and those below are counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "levels.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// Where ranks are kept: ranks[0, capacity), as long as there is room. *count includes those for which there was none.
template <class Rank>
struct kept_ranks {
  Rank* ranks;
  std::size_t capacity;
  unsigned long long* count;

  __device__ void put(unsigned long long slot, const Rank& rank) const {
    if (slot < capacity) ranks[slot] = rank;
  }
};

/// Pads the *count kept ranks, or indices, to `capacity` with a value that goes after all others.
template <class Rank>
__global__ void __launch_bounds__(keeping_threads)
    pad_kept_kernel(Rank* ranks, const unsigned long long* count, std::size_t capacity) {
  await_predecessors();
  const std::size_t i = std::size_t{blockIdx.x} * keeping_threads + threadIdx.x;
  if (i < capacity && i >= *count) ranks[i] = static_cast<Rank>(~Rank{0});
}

template <class Rank, int Threads = keeping_threads>
struct keeping_storage {
  static constexpr unsigned warps = Threads / warp::threads;
  alignas(16) unsigned char ranks[warps * kept_together<Rank> * sizeof(Rank)];
  unsigned collected[warps];
  unsigned long long base;
  unsigned long long below;
};

/// Collects what a warp keeps on its way to global memory. All lanes of the warp call.
template <class Rank, int Threads>
class collector {
 public:
  static constexpr int threads = Threads;

  __device__ collector(keeping_storage<Rank, Threads>& shared, const kept_ranks<Rank>& kept)
      : own_{reinterpret_cast<Rank*>(shared.ranks) + threadIdx.x / warp::threads * size}, kept_{kept} {}

  /// Makes room for `count` ranks, at most half the warp's buffer.
  __device__ void make_room(unsigned count) {
    if (count_ + count > size) flush();
  }
  /// Takes a rank of each lane for which `takes` holds. There must be room.
  __device__ void take(bool takes, const Rank& rank) {
    const unsigned lanes = __ballot_sync(warp::all_lanes, takes);
    if (takes) own_[count_ + static_cast<unsigned>(__popc(lanes & ((1u << threadIdx.x % warp::threads) - 1)))] = rank;
    count_ += static_cast<unsigned>(__popc(lanes));
  }

  /// Writes the collected ranks to global memory.
  __device__ void flush() {
    if (count_ > 0) put(claim(count_));
  }
  /// Writes what all warps of the block have collected to global memory, claiming room once for all. All threads call;
  /// synchronises.
  __device__ void flush_together(keeping_storage<Rank, Threads>& shared) {
    const unsigned own = threadIdx.x / warp::threads;
    if (threadIdx.x % warp::threads == 0) shared.collected[own] = count_;
    __syncthreads();
    unsigned before = 0, all = 0;
    for (unsigned w = 0; w < keeping_storage<Rank, Threads>::warps; ++w) {
      if (w == own) before = all;
      all += shared.collected[w];
    }
    if (threadIdx.x == 0 && all > 0) shared.base = atomicAdd(kept_.count, static_cast<unsigned long long>(all));
    __syncthreads();
    if (count_ > 0) put(shared.base + before);
  }

 private:
  static constexpr unsigned size = kept_together<Rank>;

  __device__ void put(unsigned long long base) {
    __syncwarp();
    for (unsigned i = threadIdx.x % warp::threads; i < count_; i += warp::threads) kept_.put(base + i, own_[i]);
    __syncwarp();
    count_ = 0;
  }
  __device__ unsigned long long claim(unsigned count) const {
    unsigned long long base = 0;
    if (threadIdx.x % warp::threads == 0) base = atomicAdd(kept_.count, static_cast<unsigned long long>(count));
    return __shfl_sync(warp::all_lanes, base, 0);
  }

  Rank* own_;
  const kept_ranks<Rank>& kept_;
  unsigned count_ = 0;
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

/// Elements [begin, end) of a source, of which two may have been exchanged; ranks contain the indices from before that.
struct source_part {
  std::size_t begin, end;
  std::size_t exchanged_a = 0, exchanged_b = 0;

  __device__ std::size_t former(std::size_t i) const {
    return i == exchanged_a ? exchanged_b : i == exchanged_b ? exchanged_a : i;
  }
};

/// Looks at the elements [begin, end) one by one, in tiles `first_tile`, `first_tile` + `tiles` and so on.
template <class Rank, class Collector, class Source>
__device__ void look_singly(const Source& source, const source_part& part, std::size_t begin, std::size_t end,
                            const rank_bounds<Rank>& bounds, Collector& collected, unsigned long long& below,
                            std::size_t first_tile, std::size_t tiles) {
  constexpr int items = 4;
  constexpr std::size_t tile = Collector::threads * items;
  for (std::size_t t = first_tile; begin + t * tile < end; t += tiles) {
    Rank ranks[items];
    std::size_t indices[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const std::size_t at = begin + t * tile + static_cast<std::size_t>(i) * Collector::threads + threadIdx.x;
      indices[i] = at < end ? at : begin;
    }
    source.load(indices, ranks);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const std::size_t at = begin + t * tile + static_cast<std::size_t>(i) * Collector::threads + threadIdx.x;
      if constexpr (Source::has_vectors)
        ranks[i] = rank_parts<Rank>::make(rank_parts<Rank>::code_of(ranks[i]), part.former(at));
      below += at < end && !bounds.above(ranks[i]);
      collected.make_room(warp::threads);
      collected.take(at < end && bounds.holds(ranks[i]), ranks[i]);
    }
  }
}

/// The codes that elements at indices [first, last] may have if they are within the bounds; others are excluded by
/// their code alone.
template <class Bits>
struct code_interval {
  Bits low = 0;
  Bits span = static_cast<Bits>(~Bits{0});
  bool empty = false;

  /// Also excludes the code of a bound if the bound's index excludes all of these indices: of keys that are all equal,
  /// few need a second look.
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

/// Element i of an array in registers, without the dynamic index that would move the array to local memory.
template <int Items, class T>
__device__ T pick(const T (&from)[Items], unsigned i) {
  T held[Items];
#pragma unroll
  for (int j = 0; j < Items; ++j) held[j] = from[j];
#pragma unroll
  for (int half = Items / 2; half > 0; half /= 2)
#pragma unroll
    for (int j = 0; j < half; ++j)
      if (i & static_cast<unsigned>(half)) held[j] = held[j + half];
  return held[0];
}

/// Reads dense keys sixteen bytes at a time, several vectors per thread; [begin, end) are whole vectors. Codes alone
/// exclude nearly all elements; each lane looks at its remaining ones one at a time, with their indices. `codec`: the
/// source's codec in its simplest form.
template <class Bits, class Rank, class Collector, class Codec>
__device__ void look_at_vectors(const key_source<Bits, Rank>& source, const Codec& codec, const source_part& part,
                                std::size_t begin, std::size_t end, const rank_bounds<Rank>& bounds,
                                Collector& collected, unsigned long long& below) {
  constexpr unsigned width = 16 / sizeof(Bits), threads = Collector::threads;
  constexpr unsigned vectors = sizeof(Bits) == 1 || threads > keeping_threads ? 2 : 4;
  constexpr unsigned tile = threads * vectors;
  const auto* const from = reinterpret_cast<const uint4*>(source.first_key + begin * sizeof(Bits));
  const std::size_t count = (end - begin) / width;
  for (std::size_t t = blockIdx.x * std::size_t{tile}; t < count; t += gridDim.x * std::size_t{tile}) {
    Bits keys[vectors * width];
    unsigned present = 0;  // a bit for each key
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) {
      const std::size_t at = t + v * threads + threadIdx.x;
      const uint4 word = __ldcs(from + (at < count ? at : count - 1));
      std::memcpy(keys + v * width, &word, sizeof word);
      if (at < count) present |= ((1u << width) - 1) << (v * width);
    }
    const code_interval<Bits> interval{source, bounds, begin + t * width, begin + (t + tile) * width};
    if (bounds.has_low) {
      unsigned lower = 0;
#pragma unroll
      for (unsigned i = 0; i < vectors * width; ++i)
        if (codec.encode(keys[i]) < interval.low) lower |= 1u << i;
      below += static_cast<unsigned>(__popc(lower & present));
    }
    unsigned inside = 0;
#pragma unroll
    for (unsigned i = 0; i < vectors * width; ++i)
      if (static_cast<Bits>(codec.encode(keys[i]) - interval.low) <= interval.span) inside |= 1u << i;
    inside &= interval.empty ? 0 : present;
    while (__any_sync(warp::all_lanes, inside != 0)) {
      const bool looks = inside != 0;
      const unsigned i = looks ? static_cast<unsigned>(__ffs(static_cast<int>(inside))) - 1 : 0;
      inside &= inside - 1;
      Bits code = codec.encode(device::pick(keys, i));
      if (source.floating) code = source.order.rank(code);
      const std::size_t at = begin + (t + i / width * threads + threadIdx.x) * width + i % width;
      const Rank rank = rank_parts<Rank>::make(code, part.former(at));
      below += looks && !bounds.above(rank);
      collected.make_room(warp::threads);
      collected.take(looks && bounds.holds(rank), rank);
    }
  }
}

/// Collects the part's ranks between the bounds, and counts those below.
template <class Source, class Rank, class Collector>
__device__ void look_between(const Source& source, const source_part& part, const rank_bounds<Rank>& bounds,
                             Collector& collected, unsigned long long& below) {
  std::size_t head = part.begin, tail = part.begin;
  if constexpr (Source::has_vectors) {
    using Bits = typename Source::code_type;
    if (source.is_dense()) {
      constexpr std::size_t width = 16 / sizeof(Bits);
      const std::size_t off = reinterpret_cast<std::uintptr_t>(source.first_key + part.begin * sizeof(Bits)) % 16;
      const std::size_t before = off == 0 ? 0 : (16 - off) / sizeof(Bits);
      head = min(part.begin + before, part.end);
      tail = head + (part.end - head) / width * width;
      with_simple_codec(source.codec, [&](const auto& codec) {
        device::look_at_vectors(source, codec, part, head, tail, bounds, collected, below);
      });
    }
  }
  if (head == tail) {
    device::look_singly(source, part, part.begin, part.end, bounds, collected, below, blockIdx.x, gridDim.x);
  } else if (blockIdx.x == gridDim.x - 1) {
    device::look_singly(source, part, part.begin, head, bounds, collected, below, 0, 1);
    device::look_singly(source, part, tail, part.end, bounds, collected, below, 0, 1);
  }
}

/// Keeps the part's ranks between the bounds; adds the number of those below to *below_all unless that is null.
template <class Source, class Rank>
__device__ void keep_between(const Source& source, const source_part& part, const rank_bounds<Rank>& bounds,
                             const kept_ranks<Rank>& kept, unsigned long long* below_all,
                             keeping_storage<Rank>& shared) {
  collector<Rank, keeping_threads> collected{shared, kept};
  unsigned long long below = 0;
  device::look_between(source, part, bounds, collected, below);
  collected.flush_together(shared);
  if (below_all == nullptr || !bounds.has_low) return;
  if (threadIdx.x == 0) shared.below = 0;
  __syncthreads();
  below = warp::sum(below);
  if (threadIdx.x % warp::threads == 0) atomicAdd(&shared.below, below);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(below_all, shared.below);
}

/// Keeps the level's ranks: of the source's first `n` elements, or of the ranks of the previous level if n is 0.
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

}  // namespace gpu::inline v1::detail::device
