// Sorts by key that move a key and its value as one element.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Tiles of moves of pairs, of 8 or 16 bytes, and their blocks per multiprocessor, by registers. Two blocks do not wait
/// for each other; of wide pairs one large block makes longer runs, which is worth more.
GPUPAR_HOST_DEVICE constexpr tile_shape pair_tile(std::size_t pair_bytes) {
  return pair_bytes <= 8 ? tile_shape{512, 11} : tile_shape{1024, 5};
}
GPUPAR_HOST_DEVICE constexpr int pair_blocks(std::size_t pair_bytes) { return pair_bytes <= 8 ? 2 : 1; }

/// Tiles of base cases of pairs, and how many blocks per multiprocessor their registers allow. A power of two:
/// positions in a tile take the lower bits of a code. Wide pairs leave room for two tiles in shared memory.
GPUPAR_HOST_DEVICE constexpr tile_shape pair_base_case_tile(std::size_t pair_bytes) {
  return pair_bytes <= 8 ? tile_shape{256, 16} : tile_shape{512, 8};
}
GPUPAR_HOST_DEVICE constexpr int pair_base_case_blocks(std::size_t pair_bytes) { return pair_bytes <= 8 ? 3 : 2; }

/// Shared memory that is enough for either kind of tile.
inline constexpr std::size_t pair_shared_bytes = std::size_t{112} << 10;

}  // namespace gpu::inline v1::detail::device
