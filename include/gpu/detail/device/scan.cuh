// Exclusive prefix sums of an array whose length only the device knows, in one pass: each block scans a tile and looks
// back over the sums of the tiles before it. Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cuda/atomic>

#include "columns.cuh"
#include "launch.cuh"
#include "persistent.cuh"
#include "scratch.cuh"
#include "warp/shuffle.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// 256 threads that scan 8 elements each: 16 KB of 64-bit sums pass through shared memory.
inline constexpr int scan_threads = 256;
inline constexpr int scan_items = 8;
inline constexpr std::size_t scan_tile = std::size_t{scan_threads} * scan_items;

/// What is known of a tile: nothing; the sum of its elements; the sum of those and of all before. Two bits below a sum
/// less than 2^62.
enum class scan_state : unsigned { unknown, own, inclusive };

/// Scratch of a scan of up to `limit` elements.
struct scan_scratch {
  unsigned long long* states;
  unsigned* next_tile;
  std::size_t tiles;

  scan_scratch(carver& carve, std::size_t limit)
      : states{carve.take<unsigned long long>(divide_up(limit, scan_tile))},
        next_tile{carve.take<unsigned>(1)},
        tiles{divide_up(limit, scan_tile)} {}

  /// Zero, as a scan wants it: the states and next_tile.
  void clear(const context& context) const {
    set_zero(context, states, tiles * sizeof(unsigned long long));
    set_zero(context, next_tile, sizeof(unsigned));
  }
};

/// The sum of all tiles before `tile`, whose own sum is `sum`; called by one full warp. Tiles are numbered in the order
/// in which blocks take them, hence those before are done or running, and the wait ends.
__device__ inline unsigned long long look_back(unsigned long long* states, std::size_t tile, unsigned long long sum) {
  using state_reference = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>;
  const unsigned lane = threadIdx.x % warp::threads;
  const auto publish = [&](scan_state state, unsigned long long value) {
    if (lane == 0)
      state_reference{states[tile]}.store(value << 2 | static_cast<unsigned>(state), ::cuda::memory_order_relaxed);
  };
  const auto state_of = [](unsigned long long word) { return static_cast<scan_state>(word & 3u); };
  if (tile > 0) publish(scan_state::own, sum);
  unsigned long long before = 0;  // of tiles [end, tile)
  for (std::size_t end = tile; end > 0;) {
    unsigned long long word = static_cast<unsigned>(scan_state::inclusive);  // where there is no tile: a sum of 0
    if (lane < end) do {
        word = state_reference{states[end - 1 - lane]}.load(::cuda::memory_order_relaxed);
      } while (state_of(word) == scan_state::unknown);
    const unsigned inclusive = __ballot_sync(warp::all_lanes, state_of(word) == scan_state::inclusive);
    before += warp::sum((inclusive & warp::lanes_before()) == 0 ? word >> 2 : 0);  // up to the nearest inclusive
    if (inclusive) break;
    end -= warp::threads;
  }
  publish(scan_state::inclusive, before + sum);
  return before;
}

/// data[0, *length) becomes its exclusive prefix sums. Blocks take tiles until none is left.
template <class Scratch>
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(unsigned long long* data, const unsigned long long* length, Scratch scratch) {
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
  const std::size_t count = *length;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(scratch.next_tile, 1u);
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
  }
}

/// Enqueues the exclusive scan of data[0, *length) in place, *length <= the limit that `scratch` was made for.
inline void exclusive_scan(const context& context, unsigned long long* data, const unsigned long long* length,
                           const scan_scratch& scratch) {
  scratch.clear(context);
  const auto kernel = scan_kernel<scan_scratch>;
  launch(context, persistent_shape(context, kernel, scratch.tiles, scan_threads), kernel, data, length, scratch);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
