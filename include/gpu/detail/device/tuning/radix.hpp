// Passes by digits, and when they take less time than rounds.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "resident.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Size of the sample that shows how evenly keys lie: enough for the peaks of a histogram of 64 to be significant.
inline constexpr unsigned evenness_sample = 4096;

/// Tiles of passes by 8-bit digits. A tile takes nearly the same time whatever its length, as long as registers hold
/// it, but few elements make too few long tiles. For keys alone four blocks share a multiprocessor, so that three go on
/// while one waits for preceding tiles; with values two, since runs of less than 128 bytes cost more than waiting does.
/// No tile's length is a power of two, or digits of consecutive numbers would all go to the same channels of memory. At
/// least as many threads as there are digits.
GPUPAR_HOST_DEVICE constexpr tile_shape radix_tile(std::size_t key_bytes, std::size_t value_bytes) {
  if (value_bytes > 8) return {512, 10};
  if (key_bytes > 8) return {512, 6};
  if (value_bytes == 0) return {256, key_bytes <= 4 ? 31 : 19};
  return {512, key_bytes + value_bytes <= 8 ? 23 : 14};
}

/// The first tiles of a pass, of which most begin together: two for each of 132 multiprocessors.
inline constexpr unsigned radix_tiles_at_once = 264;

/// Items per thread in tiles of n > 0 elements: as many as the tile has room for, or fewer if every multiprocessor then
/// has one tile, or else two, of equal length. An odd number, so that no tile's length is a power of two.
GPUPAR_HOST_DEVICE constexpr unsigned items_for(tile_shape tile, std::size_t n) {
  constexpr std::size_t least = 3;
  const auto threads = static_cast<std::size_t>(tile.threads), most = static_cast<std::size_t>(tile.items);
  const auto shared_by = [&](std::size_t tiles) { return (n - 1) / (threads * tiles) + 1; };
  std::size_t items = shared_by(radix_tiles_at_once / 2);
  if (items > most) items = shared_by(radix_tiles_at_once);
  items = (items < least ? least : items) | 1;
  return static_cast<unsigned>(items < most ? items : most);
}

/// The most shared memory of a block with such a tile: as much as every device has, except for values of 16 bytes.
inline constexpr std::size_t radix_shared_bytes = std::size_t{64} << 10;
inline constexpr std::size_t wide_value_shared_bytes = std::size_t{88} << 10;

/// Portions that the values of a tile are read in: registers hold one.
GPUPAR_HOST_DEVICE constexpr int radix_value_portions(std::size_t key_bytes, std::size_t value_bytes) {
  return value_bytes > 8 || key_bytes + value_bytes <= 8 ? 2 : 1;
}

/// Tiles of a kernel that counts digits, two blocks of which share a multiprocessor.
GPUPAR_HOST_DEVICE constexpr tile_shape digit_count_tile(std::size_t key_bytes) {
  return {1024, key_bytes <= 4 ? 12 : 4};
}
/// Layout of a block's counters of digits: copies of each, and counters per word.
struct digit_counters {
  unsigned copies;
  unsigned per_word;
};
/// With sixteen copies lanes hardly ever conflict in a bank, with fewer as often as with one. There is room for sixteen
/// where two counters share a word and keys are narrow.
GPUPAR_HOST_DEVICE constexpr digit_counters digit_counters_of(std::size_t key_bytes) {
  return key_bytes <= 4 ? digit_counters{16, 2} : digit_counters{1, 1};
}

/// Blocks per multiprocessor, by registers.
GPUPAR_HOST_DEVICE constexpr int radix_blocks(tile_shape tile) { return 1024 / tile.threads; }

/// How many digits may vary for passes to take less time than rounds, where the buckets of rounds are
struct digit_limits {
  unsigned even;             ///< of equal width
  unsigned repeated;         ///< of equal width, but keys occur many times each
  unsigned crowded;          ///< of equal width, but different keys lie in small crowds in them
  unsigned curved;           ///< along a curve
  unsigned crowded_curve;    ///< along a curve, with crowds
  unsigned searched;         ///< searched for
  unsigned skewed;           ///< of any kind, but some keys are heavy
  unsigned mostly;           ///< of any kind, but more than most_skewed of the keys are heavy
  float most_skewed = 0.4f;  ///< part of all keys
  unsigned some_heavy = 3;   ///< this many heavy keys among a few thousand random ones make keys skewed
  bool heavy_aside = false;  ///< whether the first six are for keys without the heavy ones, which rounds set aside
};

/// The same limit whatever the keys are like.
constexpr digit_limits limits_of(unsigned digits) {
  return {digits, digits, digits, digits, digits, digits, digits, digits};
}

/// Limits for keys with values, measured. Where keys and values have the same width, rounds move them as pairs, else as
/// columns. For wide keys that repeat, crowd or are skewed, rounds may take twice as long as passes, and passes hardly
/// ever half as long again as rounds.
constexpr digit_limits digits_by_key(std::size_t key_bytes, std::size_t value_bytes, std::size_t n) {
  constexpr std::size_t unit = std::size_t{1} << 20;
  const bool many = n > 16 * unit;
  digit_limits limits = device::limits_of(static_cast<unsigned>(key_bytes));
  if (key_bytes == 4) {
    if (value_bytes != 4) return limits;
    limits.even = 2;
    limits.curved = many ? 3 : 4;
  } else if (value_bytes == 8) {
    limits.even = limits.curved = limits.searched = 4;
    limits.mostly = 6;
  } else if (value_bytes > 4) {
    limits.even = 3;
  } else {  // rows are sorted as one integer: values tell equal keys apart, but bins do not look at them
    limits.even = 4;
    limits.curved = 6;
  }
  return limits;
}

/// Limits for keys alone, at least enough_to_analyze() of them, which rounds move at half the price. Heavy keys are set
/// aside; base cases of skewed keys take longer all the same.
constexpr digit_limits digits_alone(std::size_t key_bytes, std::size_t n) {
  constexpr std::size_t unit = std::size_t{1} << 20;
  const bool few = n <= 4 * unit, many = n > 16 * unit;
  digit_limits limits = device::limits_of(key_bytes == 4 ? 4 : few ? 8 : 5);
  limits.heavy_aside = true;
  if (key_bytes == 4) {
    limits.even = limits.repeated = limits.searched = limits.mostly = 2;
    limits.most_skewed = 0.9f;
    limits.some_heavy = 8;
    return limits;
  }
  limits.most_skewed = 0.8f;
  limits.crowded_curve = n <= 8 * unit ? 8 : 6;
  limits.even = few ? 3 : 2;
  limits.curved = few ? 6 : many ? 3 : 4;
  if (!few) limits.mostly = 3;
  if (many) limits.repeated = 3;
  return limits;
}

/// What sorting by the leading digits costs in addition to its passes, in passes over all elements.
struct leading_digits_prices {
  bool offered = false;  ///< else all digits are needed
  float copy_back = 0;   ///< of an odd number of passes
  float ordering = 0;    ///< short runs of keys that tie
  float gathering = 0;   ///< long runs, however few
  float gathered = 0;    ///< elements of long runs, times their part of all elements
};

/// With fewer elements, looking at them and waiting take as long as a pass or two.
inline constexpr std::size_t least_for_leading_digits = std::size_t{1} << 22;

/// Measured.
constexpr leading_digits_prices prices_of_leading_digits(std::size_t key_bytes, std::size_t value_bytes, std::size_t n,
                                                         bool in_place) {
  if (key_bytes != 8 || value_bytes < 4 || n < least_for_leading_digits) return {};
  constexpr float bytes_per_us = 2.9e6f, start_of_pass = 6, start_of_gathering = 110;  // us
  const auto bytes = 2 * static_cast<float>(key_bytes + value_bytes) * static_cast<float>(n);
  const float pass = start_of_pass + bytes / bytes_per_us;
  return {true, in_place ? 0.72f : 0, value_bytes <= 4 ? 0.6f : 0.5f, 0.1f + start_of_gathering / pass,
          static_cast<float>(key_bytes + 2)};
}

/// Keys, and values that follow them, that passes by digits sort whatever the keys are like if there are more than
/// `above` and at most `most`: most kinds of keys gain by that, and none falls far behind. A launch of quicksort or
/// rounds would sort keys that lie evenly, which floating-point ones hardly ever do, in as little as six tenths of the
/// time, but would leave others to passes only after looking at them.
struct passes_range {
  std::size_t key_bytes, value_bytes;
  bool floating;
  std::size_t above, most;
};
inline constexpr std::size_t passes_unit = std::size_t{1} << 20, any_number = ~std::size_t{0};
/// Of sorts whose passes move the values, if any, along.
inline constexpr passes_range passes_of_rows[] = {
    {2, 0, false, 3 * passes_unit / 8, passes_unit},
    {4, 0, false, passes_unit, 32 * passes_unit},
    {4, 0, true, passes_unit, 64 * passes_unit},
    {4, 4, false, 3 * passes_unit / 16, 64 * passes_unit},
    {4, 4, true, passes_unit / 4, any_number},
    {8, 0, true, 2 * passes_unit, 8 * passes_unit},
    {8, 4, false, passes_unit / 8, 32 * passes_unit},
    {8, 4, true, passes_unit / 8, any_number},
    {8, 8, false, passes_unit / 8, 8 * passes_unit},
    {8, 8, true, passes_unit / 8, 8 * passes_unit},
};
/// Of argsorts.
inline constexpr passes_range passes_of_argsort[] = {
    {4, 0, false, 3 * passes_unit / 16, any_number},
    {4, 0, true, passes_unit / 4, any_number},
    {8, 0, false, passes_unit / 8, any_number},
    {8, 0, true, passes_unit / 8, any_number},
};
/// Of floating-point keys alone, where equivalent ones keep their order.
inline constexpr passes_range passes_of_stable_floats[] = {{4, 0, true, passes_unit / 8, 64 * passes_unit},
                                                           {8, 0, true, passes_unit / 8, 16 * passes_unit}};

/// Whether passes by digits sort n such keys, whatever they are.
template <std::size_t Ranges>
constexpr bool worth_passes(const passes_range (&ranges)[Ranges], std::size_t key_bytes, std::size_t value_bytes,
                            bool floating, std::size_t n) {
  for (const passes_range& range : ranges)
    if (range.key_bytes == key_bytes && range.value_bytes == value_bytes && range.floating == floating &&
        n > range.above && n <= range.most)
      return true;
  return false;
}

/// From this many elements on, the device chooses between passes and rounds: a sample and an empty launch take 10 to 20
/// us. For wide keys alone, this is where one launch no longer holds them; for narrow ones, where passes no longer sort
/// them in any case.
constexpr std::size_t enough_to_analyze(std::size_t key_bytes, std::size_t value_bytes) {
  const bool alone = value_bytes == 0, narrow = value_bytes == 1 || value_bytes == 2;
  if (key_bytes == 4 && alone) return 32 * passes_unit + 1;
  if (key_bytes == 4 && !narrow) return std::size_t{1} << 22;
  if (key_bytes == 8 && !narrow) return (std::size_t{1} << 20) + (alone ? 1 : 0);
  return ~std::size_t{0};
}

}  // namespace gpu::inline v1::detail::device
