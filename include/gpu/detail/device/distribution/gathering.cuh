// Where elements of a gathered round go (grouping.cuh): to base cases, each of which a block gathers from the runs of
// all tiles of its subproblem, or, if there are too many for that, to their destination, where the mending round finds
// them.
#pragma once

#include <cuda_pipeline.h>
#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../tuning/distribution.hpp"
#include "../warp/shuffle.cuh"
#include "bucket_counts.cuh"
#include "distribution.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// Makes part `source` of a subproblem a base case that shall begin at `begin`, if a block can gather it; else lists
/// the part to be moved, and returns false.
__device__ inline bool gather_later(const worklist& worklist, const subproblem& divided, std::size_t begin,
                                    std::size_t count, subproblem_part source) {
  if (count <= worklist.plan.longest_base_case && divided.tile_ranges <= worklist.most_gathered) {
    worklist.add_gathered(begin, count, source);
    return true;
  }
  worklist.moved[atomicAdd(&worklist.totals[worklist.plan.gathered_round].moved, 1u)] = source;
  return false;
}

/// A run of elements in a grouped tile.
struct tile_run {
  std::size_t begin = 0;  ///< in the subproblem
  unsigned count = 0;

  /// The run of `part` in a tile of the subproblem; empty beyond the last tile.
  __device__ tile_run(const subproblem& of, subproblem_part part, unsigned tile, const std::uint16_t* ends,
                      std::size_t tile_size) {
    if (tile >= of.tile_ranges) return;
    const std::uint16_t* const row = ends + of.first_entry + std::size_t{tile} * of.buckets;
    const unsigned first = part.first > 0 ? row[part.first - 1] : 0;
    begin = tile * tile_size + first;
    count = row[part.last] - first;
  }
};

/// Moves the listed parts of subproblems; a warp moves one run at a time. A part, which may hold most of all elements,
/// is cut into slices for different blocks.
template <class Key, class Less>
__global__ void __launch_bounds__(run_threads) move_runs_kernel(worklist_of<Key, Less> parts, unsigned round,
                                                                const Key* grouped, Key* to, tile_counters counters) {
  await_predecessors();
  round_totals& total = parts.totals[round];
  if (blockIdx.x == 0 && threadIdx.x == 0) total.base_cases = *parts.base_case_count;
  const unsigned lane = threadIdx.x % warp::threads;
  constexpr unsigned warps = run_threads / warp::threads;
  for (unsigned m = blockIdx.x; m < total.moved * run_slices; m += gridDim.x) {
    const subproblem_part part = parts.moved[m / run_slices];
    const subproblem& of = parts.subproblems_of(round)[part.subproblem_number];
    const unsigned first = m % run_slices * warps + threadIdx.x / warp::threads;
    for (unsigned tile = first; tile < of.tile_ranges; tile += run_slices * warps) {
      const tile_run run{of, part, tile, counters.of_tile, parts.plan.gathered_piece};
      unsigned long long claimed = 0;
      if (lane == 0)
        claimed = atomicAdd(&counters.of_all[of.first_bucket + part.first], static_cast<unsigned long long>(run.count));
      const Key* const from = grouped + of.begin + run.begin;
      Key* const target = to + __shfl_sync(warp::all_lanes, claimed, 0);
#pragma unroll 4
      for (unsigned i = lane; i < run.count; i += warp::threads) target[i] = from[i];
    }
  }
}

/// The tiles that base cases are gathered from.
template <class Key>
struct grouped_tiles {
  const Key* keys;
  const std::uint16_t* ends;  ///< per tile and bucket
  const subproblem* subproblems;
  const subproblem_part* sources;
  std::size_t tile_size;
  const unsigned* sorted;  ///< how many base cases at the front of the list have been sorted; or null

  [[nodiscard]] bool any_sorted() const { return sorted != nullptr; }
  [[nodiscard]] __device__ unsigned sorted_base_cases() const { return sorted ? *sorted : 0; }
};

/// Base cases are not gathered, and all have to be sorted.
struct no_grouped_tiles {
  [[nodiscard]] static constexpr bool any_sorted() { return false; }
  [[nodiscard]] __device__ static constexpr unsigned sorted_base_cases() { return 0; }
};

/// Gathers base cases. All members are called by every thread.
template <class Key, int Threads>
class base_case_gatherer {
  static constexpr unsigned most = most_gathered(sizeof(Key));
  static constexpr unsigned per_thread = most / Threads;
  static_assert(most % Threads == 0);  // and so few that positions in a subproblem have 32 bits
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

 public:
  struct storage {
    typename scan::TempStorage scan;
    unsigned slot[most + 1];  ///< where each tile's run goes; and the end of the last one
    unsigned from[most];      ///< where it is in the subproblem, less its slot
  };

  __device__ explicit base_case_gatherer(storage& shared) : shared_{shared} {}

  /// Copies the elements of source `number` to target, in shared memory. Synchronises before, not after.
  __device__ void gather(const grouped_tiles<Key>& tiles, std::size_t number, Key* target) {
    const subproblem_part source = tiles.sources[number];
    const subproblem& of = tiles.subproblems[source.subproblem_number];
    find_runs(tiles, source, of);
    const Key* const keys = tiles.keys + of.begin;
    const unsigned share = static_cast<unsigned>(divide_up(of.tile_ranges, Threads / warp::threads));
    const unsigned begin = threadIdx.x / warp::threads * share;
    unsigned first = shared_.slot[min(begin, most)];
    for (unsigned run = begin; run < min(begin + share, of.tile_ranges); ++run) {
      const unsigned last = shared_.slot[run + 1];
      const Key* const from = keys + static_cast<int>(shared_.from[run]);
      unsigned slot = first + threadIdx.x % warp::threads;
      if (slot < last) copy_later(target + slot, from + slot);
      for (slot += warp::threads; slot < last; slot += warp::threads) copy_later(target + slot, from + slot);
      first = last;
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }

 private:
  __device__ __forceinline__ static void copy_later(Key* to, const Key* from) {
    if constexpr (sizeof(Key) == alignof(Key))
      __pipeline_memcpy_async(to, from, sizeof(Key));
    else
      *to = *from;
  }

  __device__ __forceinline__ void find_runs(const grouped_tiles<Key>& tiles, subproblem_part source,
                                            const subproblem& of) {
    unsigned begin[per_thread], count[per_thread], slot[per_thread];
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      const tile_run run{of, source, threadIdx.x * per_thread + j, tiles.ends, tiles.tile_size};
      begin[j] = static_cast<unsigned>(run.begin);
      count[j] = run.count;
    }
    unsigned all = 0;
    __syncthreads();
    scan{shared_.scan}.ExclusiveSum(count, slot, all);
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      shared_.slot[threadIdx.x * per_thread + j] = slot[j];
      shared_.from[threadIdx.x * per_thread + j] = begin[j] - slot[j];
    }
    if (threadIdx.x == 0) shared_.slot[most] = all;
    __syncthreads();
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device
