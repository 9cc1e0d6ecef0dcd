// Sorts of no more codes than one block or one cluster holds.
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
/// Tiles of merges where bins are too full: a few more codes than a bin_tile, an odd number per thread.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_bins_tile(std::size_t key_bytes) {
  return key_bytes <= 4 ? tile_shape{128, 33} : key_bytes <= 8 ? tile_shape{256, 17} : tile_shape{256, 9};
}
/// Tiles of a sort in one block, of as many codes: only more threads can hide the waiting.
GPUPAR_HOST_DEVICE constexpr tile_shape lone_bin_tile(std::size_t key_bytes) {
  return key_bytes <= 8 ? tile_shape{512, 8} : bin_tile(key_bytes);
}
/// Tiles of a sort in one cluster: eight multiprocessors have registers for more codes.
GPUPAR_HOST_DEVICE constexpr tile_shape cluster_bin_tile(std::size_t key_bytes) {
  return key_bytes <= 8 ? tile_shape{1024, 8} : tile_shape{512, 8};
}

/// How many of n codes overflowing bins may hold: with more, merging takes less time. Where codes repeat, many in such
/// bins are equal.
GPUPAR_HOST_DEVICE constexpr unsigned most_overflowing(unsigned n, bool repeats) { return n / (repeats ? 2 : 8); }

/// Up to how many different values, in 64ths of a tile of codes, counting these takes less time than bins.
GPUPAR_HOST_DEVICE constexpr unsigned most_counted(std::size_t key_bytes) { return key_bytes <= 4 ? 11 : 19; }

/// The longest base case, in codes, from which a block may set heavy codes aside: the more codes there are in all, the
/// longer they may wait for that block. Zero if heavy codes are never set aside.
constexpr std::size_t longest_with_heavy(std::size_t key_bytes, std::size_t n) {
  if (key_bytes != 4 && key_bytes != 8) return 0;
  constexpr std::size_t part = 1024, least = 2, most = 16;  // tiles
  const std::size_t tile = bin_tile(key_bytes).size();
  return std::clamp(n / part, least * tile, most * tile);
}

/// Above how many equal others per code on average base cases are tried by counting: with fewer there are too many
/// values.
GPUPAR_HOST_DEVICE constexpr float counted_from(std::size_t key_bytes) { return key_bytes <= 4 ? 3.5f : 2.5f; }

/// Blocks per multiprocessor that count values, by registers.
GPUPAR_HOST_DEVICE constexpr int counted_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 5 : 3; }

GPUPAR_HOST_DEVICE constexpr int bin_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 4 : 3; }

/// Up to this many codes, comparing each with each takes less time than finding bins: 1 us of 10 less for 64 codes.
inline constexpr int few_codes = 128;

/// Blocks per multiprocessor of the faster sort for codes that lie evenly: as many as fit 228 KB of shared memory.
GPUPAR_HOST_DEVICE constexpr int even_bin_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 6 : 4; }

}  // namespace gpu::inline v1::detail::device
