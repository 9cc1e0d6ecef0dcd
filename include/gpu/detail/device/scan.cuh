// Exclusive prefix sums of an array whose length only the device knows, in one pass: each block scans a tile and looks
// back over the sums of the tiles before it. Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016.
#pragma once

#include <cstddef>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cuda/atomic>

#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "tuning/rows.hpp"
#include "warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

/// What is known about a tile: nothing; the sum of its elements; or the sum of those and of all before. Takes the two
/// bits below a sum, which is less than 2^62.
enum class scan_state : unsigned { unknown, own, inclusive };

/// Scratch of a scan of up to `limit` elements. All its words must be zero before a scan.
struct scan_scratch {
  std::size_t tiles;
  unsigned long long* states;  ///< of the tiles, and behind them two counters

  scan_scratch(carver& carve, std::size_t limit)
      : tiles{divide_up(limit, scan_tile)}, states{carve.take<unsigned long long>(words())} {}

  [[nodiscard]] std::size_t words() const { return tiles + 2; }
  void clear(const context& context) const { set_zero(context, states, words() * sizeof(unsigned long long)); }

  /// The first tile that no block has taken.
  __device__ unsigned long long& next_tile() const { return states[tiles]; }
  /// How many tiles have stored their sums.
  __device__ unsigned long long& tiles_done() const { return states[tiles + 1]; }
};

/// A word by which blocks signal each other.
using shared_word = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>;

/// The sum of all tiles before `tile`, whose own sum is `sum`; called by one full warp. Tiles are numbered in the order
/// in which blocks take them, hence those before are done or running, and the wait ends.
__device__ inline unsigned long long look_back(unsigned long long* states, std::size_t tile, unsigned long long sum) {
  const unsigned lane = threadIdx.x % warp::threads;
  const auto publish = [&](scan_state state, unsigned long long value) {
    if (lane == 0)
      shared_word{states[tile]}.store(value << 2 | static_cast<unsigned>(state), ::cuda::memory_order_relaxed);
  };
  const auto state_of = [](unsigned long long word) { return static_cast<scan_state>(word & 3u); };
  if (tile > 0) publish(scan_state::own, sum);
  unsigned long long before = 0;  // of tiles [end, tile)
  for (std::size_t end = tile; end > 0;) {
    unsigned long long word = static_cast<unsigned>(scan_state::inclusive);  // where there is no tile: a sum of 0
    if (lane < end) do {
        word = shared_word{states[end - 1 - lane]}.load(::cuda::memory_order_relaxed);
      } while (state_of(word) == scan_state::unknown);
    const unsigned inclusive = __ballot_sync(warp::all_lanes, state_of(word) == scan_state::inclusive);
    before += warp::sum((inclusive & warp::lanes_before()) == 0 ? word >> 2 : 0);  // up to the nearest inclusive
    if (inclusive) break;
    end -= warp::threads;
  }
  publish(scan_state::inclusive, before + sum);
  return before;
}

/// Replaces data[0, count) by its exclusive prefix sums, if all blocks of a grid of scan_threads call this: they take
/// tiles until none is left.
inline __device__ void scan_tiles(unsigned long long* data, std::size_t count, const scan_scratch& scratch) {
  using block_load = cub::BlockLoad<unsigned long long, scan_threads, scan_items, cub::BLOCK_LOAD_TRANSPOSE>;
  using block_store = cub::BlockStore<unsigned long long, scan_threads, scan_items, cub::BLOCK_STORE_TRANSPOSE>;
  using block_scan = cub::BlockScan<unsigned long long, scan_threads>;
  __shared__ union {
    typename block_load::TempStorage load;
    typename block_store::TempStorage store;
    typename block_scan::TempStorage scan;
  } shared;
  __shared__ std::size_t tile;
  __shared__ unsigned long long before;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&scratch.next_tile(), 1ull);
    __syncthreads();
    const std::size_t first = tile * scan_tile;
    if (first >= count) return;
    const int valid = static_cast<int>(min(scan_tile, count - first));
    unsigned long long sums[scan_items];
    unsigned long long total = 0;
    block_load{shared.load}.Load(data + first, sums, valid, 0ull);
    __syncthreads();
    block_scan{shared.scan}.ExclusiveSum(sums, sums, total);
    if (threadIdx.x < warp::threads) {
      const unsigned long long sum = look_back(scratch.states, tile, total);
      if (threadIdx.x == 0) before = sum;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < scan_items; ++i) sums[i] += before;
    block_store{shared.store}.Store(data + first, sums, valid);
    __syncthreads();
    if (threadIdx.x == 0) shared_word{scratch.tiles_done()}.fetch_add(1, ::cuda::memory_order_release);
  }
}

/// Waits until all tiles of count elements have been scanned. Called after scan_tiles(), when any tile that is not
/// scanned yet belongs to another block, which is running.
inline __device__ void await_scan(std::size_t count, const scan_scratch& scratch) {
  if (threadIdx.x == 0)
    while (shared_word{scratch.tiles_done()}.load(::cuda::memory_order_acquire) < divide_up(count, scan_tile)) {
    }
  __syncthreads();
}

/// Replaces data[0, *length) by its exclusive prefix sums.
template <class Number>
__global__ void __launch_bounds__(scan_threads) scan_kernel(Number* data, const Number* length, scan_scratch scratch) {
  await_predecessors();
  device::scan_tiles(data, *length, scratch);
}

/// Enqueues the exclusive scan of data[0, *length) in place; *length must not exceed the limit that `scratch` was made
/// for. `scratch` has been cleared.
template <class Number>
void exclusive_scan(const context& context, Number* data, const Number* length, const scan_scratch& scratch) {
  device::launch_persistent(context, {scratch.tiles, scan_threads}, scan_kernel<Number>, data, length, scratch);
}

}  // namespace gpu::inline v1::detail::device
