// Sorts of as many codes as one block or one cluster holds.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../../config.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Tiles of the local sort of codes. Many small blocks hide the waiting between its steps.
GPUPAR_HOST_DEVICE constexpr tile_shape bin_tile(std::size_t key_bytes) {
  return key_bytes <= 8 ? tile_shape{256, 16} : tile_shape{256, 8};
}
/// Tiles of merges where bins are too full: as many codes and a few more, an odd number per thread.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_bins_tile(std::size_t key_bytes) {
  return key_bytes <= 4 ? tile_shape{128, 33} : key_bytes <= 8 ? tile_shape{256, 17} : tile_shape{256, 9};
}
/// Of a sort in one block, as many codes: nobody else is there to hide the waiting but more threads.
GPUPAR_HOST_DEVICE constexpr tile_shape lone_bin_tile(std::size_t key_bytes) {
  return key_bytes <= 8 ? tile_shape{512, 8} : bin_tile(key_bytes);
}
/// Of a sort in one cluster: eight multiprocessors have room for more, by registers.
GPUPAR_HOST_DEVICE constexpr tile_shape cluster_bin_tile(std::size_t key_bytes) {
  return key_bytes <= 8 ? tile_shape{1024, 8} : tile_shape{512, 8};
}

/// Codes of n that overflowing bins may hold: with more of them, merging takes less time. Where codes repeat, many that
/// lie there are equal.
GPUPAR_HOST_DEVICE constexpr unsigned most_overflowing(unsigned n, bool repeats) { return n / (repeats ? 2 : 8); }

/// Values of a tile of codes that are counted in less time than bins take, as so many 64ths of it.
GPUPAR_HOST_DEVICE constexpr unsigned most_counted(std::size_t key_bytes) { return key_bytes <= 4 ? 11 : 19; }

/// Codes of a base case that a block may set heavy ones aside of: the more there are, the longer all may wait for it.
/// Zero if it never does.
constexpr std::size_t longest_with_heavy(std::size_t key_bytes, std::size_t n) {
  if (key_bytes != 4 && key_bytes != 8) return 0;
  constexpr std::size_t part = 1024, least = 2, most = 16;  // tiles
  const std::size_t tile = bin_tile(key_bytes).size();
  return std::clamp(n / part, least * tile, most * tile);
}

/// From how many equal others on the average base cases are tried by counting: fewer make too many values.
GPUPAR_HOST_DEVICE constexpr float counted_from(std::size_t key_bytes) { return key_bytes <= 4 ? 3.5f : 2.5f; }

/// Of the blocks that count values, by registers.
GPUPAR_HOST_DEVICE constexpr int counted_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 5 : 3; }

GPUPAR_HOST_DEVICE constexpr int bin_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 4 : 3; }

/// Codes up to which to compare each with each takes less time than to find their bins: 1 us of 10 less for 64 codes.
inline constexpr int few_codes = 128;

/// Of the faster one for codes that lie evenly: as many blocks as 228 KB of shared memory leave room for.
GPUPAR_HOST_DEVICE constexpr int even_bin_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 6 : 4; }

}  // namespace gpu::inline v1::detail::device
