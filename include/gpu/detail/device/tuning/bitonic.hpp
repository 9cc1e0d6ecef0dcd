// The bitonic network.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Tiles of powers of two. Eight items of 8 bytes leave registers for as many of the partner's; the tile stays within
/// 48 KB for elements of up to 1536 bytes. Larger tiles take fewer launches, which is what counts up to 2^18 elements:
/// tiles of narrow elements are sorted in the time of a launch or two.
constexpr tile_shape bitonic_tile(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes + value_bytes;
  if (bytes <= 4) return {512, 8};
  if (bytes <= 8) return {256, 8};
  if (bytes <= 16) return {256, 4};
  if (bytes <= 32) return {256, 2};
  if (bytes <= 192) return {256, 1};
  if (bytes <= 768) return {64, 1};
  return {32, 1};
}

/// The tile of one block of a cluster, for codes of up to 8 bytes: half as large, since where the steps beyond a tile
/// take no launch, the time of the network's steps within it is what counts.
GPUPAR_HOST_DEVICE constexpr tile_shape bitonic_cluster_tile(std::size_t key_bytes) {
  return key_bytes <= 4 ? tile_shape{256, 8} : tile_shape{128, 8};
}

/// Whether steps within clusters take less time for n codes than launches. Fewer codes are at most two tiles, in three
/// launches; with more the device is busy either way, and its memory has more bandwidth than the links between blocks.
constexpr bool worth_clusters(std::size_t n, std::size_t key_bytes) {
  return n > std::size_t{1} << 12 && n <= std::size_t{1} << (key_bytes <= 4 ? 18 : 16);
}

/// Threads per block of a launch that takes `steps` steps at once.
GPUPAR_HOST_DEVICE constexpr int bitonic_step_threads(int steps) { return steps <= 3 ? 256 : 128; }

inline constexpr int indexed_threads = 512;
inline constexpr std::size_t indexed_tile = 2 * indexed_threads;

}  // namespace gpu::inline v1::detail::device
