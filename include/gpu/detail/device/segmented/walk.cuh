// Something done to every element of every segment: a warp walks through 32 neighbouring segments together, and lists
// the tiles of those that are long, which all warps share.
#pragma once

#include <cstddef>

#include "../../calls/segments.hpp"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../warp/shuffle.cuh"
#include "lists.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int walk_threads = 256;
inline constexpr std::size_t walk_tile = 4096;  ///< elements that a block takes of a long segment
inline constexpr std::size_t walk_limit = 128;  ///< most elements of a segment that is not long; a warp walks 32

/// Elements [begin, end) of the segment that begins at `base`.
struct segment_tile {
  std::size_t base;
  std::size_t begin;
  std::size_t end;
};

/// Tiles of long segments. Claims begin as zeros.
struct tile_list {
  segment_claims* claims;
  unsigned* count;
  segment_tile* tiles;

  /// For segments of at least `shortest` elements, of n elements in all.
  tile_list(carver& carve, std::size_t n, std::size_t shortest = walk_limit + 1)
      : claims{carve.take<segment_claims>(1)},
        count{&claims->listed[0]},
        tiles{carve.take<segment_tile>(n / walk_tile + n / shortest + 1)} {}
};

/// Lists the tiles of the calling lane's segment, if it is long. Called by all lanes.
__device__ inline void list_tiles(const tile_list& list, const segment_range& own, bool is_long, std::size_t n) {
  const std::uint64_t all = warp::sum(is_long ? std::uint64_t{own.count()} : std::uint64_t{0});
  if (all == 0 || !device::claim_elements(*list.claims, all, n)) return;
  const auto tiles = is_long ? static_cast<unsigned>((own.count() + walk_tile - 1) / walk_tile) : 0;
  unsigned first = is_long ? atomicAdd(&list.claims->listed[0], tiles) : 0;
  for (unsigned rest = __ballot_sync(warp::all_lanes, is_long); rest != 0; rest &= rest - 1) {
    const int owner = __ffs(static_cast<int>(rest)) - 1;
    const std::size_t begin = __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(own.begin), owner);
    const std::size_t end = __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(own.end), owner);
    const unsigned slot = __shfl_sync(warp::all_lanes, first, owner);
    const unsigned count = __shfl_sync(warp::all_lanes, tiles, owner);
    for (unsigned t = threadIdx.x % warp::threads; t < count; t += warp::threads) {
      const std::size_t at = begin + t * walk_tile;
      list.tiles[slot + t] = {begin, at, end - at < walk_tile ? end : at + walk_tile};
    }
  }
}

/// Calls visit(index, begin of its segment) for the elements of segments that are not long.
template <class Visit>
__global__ void __launch_bounds__(walk_threads)
    walk_segments_kernel(std::size_t n, segment_bounds bounds, tile_list list, Visit visit) {
  await_predecessors();
  const unsigned lane = threadIdx.x % warp::threads;
  const std::size_t step = std::size_t{gridDim.x} * walk_threads;
  for (std::size_t own = std::size_t{blockIdx.x} * walk_threads + threadIdx.x; own - lane < bounds.count; own += step) {
    const segment_range here = own < bounds.count ? bounds.of(own, n) : segment_range{0, 0};
    const bool is_long = here.count() > walk_limit;
    device::list_tiles(list, here, is_long, n);
    const unsigned count = is_long ? 0 : static_cast<unsigned>(here.count());
    const auto last = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(count)));
    const unsigned total = __shfl_sync(warp::all_lanes, last, warp::threads - 1);
    const unsigned first = last - count;
    for (unsigned e = lane; e - lane < total; e += warp::threads) {
      unsigned owner = 0;  // the last lane whose segment begins at e or before
#pragma unroll
      for (unsigned half = warp::threads / 2; half > 0; half /= 2) {
        const unsigned begins = __shfl_sync(warp::all_lanes, first, static_cast<int>(owner + half));
        if (begins <= e) owner += half;
      }
      const std::size_t base =
          __shfl_sync(warp::all_lanes, static_cast<unsigned long long>(here.begin), static_cast<int>(owner));
      const unsigned index = e - __shfl_sync(warp::all_lanes, first, static_cast<int>(owner));
      if (e < total) visit(base + index, base);
    }
  }
}

/// Calls visit(index, begin of its segment) for the elements of the tiles that have been listed.
template <class Visit>
__global__ void __launch_bounds__(walk_threads) walk_tiles_kernel(tile_list list, Visit visit) {
  await_predecessors();
  const unsigned count = *list.count;
  for (unsigned t = blockIdx.x; t < count; t += gridDim.x) {
    const segment_tile tile = list.tiles[t];
#pragma unroll 4
    for (std::size_t at = tile.begin + threadIdx.x; at < tile.end; at += walk_threads) visit(at, tile.base);
  }
}

/// Calls visit(index, begin of its segment) for every element of the tiles that have been listed, of n elements in all.
template <class Visit>
void walk_tiles(const context& context, std::size_t n, const tile_list& list, Visit visit) {
  device::launch_persistent(context, {divide_up(n, walk_limit), walk_threads}, walk_tiles_kernel<Visit>, list, visit);
}

/// Calls visit(index, begin of its segment), on the device, for every element of every segment of n elements. On the
/// context's stream, without waiting.
template <class Visit>
void walk_segments(const context& context, std::size_t n, const segment_bounds& bounds, const tile_list& list,
                   Visit visit) {
  device::set_zero(context, list.claims, sizeof(*list.claims));
  device::launch_persistent(context, {divide_up(bounds.count, walk_threads), walk_threads}, walk_segments_kernel<Visit>,
                            n, bounds, list, visit);
  if (n > walk_limit) device::walk_tiles(context, n, list, visit);
}

/// Writes where its segment begins for each element.
struct write_begin {
  index_writer begins;
  __device__ void operator()(std::size_t index, std::size_t begin) const { begins.write(index, begin); }
};

/// Writes indices within segments: the index read, minus where the segment begins if indices are among all elements.
struct write_index {
  index_reader from;
  index_writer to;
  bool are_global;

  __device__ void operator()(std::size_t index, std::size_t begin) const {
    to.write(index, from[index] - (are_global ? begin : 0));
  }
};

}  // namespace gpu::inline v1::detail::device
