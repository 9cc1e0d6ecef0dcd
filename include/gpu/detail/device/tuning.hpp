// Tuning as data: pure functions of (compute capability, key bytes, value bytes) that return comparable aggregates.
// Host code reads them at run time for the grid, kernels at compile time for their tiles; a kernel's tile must
// therefore not depend on the compute capability unless both ways agree.
#pragma once

#include <cstddef>

#include "../config.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A tile: what one block holds at a time, threads * items elements.
struct tile_shape {
  int threads;
  int items;

  GPUPAR_HOST_DEVICE constexpr std::size_t size() const {
    return static_cast<std::size_t>(threads) * static_cast<std::size_t>(items);
  }
  friend constexpr bool operator==(const tile_shape&, const tile_shape&) = default;
};

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
/// than 27 fewer are under way at a time. Longer tiles have fewer cuts, which are searched for in global memory: those
/// loaded by vectors take so few registers that all threads of a multiprocessor hold some, and leave its first-level
/// cache a third of the memory, without which loads take longer.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_of_two_tile(std::size_t key_bytes, std::size_t value_bytes,
                                                          bool by_vectors) {
  if (by_vectors) return {512, 19};
  if (value_bytes == 0 && key_bytes == 4) return {256, 27};
  return merge_tile(key_bytes, value_bytes);
}

/// Blocks that merge tiles on a multiprocessor, by registers; 0 leaves it to the compiler.
GPUPAR_HOST_DEVICE constexpr int merge_blocks(tile_shape tile) { return tile.threads == 512 ? 4 : 0; }

/// Tiles of base cases that are sorted by merging, by comparators of callers. A level of merges fewer is worth more
/// items per thread where registers hold them: of keys of up to 4 and of 16 bytes, not of 8.
GPUPAR_HOST_DEVICE constexpr tile_shape merge_base_case_tile(std::size_t key_bytes, std::size_t value_bytes) {
  if (value_bytes == 0 && key_bytes <= 4) return {128, 31};
  if (value_bytes == 0 && key_bytes > 8 && key_bytes <= 16) return {128, 13};
  return merge_tile(key_bytes, value_bytes);
}

/// Blocks that sort them on a multiprocessor, by registers: half of all threads for narrow keys, whose merges wait for
/// each other's comparisons, fewer for keys of 16 bytes; 0 leaves it to the compiler.
GPUPAR_HOST_DEVICE constexpr int merge_base_case_blocks(std::size_t key_bytes, std::size_t value_bytes) {
  if (value_bytes > 0 || key_bytes > 16) return 0;
  return (key_bytes <= 8 ? 1024 : 768) / merge_base_case_tile(key_bytes, value_bytes).threads;
}

/// Tiles of moves of counted elements. What a tile's runs are long enough for is what a move costs, so that a tile
/// takes all shared memory that two blocks of a multiprocessor can have, and a little registers: elements go from there
/// to their slots `items` per thread at a time.
struct move_shape {
  static constexpr int threads = 512;
  static constexpr int blocks = 2;  ///< per multiprocessor
  int items;
  bool ahead;   ///< whether registers hold the items to come, too: worth more than twice as many at a time
  int at_once;  ///< elements of a bucket's run that a lane writes: runs of wide ones are short
  std::size_t element_bytes;
  bool wide;  ///< what stays in global memory, to be read again when it is moved: from the L2 cache

  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t batch() const { return tile_shape{threads, items}.size(); }

  /// Elements of a tile where a block can have so many bytes of shared memory: whole batches, numbered by 16 bits.
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

/// Of keys and values of more than 16 bytes only indices go through shared memory. `searched`: buckets are, not
/// computed, which is done for all items of a thread side by side.
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

/// What a counting kernel holds at a time: its loads are all that has to be kept under way.
GPUPAR_HOST_DEVICE constexpr tile_shape count_tile(std::size_t key_bytes) {
  if (key_bytes <= 4) return {256, 16};
  if (key_bytes <= 16) return {256, 8};
  if (key_bytes <= 32) return {256, 4};
  return {256, 1};
}
inline constexpr int count_blocks = 4;     ///< per multiprocessor, by registers
inline constexpr int place_threads = 512;  ///< one per bucket

/// What a kernel holds that counts and groups: as many elements as two blocks of a multiprocessor have registers for,
/// since the runs that base cases are gathered from, and the counters, are one per tile and bucket.
GPUPAR_HOST_DEVICE constexpr tile_shape group_tile(std::size_t key_bytes) {
  return key_bytes <= 4 ? tile_shape{512, 24} : tile_shape{512, 12};
}
inline constexpr int group_blocks = 2;  ///< per multiprocessor, by registers

/// A round moves to pages if the last ones of its buckets waste at most one in so many elements: scratch is 1.06 of
/// them then.
inline constexpr std::size_t page_waste = 42;

/// What a kernel holds that moves to pages, at most a page: of narrow elements fewer, as the places of their runs take
/// registers, too.
GPUPAR_HOST_DEVICE constexpr tile_shape page_tile(std::size_t key_bytes) {
  return key_bytes <= 4 ? tile_shape{512, 16} : tile_shape{512, 12};
}

/// Of a thread's elements, those that are searched side by side: all would take too many registers.
GPUPAR_HOST_DEVICE constexpr int group_batch(std::size_t key_bytes) { return key_bytes <= 4 ? 8 : 6; }

/// Tiles that a base case is gathered from, at most: each thread looks after two. Segments have a third of that on the
/// average.
GPUPAR_HOST_DEVICE constexpr unsigned most_gathered(std::size_t key_bytes) {
  return 2 * static_cast<unsigned>(merge_base_case_tile(key_bytes, 0).threads);
}

/// Blocks that move runs, and how many of them share what is moved together, which may be most of all elements.
inline constexpr int run_threads = 256;
inline constexpr unsigned run_slices = 16;

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

GPUPAR_HOST_DEVICE constexpr int bin_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 4 : 3; }

/// Codes up to which to compare each with each takes less time than to find their bins: 1 us of 10 less for 64 codes.
inline constexpr int few_codes = 128;

/// Of the faster one for codes that lie evenly: as many blocks as 228 KB of shared memory leave room for.
GPUPAR_HOST_DEVICE constexpr int even_bin_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 6 : 4; }

/// How many base cases ahead, per multiprocessor, they are brought into the L2 cache: for fewer than the blocks that
/// run at once, as what waits there longer may be gone again.
GPUPAR_HOST_DEVICE constexpr int base_cases_ahead(std::size_t key_bytes) { return key_bytes <= 4 ? 4 : 2; }

/// A sort in one launch: a block of `threads` holds `held` elements per thread, later sorts partitions of at most
/// threads * sorted elements, one of at most `buckets`.
struct resident_tiles {
  int threads;
  int held;
  int sorted;
  unsigned buckets;

  /// Elements up to which pivots from the sample practically never make a partition that no block can hold: four times
  /// the mean.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t most_elements() const {
    return std::size_t{buckets} * static_cast<std::size_t>(threads * sorted) / 4;
  }
};

/// How many elements a launch sorts: up to 2^17, 2^19 and 2^20 on 132 multiprocessors, half of the latter if they are
/// wide.
enum class residents : unsigned char { few, some, many };

/// Two blocks per multiprocessor keep half the register file for elements. They hold little more than their share, and
/// sort little more than that at once: every warp goes through all items of its threads, be they there or not.
GPUPAR_HOST_DEVICE constexpr resident_tiles resident_tiles_for(residents count, std::size_t key_bytes) {
  const bool wide = key_bytes > 8;
  if (count == residents::few) return {256, 4, 8, 256};
  if (count == residents::some) return {512, 4, wide ? 4 : 8, 512};
  return {512, wide ? 4 : 8, wide ? 8 : 16, 512};
}
inline constexpr int resident_blocks_per_multiprocessor = 2;
inline constexpr std::size_t resident_share = 512;  ///< elements worth a block: fewer blocks wait less for each other
inline constexpr unsigned resident_sample = 4096;

/// Keys up to which one launch sorts them joined with their places, if the device has 132 multiprocessors or so.
GPUPAR_HOST_DEVICE constexpr std::size_t most_placed(std::size_t key_bytes) {
  return std::size_t{1} << (key_bytes <= 4 ? 20 : 19);
}

/// Places of wide keys are sorted as pairs where one round of distribution does, which base cases of pairs are long
/// enough for; of more, columns are faster.
inline constexpr std::size_t most_paired_at_once = std::size_t{1} << 20;

/// From here on pairs are faster again if no keys repeat, and a look whether they do, and the launches of nothing that
/// follow, 30 us in all, are worth it.
inline constexpr std::size_t enough_to_look = std::size_t{1} << 24;

/// Numbers from which on it pays to look whether a caller's comparator is their natural order: about 20 launches of
/// nothing and a sample cost 50 us, be it or not.
inline constexpr std::size_t enough_to_guess = std::size_t{1} << 23;

/// Elements of so many bytes from which on codes of their keys are sorted, and they follow, instead of them or their
/// places by comparisons.
GPUPAR_HOST_DEVICE constexpr std::size_t enough_to_code(std::size_t element_bytes, bool stable) {
  constexpr std::size_t never = ~std::size_t{0};
  if (element_bytes > 64) return std::size_t{1} << 14;
  if (element_bytes > 16) return std::size_t{1} << 18;
  return stable && element_bytes > 8 ? std::size_t{1} << 20 : never;
}

/// Whether there are enough keys of one or two bytes to outweigh the codes that counting has to go through, and its
/// launches: a tile of bytes is sorted in one launch, which takes 10 us of 24.
GPUPAR_HOST_DEVICE constexpr bool enough_to_count(std::size_t count, std::size_t key_bytes) {
  if (key_bytes == 1) return count > cluster_bin_tile(key_bytes).size();
  return key_bytes == 2 && count >= std::size_t{1} << 20;
}

/// Elements of a sample that says how evenly keys lie: enough for the peaks of a histogram of 64 to mean something.
inline constexpr unsigned evenness_sample = 4096;

/// Tiles of passes by 8-bit digits: with 512 threads two blocks per multiprocessor hold keys, places and values in
/// registers. Must fit 48 KB, and take at least as many threads as there are digits.
GPUPAR_HOST_DEVICE constexpr tile_shape radix_tile(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes > value_bytes ? key_bytes : value_bytes;
  if (bytes <= 4) return {512, 15};
  if (bytes <= 8) return {512, 10};
  return {512, 5};
}
inline constexpr int radix_blocks = 2;  ///< per multiprocessor, by registers

/// How many digits may vary for passes to take less time than rounds, whose buckets are
struct digit_limits {
  unsigned even;         ///< of equal width
  unsigned repeated;     ///< of equal width, but keys occur several times
  unsigned curved;       ///< along a curve
  unsigned overflowing;  ///< along a curve that leaves some too long, and not by a few heavy keys alone
  unsigned searched;     ///< searched for
  friend constexpr bool operator==(const digit_limits&, const digit_limits&) = default;
};

/// Of keys with values. Measured: where keys and values are of one width, rounds move them as pairs, else as columns. A
/// round more makes passes worth a digit less where keys are skewed.
constexpr digit_limits digits_by_key(std::size_t key_bytes, std::size_t value_bytes, std::size_t n) {
  const bool many = n > std::size_t{1} << 24;
  if (key_bytes == 4) return value_bytes == 4 ? digit_limits{2, 3, many ? 3u : 4u, 4, 4} : digit_limits{4, 4, 4, 4, 4};
  return value_bytes == 8 ? digit_limits{2, 5, 6, 6, 6} : digit_limits{3, 8, 8, 8, 8};
}

/// Of keys whose places are sorted: the first pass reads keys alone, the last one writes places alone, and none has to
/// be brought to its destination.
constexpr digit_limits digits_of_places(std::size_t key_bytes, std::size_t n) {
  const bool many = n >= std::size_t{1} << 24;
  return key_bytes == 4 ? digit_limits{2, 4, 4, 4, 4} : digit_limits{3, 8, many ? 7u : 8u, 8, many ? 7u : 8u};
}

/// Elements from which on the device chooses between passes and rounds: a sample and a launch of nothing take 10 us.
inline constexpr std::size_t enough_to_analyze = std::size_t{1} << 22;

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

/// Shared memory that is enough for either.
inline constexpr std::size_t pair_shared_bytes = std::size_t{112} << 10;

/// Tiles of multiway merges by bins: a block loads `held` keys per thread, some of which are not the tile's, and sorts
/// `items` per thread, an odd number: neighbours' stretches of shared memory begin in different banks. Tiles have so
/// many elements, give or take the slack at either end, which is what a selection's first try hits as a rule.
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

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
