// Quicksort in one launch, whose blocks wait for each other.
#pragma once

#include <cstddef>

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// A sort in one launch: a block of `threads` holds `held` elements per thread, later sorts partitions of at most
/// threads * sorted elements, one of at most `buckets`.
struct resident_tiles {
  int threads;
  int held;
  int sorted;
  unsigned buckets;

  /// Elements of partitions that are all as long as can be.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t capacity() const {
    return std::size_t{buckets} * static_cast<std::size_t>(threads * sorted);
  }
  /// Elements up to which pivots from the sample practically never make a partition that no block can hold: four times
  /// the mean.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::size_t most_elements() const { return capacity() / 4; }

  friend constexpr bool operator==(const resident_tiles&, const resident_tiles&) = default;
};

/// How many elements a launch sorts: up to 2^17, 2^19 and 2^20 on 132 multiprocessors, half of the latter if they are
/// wide; or more, which no registers hold, but are streamed through them.
enum class residents : unsigned char { few, some, many, streamed };

/// Two blocks per multiprocessor keep half the register file for elements. They hold little more than their share, and
/// sort little more than that at once: every warp goes through all items of its threads, be they there or not.
GPUPAR_HOST_DEVICE constexpr resident_tiles resident_tiles_for(residents count, std::size_t key_bytes) {
  const bool wide = key_bytes > 8;
  if (count == residents::few) return {256, 4, 8, 256};
  if (count == residents::some) return {512, 4, wide ? 4 : 8, 512};
  if (count == residents::streamed) return {512, key_bytes <= 4 ? 16 : wide ? 4 : 8, wide ? 8 : 16, 1024};
  return {512, wide ? 4 : 8, wide ? 8 : 16, 512};
}
inline constexpr int resident_blocks_per_multiprocessor = 2;
inline constexpr std::size_t resident_share = 512;  ///< elements worth a block: fewer blocks wait less for each other
inline constexpr unsigned resident_sample = 4096;

/// Keys up to which one launch sorts them joined with their indices, if the device has 132 multiprocessors or so.
GPUPAR_HOST_DEVICE constexpr std::size_t most_indexed(std::size_t key_bytes) {
  return std::size_t{1} << (key_bytes <= 4 ? 20 : 19);
}

/// Rows of keys and values from which on a launch of nothing is worth what passes by digits gain where keys are skewed,
/// and up to which one launch of quicksort takes them. Keys alone are sorted by it whatever they are like.
constexpr bool worth_fallback(std::size_t n, std::size_t row_bytes) {
  const std::size_t few = std::size_t{1} << (row_bytes > 8 ? 17 : 19);
  return n > few && n <= resident_tiles_for(residents::many, row_bytes).most_elements();
}
/// Digits in which keys of n rows differ, at most, for passes by them to take less time than quicksort by splitters.
constexpr unsigned digits_worth_fallback(std::size_t n) { return n <= std::size_t{3} << 17 ? 4 : 8; }
/// How many rows have one key, on the average, where quicksort takes less time than passes: with more, bins, which are
/// of equal width, have too many of each.
inline constexpr float few_copies = 20;

/// Keys alone, or wide ones in rows of sixteen bytes, of which one launch streams as many in less time than rounds and
/// passes take, even where it has to leave them to passes. Narrow keys with values take less by passes in any case,
/// more wide keys by rounds: they are spread over more memory than the L2 cache holds.
struct streamed_range {
  std::size_t above;  ///< what registers hold
  std::size_t most;
  [[nodiscard]] constexpr bool has(std::size_t n) const { return n > above && n <= most; }
  [[nodiscard]] constexpr bool any() const { return above < most; }
};
constexpr streamed_range worth_streaming(std::size_t key_bytes, std::size_t row_bytes) {
  const std::size_t held = resident_tiles_for(residents::many, row_bytes).most_elements();
  const bool alone = row_bytes == key_bytes;
  if (alone && key_bytes == 4) return {held, 7 * held};
  if (key_bytes == 8 && (alone || row_bytes == 16)) return {held, 4 * held};
  return {held, held};
}
/// Whether partitions of as many hold their share and a seventh more, so that keys that lie evenly find room.
constexpr bool leaves_room(std::size_t key_bytes, std::size_t row_bytes) {
  const resident_tiles tiles = resident_tiles_for(residents::streamed, row_bytes);
  return worth_streaming(key_bytes, row_bytes).most <= tiles.capacity() / 8 * 7;
}
static_assert(leaves_room(4, 4) && leaves_room(8, 8) && leaves_room(8, 16));

}  // namespace gpu::inline v1::detail::device
