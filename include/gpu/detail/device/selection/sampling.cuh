// The bounds of a level, from a sample of its input: all blocks draw, the last one to come chooses. Positions are drawn
// by the process's key, and ranks are all different, so that a sample says the same of every input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../sample_key.hpp"
#include "../launching/launch.cuh"
#include "../warp/shuffle.cuh"
#include "levels.cuh"
#include "rank.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

struct bound_storage {
  static constexpr int warps = selection_sampling_threads / warp::threads;
  unsigned counts[2][warps];
  unsigned last;
};

/// The sum of the numbers of a warp, for each of its threads.
__device__ inline unsigned sum_of_warp(unsigned number) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(warp::all_lanes, number);
#else
  for (int mask = 1; mask < warp::threads; mask *= 2) number += __shfl_xor_sync(warp::all_lanes, number, mask);
  return number;
#endif
}

/// How many of the block's ranks are not greater than `bound`. `turn` alternates from call to call.
template <int Items, class Rank>
__device__ unsigned count_up_to(const Rank (&ranks)[Items], int held, const Rank& bound, bound_storage& shared,
                                int turn) {
  unsigned own = 0;
#pragma unroll
  for (int i = 0; i < Items; ++i) own += i < held && !(bound < ranks[i]);
  const unsigned lane = threadIdx.x % warp::threads;
  own = sum_of_warp(own);
  if (lane == 0) shared.counts[turn][threadIdx.x / warp::threads] = own;
  __syncthreads();
  return sum_of_warp(shared.counts[turn][lane]);
}

/// A rank that `least` to `most` of the block's ranks are not greater than, between two that surround all of them; or
/// the least for which there are at least `least`. The same in all threads.
template <int Items, class Rank>
__device__ Rank find_bound(const Rank (&ranks)[Items], int held, Rank low, Rank high, unsigned least, unsigned most,
                           bound_storage& shared) {
  for (int turn = 0; low < high; turn ^= 1) {
    const Rank middle = rank_parts<Rank>::middle(low, high);
    const unsigned count = count_up_to(ranks, held, middle, shared, turn);
    if (count >= least && count <= most) return middle;
    if (count < least) {
      if (!(low < middle)) return high;
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/// The least and the greatest of the block's ranks, in all threads; at least one is held.
template <int Items, class Rank>
__device__ void find_extremes(const Rank (&ranks)[Items], int held, Rank& low, Rank& high, Rank* shared) {
  Rank least = ranks[0], greatest = ranks[0];
#pragma unroll
  for (int i = 1; i < Items; ++i) {
    if (i < held && ranks[i] < least) least = ranks[i];
    if (i < held && greatest < ranks[i]) greatest = ranks[i];
  }
  const auto over_warp = [](Rank& a, Rank& b) {
    for (int mask = 1; mask < warp::threads; mask *= 2) {
      const Rank x = warp::shuffle_xor(a, mask), y = warp::shuffle_xor(b, mask);
      if (x < a) a = x;
      if (b < y) b = y;
    }
  };
  over_warp(least, greatest);
  constexpr int warps = bound_storage::warps;
  const int lane = static_cast<int>(threadIdx.x % warp::threads), own = static_cast<int>(threadIdx.x / warp::threads);
  if (lane == 0) shared[own] = least, shared[warps + own] = greatest;
  __syncthreads();
  low = shared[lane], high = shared[warps + lane];
  over_warp(low, high);
}

/// Bounds for the level from its whole sample of `size` ranks, of which a thread has `held`.
template <class Rank>
__device__ void choose_bounds(const Rank (&ranks)[sample_items<Rank>], int held, unsigned size,
                              selection_state<Rank>& state, bool one_sided, bound_storage& shared) {
  __shared__ alignas(16) unsigned char extremes[2 * bound_storage::warps * sizeof(Rank)];
  Rank low, high;  // samples are so large that every thread holds some
  find_extremes(ranks, held, low, high, reinterpret_cast<Rank*>(extremes));
  const sample_bounds bounds = bounds_in_sample(static_cast<double>(state.wanted), static_cast<double>(state.count),
                                                static_cast<int>(size), one_sided);
  Rank chosen_low = low, chosen_high = high;
  __syncthreads();
  if (bounds.high < static_cast<int>(size)) {
    const auto least = static_cast<unsigned>(bounds.high) + 1;
    chosen_high = find_bound(ranks, held, low, high, least, least + static_cast<unsigned>(bounds.slack), shared);
  }
  __syncthreads();
  if (bounds.low >= 0) {
    const auto most = static_cast<unsigned>(bounds.low);
    chosen_low = find_bound(ranks, held, low, high, most - static_cast<unsigned>(bounds.slack), most, shared);
  }
  if (threadIdx.x > 0) return;
  state.low = chosen_low, state.has_low = bounds.low >= 0;
  state.high = chosen_high, state.has_high = bounds.high < static_cast<int>(size);
}

/// The same from a sample that all blocks have drawn.
template <class Rank>
__device__ void choose_bounds(const Rank* sample, unsigned size, selection_state<Rank>& state, bool one_sided,
                              bound_storage& shared) {
  Rank ranks[sample_items<Rank>];
  int held = 0;
#pragma unroll
  for (int i = 0; i < sample_items<Rank>; ++i) {
    const unsigned at = static_cast<unsigned>(i) * selection_sampling_threads + threadIdx.x;
    ranks[i] = sample[at < size ? at : size - 1];
    held += at < size;
  }
  device::choose_bounds(ranks, held, size, state, one_sided, shared);
}

/// What is known of a level from the one before it.
template <class Rank>
__device__ void begin_level(selection_state<Rank>& state, const selection_state<Rank>& before, std::size_t capacity) {
  state.count = before.kept;
  state.wanted = before.wanted - before.below;
  state.misled = before.misled || before.kept > capacity || before.wanted <= before.below ||
                 before.wanted - before.below > before.kept;
}

/// Whether all other blocks have been here, so that what they wrote before can be read. `arrived` is zero to begin
/// with, unless there is but one block.
__device__ inline bool is_last_block(unsigned& arrived, unsigned& shared) {
  __threadfence();
  __syncthreads();
  if (gridDim.x == 1) return true;
  if (threadIdx.x == 0) shared = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return shared != 0;
}

/// The only level of a selection from a few, which keeps all.
template <class Rank>
__global__ void begin_whole_kernel(selection_state<Rank>* level, std::size_t n, std::size_t wanted) {
  await_predecessors();
  *level = {};
  level->count = n;
  level->wanted = wanted;
}

/// Draws `size` of the source's ranks and chooses the level's bounds. `before`: the level before, of at most `capacity`
/// ranks; null for the first, of `n` elements of which the `wanted`-th is looked for.
template <class Source, class Rank>
__global__ void __launch_bounds__(selection_sampling_threads)
    sampling_kernel(Source source, std::size_t n, std::size_t wanted, const selection_state<Rank>* before,
                    std::size_t capacity, unsigned size, bool one_sided, std::uint64_t word, Rank* sample,
                    selection_state<Rank>* level) {
  await_predecessors();
  __shared__ bound_storage shared;
  __shared__ alignas(16) unsigned char own_state[sizeof(selection_state<Rank>)];
  selection_state<Rank>& state = *reinterpret_cast<selection_state<Rank>*>(own_state);
  if (threadIdx.x == 0) {
    state.below = state.kept = state.misled = state.has_low = state.has_high = 0;
    if (before != nullptr)
      begin_level(state, *before, capacity);
    else
      state.count = n, state.wanted = wanted;
  }
  __syncthreads();
  const unsigned threads = gridDim.x * selection_sampling_threads;
  constexpr int together = 4;
  for (unsigned first = blockIdx.x * selection_sampling_threads + threadIdx.x; !state.misled && first < size;
       first += together * threads) {
    std::size_t places[together];
    Rank ranks[together];
#pragma unroll
    for (int i = 0; i < together; ++i)
      places[i] =
          random_position(word, before == nullptr ? 0 : 1, first + static_cast<unsigned>(i) * threads, state.count);
    source.load(places, ranks);
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (first + static_cast<unsigned>(i) * threads < size)
        sample[first + static_cast<unsigned>(i) * threads] = ranks[i];
  }
  if (!is_last_block(level->arrived, shared.last)) return;
  if (!state.misled) choose_bounds(sample, size, state, one_sided, shared);
  if (threadIdx.x == 0) *level = state;
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
