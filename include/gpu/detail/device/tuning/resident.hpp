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
};

/// How many elements a launch sorts: up to 2^17, 2^19 and 2^20 on 132 multiprocessors, half of the latter if they are
/// wide; or more, which registers do not hold, but which are streamed through them.
enum class residents : unsigned char { few, some, many, streamed };

/// Two blocks per multiprocessor keep half the register file for elements. They hold little more than their share, and
/// sort little more than that at once: every warp goes through all items of its threads, whether present or not.
GPUPAR_HOST_DEVICE constexpr resident_tiles resident_tiles_for(residents count, std::size_t key_bytes) {
  const bool wide = key_bytes > 8;
  if (count == residents::few) return {256, 4, 8, 256};
  if (count == residents::some) return {512, 4, wide ? 4 : 8, 512};
  if (count == residents::streamed) return {512, 8, 16, 1024};
  return {512, wide ? 4 : 8, wide ? 8 : 16, 512};
}
inline constexpr int resident_blocks_per_multiprocessor = 2;
inline constexpr std::size_t resident_share = 512;  ///< elements worth a block: fewer blocks wait less for each other
inline constexpr unsigned resident_sample = 4096;

/// Up to this many keys, one launch sorts them joined with their indices, if the device has 132 multiprocessors or so.
GPUPAR_HOST_DEVICE constexpr std::size_t most_indexed(std::size_t key_bytes) {
  return std::size_t{1} << (key_bytes <= 4 ? 20 : 19);
}

/// How many keys of 8 bytes without values one launch streams in less time than rounds and passes take, even where it
/// has to leave them to passes. Narrower keys, and keys with values, take less time by passes in any case.
struct streamed_range {
  std::size_t above;  ///< what registers hold
  std::size_t most;
  [[nodiscard]] constexpr bool has(std::size_t n) const { return n > above && n <= most; }
};
constexpr streamed_range worth_streaming(std::size_t key_bytes) {
  const std::size_t held = resident_tiles_for(residents::many, key_bytes).most_elements();
  return {held, key_bytes == 8 ? 4 * held : held};
}
/// Partitions of that many keys have room for their share and a seventh more, so that keys that lie evenly fit.
static_assert(worth_streaming(8).most <= resident_tiles_for(residents::streamed, 8).capacity() / 8 * 7);

}  // namespace gpu::inline v1::detail::device
