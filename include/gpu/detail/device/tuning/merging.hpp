// Merges of two and of many sequences, and sorts by merging.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Tiles of block-wide merges and merge sorts. 256 threads keep a merge-path search at 8 to 12 steps and leave several
/// blocks per multiprocessor; an odd number of items avoids shared memory bank conflicts between threads that walk
/// their own runs; about 76 bytes of keys and values per thread stay in registers. Must fit 48 KB with its values, so
/// that no architecture needs the opt-in.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_tile(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes + value_bytes;
  if (bytes <= 4) return {256, 19};
  if (bytes <= 8) return {256, 15};
  if (bytes <= 16) return {256, 9};
  if (bytes <= 32) return {256, 5};
  if (bytes <= 64) return {128, 3};
  return {64, 1};
}

/// Tiles of a merge of two sequences. More keys per thread share the cost of its search in shared memory; with more
/// than 27, fewer are in flight at a time. Longer tiles have fewer cuts, which are searched for in global memory. Tiles
/// loaded by vectors take so few registers that a multiprocessor can run all its threads, and leave a third of the
/// memory to its first-level cache, without which loads take longer.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_of_two_tile(std::size_t key_bytes, std::size_t value_bytes,
                                                          bool by_vectors) {
  if (by_vectors) return {512, 19};
  if (value_bytes == 0 && key_bytes == 4) return {256, 27};
  return merge_tile(key_bytes, value_bytes);
}

/// Blocks that merge tiles on a multiprocessor, by registers; 0 leaves it to the compiler.
GPUPAR_HOST_DEVICE constexpr int merge_blocks(tile_shape tile) { return tile.threads == 512 ? 4 : 0; }

/// Blocks on a multiprocessor where blocks may have to search for cuts. Compilers spend registers on that which are
/// worth more as another block, but not where elements are wide, nor where threads have so many narrow ones that
/// registers would be spilled.
GPUPAR_HOST_DEVICE constexpr int searching_merge_blocks(tile_shape tile, std::size_t element_bytes) {
  return tile.threads == 256 && element_bytes > 4 && element_bytes <= 8 ? 5 : merge_blocks(tile);
}

/// Tiles of base cases that are sorted by merging, by comparators of callers. More items per thread pay where they save
/// a level of merges and registers hold them: for keys of up to 4 and of 16 bytes, not of 8.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_base_case_tile(std::size_t key_bytes, std::size_t value_bytes) {
  if (value_bytes == 0 && key_bytes <= 4) return {128, 31};
  if (value_bytes == 0 && key_bytes > 8 && key_bytes <= 16) return {128, 13};
  return merge_tile(key_bytes, value_bytes);
}

/// Blocks that sort such base cases on a multiprocessor, by registers: half of all threads for narrow keys, whose
/// merges wait for each other's comparisons, fewer for keys of 16 bytes; 0 leaves it to the compiler.
GPUPAR_HOST_DEVICE constexpr int merge_base_case_blocks(std::size_t key_bytes, std::size_t value_bytes) {
  if (value_bytes > 0 || key_bytes > 16) return 0;
  return (key_bytes <= 8 ? 1024 : 768) / merge_base_case_tile(key_bytes, value_bytes).threads;
}

/// Tiles of multiway merges by bins: a block loads `held` keys per thread, some of which are not the tile's, and sorts
/// `items` per thread, an odd number, so that neighbours' stretches of shared memory begin in different banks. A tile
/// has that many elements, give or take `slack` at either end, which a selection's first try usually stays within.
struct run_bins {
  static constexpr int held = 16;
  static constexpr int items = 15;
  int threads;
  int resident;  ///< threads per multiprocessor, by registers
  unsigned slack;

  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t size() const { return tile_shape{threads, items}.size(); }
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t loaded() const { return tile_shape{threads, held}.size(); }
};

/// Many small blocks hide the waiting between their steps; where there are many sequences, whose cuts have to be found
/// for each tile, large tiles pay.
GPUPAR_HOST_DEVICE constexpr run_bins run_bins_for(std::size_t key_bytes, bool few) {
  if (few) return {128, key_bytes <= 4 ? 1280 : 896, 48};
  return {512, 1024, 192};
}
inline constexpr int few_sequences = 16;

inline constexpr int partition_threads = 128;  ///< of kernels that search for cuts

/// Up to this many tiles of a merge of two, a third or half of which run side by side, blocks search for their own
/// cuts.
inline constexpr std::size_t few_tiles = 1536;

/// What one launch merges: two sequences per lane of a warp, and few enough to travel as kernel parameters.
inline constexpr int sequences_per_lane = 2;

inline constexpr int selection_threads = 128;
inline constexpr int interpolations = 8;  ///< enough wherever sequences are alike

/// If there are many tiles, the cuts of every 128th are found first; these narrow the search for those of every 8th,
/// which narrow the search for the others, where the first pivot usually hits. One search in whole sequences takes
/// longer than three narrow ones, but up to single_search_tiles the warps run side by side.
inline constexpr unsigned selection_spacings[] = {128, 8, 1};
inline constexpr std::size_t single_search_tiles = 8192;

}  // namespace gpu::inline v1::detail::device
