// Rounds of distribution: samples, counts, moves, and what is gathered.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "merging.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Tiles of moves of counted elements. The length of a tile's runs decides what a move costs, so a tile takes all
/// shared memory that two blocks per multiprocessor can have, but few registers: elements go through these to their
/// slots, `items` per thread at a time.
struct move_shape {
  static constexpr int threads = 512;
  static constexpr int blocks = 2;  ///< per multiprocessor
  int items;
  bool ahead;   ///< whether registers also hold the next items: worth more than twice as many at a time
  int at_once;  ///< elements of a bucket's run that a lane writes: runs of wide ones are short
  std::size_t element_bytes;
  bool wide;  ///< elements stay in global memory, and are read again, from the L2 cache, when they move

  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t batch() const { return tile_shape{threads, items}.size(); }

  /// Elements of a tile where a block can have shared_bytes of shared memory: whole batches, numbered by 16 bits.
  [[nodiscard]] constexpr std::size_t tile(std::size_t shared_bytes) const {
    constexpr std::size_t beside = std::size_t{16} << 10;  // what else a block keeps there
    constexpr std::size_t least = std::size_t{8} << 10, most = std::size_t{96} << 10;
    constexpr std::size_t cached = std::size_t{128} << 10;  // of caches that have some 190 KB per tile
    const std::size_t half = shared_bytes / blocks;
    const std::size_t staged = half < beside + least ? least : half < beside + most ? half - beside : most;
    const std::size_t batches = (wide ? cached : staged) / element_bytes / batch();
    const std::size_t most_batches = 65535 / batch();
    return (batches < 1 ? 1 : batches > most_batches ? most_batches : batches) * batch();
  }
};

/// If keys or values have more than 16 bytes, only indices go through shared memory. `searched`: buckets are searched
/// for, for all items of a thread side by side, rather than computed.
GPUPAR_HOST_DEVICE constexpr move_shape move_shape_for(std::size_t key_bytes, std::size_t value_bytes, bool searched) {
  const std::size_t widest = key_bytes > value_bytes ? key_bytes : value_bytes, bytes = key_bytes + value_bytes;
  const bool few = key_bytes == 8 && value_bytes == 0 && !searched;
  const int items = few || (8 < widest && widest <= 16) ? 4 : widest <= 8 ? 8 : widest <= 32 ? 2 : 1;
  return {items, few || key_bytes <= 4, bytes <= 4 ? 4 : 2, bytes, widest > 16};
}

/// Tiles of stable distribution passes. Large tiles make longer runs per bucket, hence better coalesced writes; 512
/// threads hold them with so few items each that two blocks' registers fit a multiprocessor. The 64 KB of the smallest
/// multiprocessors must hold the tile's wider column, two bytes per element beside it, splitters and counters. Keys and
/// values of more than 16 bytes stay in global memory, so only registers count for them.
GPUPAR_HOST_DEVICE constexpr tile_shape distribution_tile(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes > value_bytes ? key_bytes : value_bytes;
  if (bytes <= 4) return {512, 15};
  if (bytes <= 8) return {512, 10};
  if (bytes <= 16) return {512, 5};
  if (bytes <= 32) return {512, 2};
  return {512, 1};
}

inline constexpr int distribution_blocks = 2;  ///< per multiprocessor, by registers
inline constexpr std::size_t most_tiles = 8;   ///< of a job, whose counts are kept together

/// Tiles of counting kernels, which only have to keep enough loads in flight.
GPUPAR_HOST_DEVICE constexpr tile_shape count_tile(std::size_t key_bytes) {
  if (key_bytes <= 4) return {256, 16};
  if (key_bytes <= 16) return {256, 8};
  if (key_bytes <= 32) return {256, 4};
  return {256, 1};
}
inline constexpr int count_blocks = 4;     ///< per multiprocessor, by registers
inline constexpr int offset_threads = 512;  ///< one per bucket
inline constexpr int offset_blocks = 3;     ///< per multiprocessor, by registers: they wait for each other

/// Tiles of kernels that count and group: as many elements as two blocks per multiprocessor have registers for, since
/// there is one counter, and one run that base cases are gathered from, per tile and bucket.
GPUPAR_HOST_DEVICE constexpr tile_shape group_tile(std::size_t key_bytes) {
  return key_bytes <= 4 ? tile_shape{512, 24} : tile_shape{512, 12};
}
inline constexpr int group_blocks = 2;  ///< per multiprocessor, by registers

/// How many of a thread's elements are searched for side by side: all would take too many registers.
GPUPAR_HOST_DEVICE constexpr int group_batch(std::size_t key_bytes) { return key_bytes <= 4 ? 8 : 6; }

/// The most tiles that a base case is gathered from: each thread looks after two. Segments have a third of that on
/// average.
GPUPAR_HOST_DEVICE constexpr unsigned most_gathered(std::size_t key_bytes) {
  return 2 * static_cast<unsigned>(merge_base_case_tile(key_bytes, 0).threads);
}

/// Threads of blocks that move runs, and how many blocks share what is moved together, which may be most elements.
inline constexpr int run_threads = 256;
inline constexpr unsigned run_slices = 16;

/// How many base cases ahead, per multiprocessor, they are brought into the L2 cache: fewer than the blocks that run at
/// once, since what stays there longer may have been evicted before it is read.
GPUPAR_HOST_DEVICE constexpr int base_cases_ahead(std::size_t key_bytes) { return key_bytes <= 4 ? 4 : 2; }

/// Keys count as repeating if each equals more than this many others on average: base cases of keys alone are then not
/// tried by even bins; with values, buckets are made to suit.
inline constexpr float keys_repeat_from = 1.0f, pairs_repeat_from = 0.5f;
/// How many times denser than on average repeating keys are assumed to lie: small buckets, which are joined, exceed a
/// base case less often, and fill base cases better.
inline constexpr float density_of_repeated = 3.0f;

}  // namespace gpu::inline v1::detail::device
