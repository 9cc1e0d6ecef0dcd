// Selection of some from so many that they take hardly longer to read than kernels take to start: one launch, whose
// blocks wait for each other but twice. Every block draws the same sample and finds the same bound by itself; all keep
// what passes it; every block cuts what is kept down to the wanted ones once more, exactly enough by counting, and
// brings its share of them to their places.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "keeping.cuh"
#include "levels.cuh"
#include "ordering.cuh"
#include "rank.cuh"
#include "rescue.cuh"
#include "sampling.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int one_launch_threads = selection_sampling_threads;
/// Ranks that every block holds.
template <class Rank>
inline constexpr std::size_t most_held_by_all = most_sampled<Rank>;

/// What the blocks tell each other.
template <class Rank>
struct one_launch_state {
  unsigned long long kept;
  selected_ranks<Rank> rescued;
};

template <class Rank>
struct one_launch_storage {
  union {  // one behind the other
    keeping_storage<Rank, one_launch_threads> keeping;
    alignas(16) unsigned char held[most_held_by_all<Rank> * sizeof(Rank)];
  };
  bound_storage bound;
  selection_state<Rank> level;
  unsigned held_count;
  unsigned own_count;
  unsigned short own[most_held_by_all<Rank>];  ///< places in `held` of the block's share
};

/// One block's part; the members are the steps.
template <class Source, class Rank>
class one_launch_block {
  static constexpr int threads = one_launch_threads, items = sample_items<Rank>;
  using storage = one_launch_storage<Rank>;

 public:
  __device__ one_launch_block(storage& shared, const Source& source, unsigned n, unsigned wanted)
      : shared_{shared}, source_{source}, n_{n}, wanted_{wanted} {}

  /// Bounds what is wanted by a sample of `size`.
  __device__ void draw(unsigned size, const sample_bounds& bounds, std::uint64_t word) {
    if (threadIdx.x == 0) shared_.level.has_low = shared_.level.has_high = 0;
    __syncthreads();
    constexpr int few = sampled_alone / threads;
    std::size_t places[few];
    Rank ranks[few];
    int held = 0;
#pragma unroll
    for (int i = 0; i < few; ++i) {
      const unsigned at = static_cast<unsigned>(i) * threads + threadIdx.x;
      places[i] = at < size ? detail::random_position(word, 0, at, n_) : 0;
      held += at < size;
    }
    source_.load(places, ranks);
    device::choose_bounds(ranks, held, bounds, 0, shared_.level, shared_.bound);
    __syncthreads();
  }

  /// Keeps what passes the bound. `count` is zero before any block does.
  __device__ void keep(Rank* kept, std::size_t capacity, unsigned long long* count) {
    const rank_bounds<Rank> bounds{shared_.level.low, shared_.level.high, false, shared_.level.has_high != 0};
    device::keep_between(source_, source_part{0, n_}, bounds, kept_ranks<Rank>{kept, capacity, count},
                         static_cast<unsigned long long*>(nullptr), shared_.keeping);
  }

  /// Finds the wanted ones without a sample, by all blocks, and keeps no others.
  template <class Barrier>
  __device__ void rescue(Rank* kept, std::size_t capacity, selected_ranks<Rank>& result, Barrier& barrier) {
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < rank_parts<Rank>::digits * 256; i += gridDim.x * threads)
      result.counts[i / 256][i % 256] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) result.count = 0;
    barrier();
    const Rank found = device::find_by_digits<threads>(source_, n_, wanted_, result, barrier);
    if (threadIdx.x == 0) shared_.level.high = found, shared_.level.has_high = 1;
    __syncthreads();
    keep(kept, capacity, &result.count);
    barrier();
  }

  /// Brings what is kept, `count` ranks, to shared memory, as far as it may be wanted; in another order in every block,
  /// so that shares go by where ranks are kept.
  __device__ void hold(const Rank* kept, unsigned count) {
    Rank* const held = reinterpret_cast<Rank*>(shared_.held);
    if (threadIdx.x == 0) shared_.held_count = shared_.own_count = 0;
    Rank ranks[items];
    const int loaded = device::hold(kept, count, ranks);
    Rank last = shared_.level.has_high ? shared_.level.high : rank_parts<Rank>::greatest();
    if (count > 1024 && count / 2 > wanted_)
      last = device::find_bound(ranks, loaded, Rank{}, last, wanted_, wanted_ + wanted_ / 4, shared_.bound);
    else
      __syncthreads();
    unsigned stays = 0;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < loaded && !(last < ranks[i])) stays |= 1u << i;
    const int own = __popc(stays), up_to = warp::inclusive_sum(own);
    unsigned slot = 0;
    if (threadIdx.x % warp::threads == warp::threads - 1)
      slot = atomicAdd(&shared_.held_count, static_cast<unsigned>(up_to));
    slot = __shfl_sync(warp::all_lanes, slot, warp::threads - 1) + static_cast<unsigned>(up_to - own);
    const auto share = static_cast<unsigned>(divide_up(count, gridDim.x)), first = blockIdx.x * share;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if ((stays >> i & 1) == 0) continue;
      held[slot] = ranks[i];
      if (static_cast<unsigned>(i) * threads + threadIdx.x - first < share)
        shared_.own[atomicAdd(&shared_.own_count, 1u)] = static_cast<unsigned short>(slot);
      ++slot;
    }
    __syncthreads();
  }

  /// Writes the block's share of what is held, each where it belongs: a warp counts for one rank.
  __device__ void write(const selected_output& output) {
    const Rank* const held = reinterpret_cast<const Rank*>(shared_.held);
    const unsigned count = shared_.held_count, lane = threadIdx.x % warp::threads;
    for (unsigned i = threadIdx.x / warp::threads; i < shared_.own_count; i += threads / warp::threads) {
      const Rank rank = held[shared_.own[i]];
      unsigned before = 0;
#pragma unroll 4
      for (unsigned j = lane; j < count; j += warp::threads) before += held[j] < rank;
      before = device::sum_of_warp(before);
      if (before < wanted_) output.write(rank_parts<Rank>::index(rank), before, lane, warp::threads);
    }
  }

 private:
  storage& shared_;
  Source source_;
  unsigned n_, wanted_;
};

/// Writes the `wanted` first of the source's n. Blocks all run at the same time.
template <class Source, class Rank>
__global__ void __launch_bounds__(one_launch_threads)
    one_launch_kernel(Source source, unsigned n, unsigned wanted, unsigned sampled, sample_bounds bounds,
                      std::uint64_t word, Rank* kept, unsigned capacity, one_launch_state<Rank>* together,
                      selected_output output) {
  auto& shared = device::dynamic_shared<one_launch_storage<Rank>>();
  const auto grid = cooperative_groups::this_grid();
  const auto barrier = [&] { grid.sync(); };
  one_launch_block<Source, Rank> own{shared, source, n, wanted};
  if (blockIdx.x == 0 && threadIdx.x == 0) together->kept = 0;
  auto begun = grid.barrier_arrive();
  own.draw(sampled, bounds, word);
  grid.barrier_wait(std::move(begun));
  own.keep(kept, capacity, &together->kept);
  barrier();
  auto count = static_cast<unsigned>(min(__ldcg(&together->kept), static_cast<unsigned long long>(n)));
  if (count < wanted || count > capacity) {
    own.rescue(kept, capacity, together->rescued, barrier);
    count = wanted;
  }
  own.hold(kept, count);
  own.write(output);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
