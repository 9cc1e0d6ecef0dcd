// Passes by digits, and when they take less time than rounds.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "resident.hpp"
#include "tile.hpp"

namespace gpu::inline v1::detail::device {

/// Elements of a sample that says how evenly keys lie: enough for the peaks of a histogram of 64 to mean something.
inline constexpr unsigned evenness_sample = 4096;

/// Tiles of passes by 8-bit digits: longer ones make longer runs of a digit, as far as registers hold them, but too few
/// tiles of few elements. Of keys alone four blocks share a multiprocessor, so that three go on while one waits for
/// tiles before; with values two, for runs of less than 128 bytes cost more than waiting does. No tile is a power of
/// two long, or digits of numbers in a row would all go to the same channels of memory. At least as many threads as
/// there are digits.
GPUPAR_HOST_DEVICE constexpr tile_shape radix_tile(std::size_t key_bytes, std::size_t value_bytes) {
  if (key_bytes > 8 || value_bytes > 8) return {512, 6};
  if (value_bytes == 0) return {256, key_bytes <= 4 ? 27 : 17};
  if (key_bytes > 4) return {512, value_bytes <= 4 ? 13 : 11};
  return {512, value_bytes <= 4 ? 15 : 13};
}

/// Blocks per multiprocessor whose registers are there.
GPUPAR_HOST_DEVICE constexpr int radix_blocks(tile_shape tile) { return 1024 / tile.threads; }

/// The first tiles of a pass, of which most begin together.
inline constexpr unsigned radix_tiles_at_once = 264;

/// How many digits may vary for passes to take less time than rounds, whose buckets
struct digit_limits {
  unsigned even;             ///< are of equal width
  unsigned repeated;         ///< of equal width, but keys occur many times each
  unsigned crowded;          ///< of equal width, but different keys lie in small crowds in them
  unsigned curved;           ///< along a curve
  unsigned crowded_curve;    ///< along a curve, with crowds
  unsigned searched;         ///< searched for
  unsigned skewed;           ///< of any kind, but some keys are heavy
  unsigned mostly;           ///< of any kind, but most keys are heavy,
  float most_skewed = 0.4f;  ///< more than this part of all
  unsigned some_heavy = 3;   ///< so many heavy keys among a random few thousand make keys skewed
  bool heavy_aside = false;  ///< whether the first six are asked of keys but heavy ones, which rounds set aside
  friend constexpr bool operator==(const digit_limits&, const digit_limits&) = default;
};

/// Of keys with values. Measured: where keys and values are of one width, rounds move them as pairs, else as columns. A
/// round more makes passes worth a digit less where keys lie along a curve. Where keys repeat, base cases put few of
/// them in order; skewed ones have to be divided by splitters before, but most of them need not move again if most are
/// heavy.
constexpr digit_limits digits_by_key(std::size_t key_bytes, std::size_t value_bytes, std::size_t n) {
  constexpr std::size_t unit = std::size_t{1} << 20;
  const bool some = n >= 16 * unit, many = n > 16 * unit;
  if (key_bytes == 4 && value_bytes == 4)
    return {.even = 2,
            .repeated = some ? 3u : 4u,
            .crowded = 4,
            .curved = many ? 3u : 4u,
            .crowded_curve = 4,
            .searched = 4,
            .skewed = 4,
            .mostly = many ? 2u : 4u,
            .most_skewed = 0.8f};
  if (key_bytes == 4) return {4, 4, 4, 4, 4, 4, 4, 4};
  if (value_bytes == 8)
    return {.even = 2,
            .repeated = 6,
            .crowded = 8,
            .curved = 6,
            .crowded_curve = n <= 8 * unit ? 8u : 6u,
            .searched = 6,
            .skewed = 6,
            .mostly = 3};
  if (value_bytes > 4) return {3, 8, 8, 8, 8, 8, 8, 8};
  // Rows are sorted as one integer: values tell equal keys from each other, and bins do not.
  return {.even = 4,
          .repeated = 8,
          .crowded = 8,
          .curved = 8,
          .crowded_curve = 8,
          .searched = 8,
          .skewed = 8,
          .mostly = some ? 3u : 8u,
          .most_skewed = 0.8f};
}

/// Of keys whose places are sorted: the first pass reads keys alone, the last one writes places alone, and none has to
/// be brought to its destination.
constexpr digit_limits digits_of_places(std::size_t key_bytes, std::size_t n) {
  const unsigned uneven = n >= std::size_t{1} << 24 ? 7 : 8;
  if (key_bytes == 4) return {2, 4, 4, 4, 4, 4, 4, 4};
  return {.even = 3,
          .repeated = 8,
          .crowded = 8,
          .curved = uneven,
          .crowded_curve = 8,
          .searched = uneven,
          .skewed = 8,
          .mostly = 8};
}

/// Of keys alone, which rounds move at half the price. Heavy keys are set aside; base cases of skewed ones take longer
/// all the same.
constexpr digit_limits digits_alone(std::size_t key_bytes, std::size_t n) {
  constexpr std::size_t unit = std::size_t{1} << 20;
  const bool many = n > 16 * unit;
  const unsigned uneven = many ? 2 : 4, wide = many ? 3 : 5;
  if (key_bytes == 4)
    return {.even = 2,
            .repeated = 2,
            .crowded = 4,
            .curved = uneven,
            .crowded_curve = 4,
            .searched = uneven,
            .skewed = 4,
            .mostly = 2,
            .most_skewed = n > 32 * unit ? 0.3f
                           : many        ? 0.8f
                                         : 0.95f,
            .some_heavy = many ? 8u : 3u,
            .heavy_aside = true};
  const bool few = n <= 4 * unit;
  return {.even = few ? 3u : 2u,
          .repeated = few ? 8u : wide,
          .crowded = few ? 8u : 5u,
          .curved = few    ? 6u
                    : many ? 3u
                           : 4u,
          .crowded_curve = n <= 8 * unit ? 8u : 7u,
          .searched = few ? 8u : 5u,
          .skewed = few ? 8u : 5u,
          .mostly = few ? 8u : 3u,
          .most_skewed = 0.8f,
          .heavy_aside = true};
}

/// How many keys of 4 bytes, alone or with what follows them, passes by digits sort in less time than rounds, whatever
/// the keys: more than one launch of quicksort holds, fewer than make rounds pay. Not of keys alone that it streams.
struct passes_range {
  std::size_t above;
  std::size_t below;
  [[nodiscard]] constexpr bool has(std::size_t n) const { return n > above && n < below; }
};
constexpr passes_range worth_passes(std::size_t key_bytes, bool alone) {
  constexpr std::size_t unit = std::size_t{1} << 20;
  return key_bytes == 4 ? passes_range{unit, alone ? 5 * unit : 4 * unit} : passes_range{0, 0};
}

/// Elements from which on the device chooses between passes and rounds: a sample and a launch of nothing take 10 to 20
/// us. Wide keys alone are chosen for from where one launch does not hold them, narrow ones where it streams them no
/// more, either.
constexpr std::size_t enough_to_analyze(std::size_t key_bytes, std::size_t value_bytes) {
  const bool alone = value_bytes == 0, narrow = value_bytes == 1 || value_bytes == 2;
  if (key_bytes == 4 && alone) return device::worth_streaming(key_bytes, value_bytes).most + 1;
  if (key_bytes == 4 && !narrow) return device::worth_passes(key_bytes, false).below;
  if (key_bytes == 8 && !narrow) return (std::size_t{1} << 20) + (alone ? 1 : 0);
  return ~std::size_t{0};
}

}  // namespace gpu::inline v1::detail::device
