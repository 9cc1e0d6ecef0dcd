// Work on the elements of those segments only that the kernels for short segments have listed for others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../keys/shared_codes.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../rows/record_keys.cuh"
#include "long_lists.hpp"
#include "walk.cuh"

namespace gpu::inline v1::detail::device {

/// Lists the tiles of all listed segments, whether subproblems or base cases.
template <class Lists>
__global__ void __launch_bounds__(walk_threads) list_tiles_kernel(std::size_t n, Lists listed, tile_list list) {
  await_predecessors();
  const std::size_t segments = listed.totals->subproblems, all = segments + *listed.base_case_count;
  const unsigned lane = threadIdx.x % warp::threads;
  const std::size_t step = std::size_t{gridDim.x} * walk_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * walk_threads + threadIdx.x; i - lane < all; i += step) {
    segment_range own{0, 0};
    if (i < segments)
      own = {listed.segments[i].begin, listed.segments[i].begin + listed.segments[i].count};
    else if (i < all)
      own = {listed.base_cases[i - segments].begin,
             listed.base_cases[i - segments].begin + listed.base_cases[i - segments].count};
    device::list_tiles(list, own, own.count() > 0, n);
  }
}

/// Copies keys of 4 or 8 bytes as codes, and counts them within their segments.
struct copy_counted {
  record_keys<std::uint64_t> keys;
  index_writer codes;
  index_writer indices;

  __device__ void operator()(std::size_t index, std::size_t begin) const {
    codes.write(index, keys[index]);
    indices.write(index, index - begin);
  }
};

/// Listed segments of n elements as pairs of codes and indices.
template <class Bits>
struct counted_copies {
  bool needed;  ///< whether there can be any
  Bits* codes;
  Bits* indices;  ///< null if they are written to their final place
  tile_list tiles;

  counted_copies(carver& carve, std::size_t n, std::size_t shortest, bool as_wide)
      : needed{n >= shortest},
        codes{carve.take<Bits>(needed ? n : 0)},
        indices{needed && !as_wide ? carve.take<Bits>(n) : nullptr},
        tiles{carve, n, shortest} {}

  /// Lists the tiles of what has been listed so far.
  void list(const context& context, std::size_t n, const long_lists& listed) const {
    device::set_zero(context, tiles.claims, sizeof(*tiles.claims));
    device::launch_persistent(context, {divide_up(n, walk_threads * walk_limit), walk_threads},
                              list_tiles_kernel<long_lists>, n, listed, tiles);
  }
};

}  // namespace gpu::inline v1::detail::device
