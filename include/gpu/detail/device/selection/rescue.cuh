// The fallback for misleading samples, which someone who knows the process's key can provoke: finds the wanted rank
// byte by byte, and keeps the ranks of the result anew. O(n) for each byte of a rank, whatever the input.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/selection.hpp"
#include "keeping.cuh"
#include "levels.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// What the last level leaves to be put in order: `count` ranks, of which the `wanted`-th is looked for.
template <class Rank>
struct selected_ranks {
  unsigned long long count;
  unsigned long long wanted;
  unsigned long long counts[rank_parts<Rank>::digits][256];  ///< of digits
};

/// Launches a kernel whose blocks wait for each other: as many as run at the same time, for `pieces` pieces of work;
/// one where the device does not support cooperative launches, or part of its multiprocessors is given to others.
template <class... Parameters, class... Arguments>
void launch_together(const context& context, std::size_t pieces, int threads, void (*kernel)(Parameters...),
                     Arguments... arguments) {
  shape grid{1, threads};
  if (context.device.cooperative) grid = device::persistent_shape(context, kernel, pieces, threads);
  if (grid.blocks > 1) {
    if (device::launch_cooperative(context, grid, kernel, arguments...)) return;
    grid.blocks = 1;
  }
  device::launch_early(context, grid, kernel, arguments...);
}

/// Waits for all blocks of a grid that launch_together() has launched.
__device__ inline void await_all_blocks() {
  if (gridDim.x == 1) return __syncthreads();
  cooperative_groups::this_grid().sync();
}

/// Whether the last level has had room for all it was to keep, and the wanted rank is among it.
template <class Rank>
__device__ bool holds_wanted(const selection_state<Rank>& last, std::size_t capacity) {
  return !last.misled && last.kept <= capacity && last.below < last.wanted && last.wanted - last.below <= last.kept;
}

/// The `wanted`-th rank of source[0, n). `result` holds the counters, which begin as zeros.
template <int Threads, class Source, class Rank, class Barrier>
__device__ Rank find_by_digits(const Source& source, std::size_t n, unsigned long long wanted,
                               selected_ranks<Rank>& result, Barrier barrier) {
  using parts = rank_parts<Rank>;
  __shared__ unsigned counts[256];
  __shared__ unsigned chosen;
  __shared__ unsigned long long still_wanted;
  Rank prefix{};
  for (int digit = 0; digit < parts::digits; ++digit) {
    for (unsigned i = threadIdx.x; i < 256; i += unsigned{Threads}) counts[i] = 0;
    __syncthreads();
    for (std::size_t i = blockIdx.x * std::size_t{Threads} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{Threads}) {
      const Rank rank = source[i];
      if (parts::agree(rank, prefix, digit)) atomicAdd(&counts[parts::digit(rank, digit)], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += unsigned{Threads})
      if (counts[i] > 0) atomicAdd(&result.counts[digit][i], static_cast<unsigned long long>(counts[i]));
    barrier();
    if (threadIdx.x == 0) {
      unsigned long long rest = wanted;
      unsigned at = 0;
      for (; at < 255; ++at) {
        const unsigned long long here = static_cast<volatile unsigned long long&>(result.counts[digit][at]);
        if (rest <= here) break;
        rest -= here;
      }
      chosen = at, still_wanted = rest;
    }
    __syncthreads();
    prefix = parts::with_digit(prefix, digit, chosen);
    wanted = still_wanted;
    __syncthreads();
  }
  return prefix;
}

/// Fills in *result for the ranks selected; finds these anew if the levels have lost them. Runs in one block, or in as
/// many as run at the same time.
template <class Source, class Rank>
__global__ void __launch_bounds__(rescue_threads)
    rescue_kernel(Source source, std::size_t n, std::size_t wanted, bool one_sided, const selection_state<Rank>* last,
                  std::size_t capacity, Rank* ranks, selected_ranks<Rank>* result) {
  await_predecessors();
  if (holds_wanted(*last, capacity)) {
    if (blockIdx.x == 0 && threadIdx.x == 0) result->count = last->kept, result->wanted = last->wanted - last->below;
    return;
  }
  __shared__ keeping_storage<Rank> shared;
  if (gridDim.x == 1) {  // the counters may not have been zeroed before
    if (threadIdx.x == 0) result->count = 0;
    for (int i = threadIdx.x; i < rank_parts<Rank>::digits * 256; i += rescue_threads)
      result->counts[i / 256][i % 256] = 0;
    __syncthreads();
  }
  const Rank found = find_by_digits<rescue_threads>(source, n, wanted, *result, await_all_blocks);
  if (one_sided) {
    const rank_bounds<Rank> bounds{found, found, false, true};
    keep_between(source, source_part{0, n}, bounds, kept_ranks<Rank>{ranks, capacity, &result->count}, nullptr, shared);
  } else if (blockIdx.x == 0 && threadIdx.x == 0) {
    ranks[0] = found;
    result->count = 1;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) result->wanted = one_sided ? wanted : 1;
}

}  // namespace gpu::inline v1::detail::device
