// Randomly generated kinds of keys. Each is identified by a number, from which are drawn: up to three concatenated
// fields of random widths and distributions, an offset of the keys, how often each key is repeated in a row, and the
// outliers that replace a few of them.
#pragma once

#include <cmath>
#include <cstdint>

#include "random.hpp"

namespace testing {

/// Keys of one kind; each seed gives others. The same on host and device.
class mixture {
 public:
  GPUPAR_HOST_DEVICE explicit mixture(std::uint64_t number, std::uint64_t seed = 0)
      : number_{mixed(number + golden_step)}, seed_{mixed(seed + golden_step)} {}

  /// The i-th key.
  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
    random_source draws{number_};
    const std::uint64_t count = 1 + draws.below(3);
    unsigned left = draws.below(2) == 0 ? 64 : 32;
    if (draws.below(2) == 0) left = 4 + static_cast<unsigned>(draws.below(left - 3));
    const std::uint64_t run = draws.below(6) == 0 ? power_of_two(draws, 14) : 1;
    std::uint64_t key = 0;
    for (std::uint64_t f = 0; f < count; ++f) {
      const auto bits = f + 1 == count ? left : 1 + static_cast<unsigned>(draws.below(left / (count - f)));
      const std::uint64_t drawn = field(draws, i / run, bits) & ~std::uint64_t{0} >> (64 - bits);
      key = (bits < 64 ? key << bits : 0) | drawn;
      left = left > bits ? left - bits : 1;
    }
    if (draws.below(5) == 0) key <<= draws.below(32);
    key += offset(draws);
    return strange(draws, i, key);
  }

 private:
  /// Evenly distributed in magnitude, from 1 to 2^most.
  GPUPAR_HOST_DEVICE static std::uint64_t power_of_two(random_source& draws, unsigned most) {
    return static_cast<std::uint64_t>(std::exp2(unit(draws()) * most));
  }
  GPUPAR_HOST_DEVICE static double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

  /// The i-th value of a field of `bits` bits; higher bits may be set, too.
  GPUPAR_HOST_DEVICE std::uint64_t field(random_source& draws, std::uint64_t i, unsigned bits) const {
    constexpr std::uint64_t laws = 8;
    const std::uint64_t law = draws.below(laws), lane = draws() ^ seed_, random = random_at(lane, i);
    const double power = 1 + unit(draws()) * 6, uniform = unit(random);
    const std::uint64_t size = power_of_two(draws, 24);
    const bool scattered = draws.below(2) == 0;
    switch (law) {
      case 0:
        return random;
      case 1:  // of any magnitude
        return static_cast<std::uint64_t>(std::exp2(uniform * bits));
      case 2:  // from a set, some values more often than others
        return of_set(lane, static_cast<std::uint64_t>(static_cast<double>(size) * std::pow(uniform, power)),
                      scattered);
      case 3:  // from a set, by Zipf's law
        return of_set(lane, static_cast<std::uint64_t>(std::exp(uniform * std::log(static_cast<double>(size)))),
                      scattered);
      case 4:  // around a mean
        return static_cast<std::uint64_t>(
            (uniform + unit(mixed(random + 1)) + unit(mixed(random + 2)) + unit(mixed(random + 3))) *
            std::ldexp(0.25, static_cast<int>(bits)));
      case 5:
        return letters(random, 2 + size % 25, power / 2, scattered);
      case 6:  // a clock that is not exact
        return i * (1 + size % 100) + scaled(random, 64 * size);
      default:
        return scattered ? i : lane;
    }
  }

  GPUPAR_HOST_DEVICE static std::uint64_t of_set(std::uint64_t lane, std::uint64_t member, bool scattered) {
    return scattered ? mixed(lane + member) : member;
  }

  /// Eight letters of an alphabet of the given size, each of which may depend on those before it.
  GPUPAR_HOST_DEVICE std::uint64_t letters(std::uint64_t random, std::uint64_t alphabet, double power,
                                           bool dependent) const {
    std::uint64_t text = 0, before = seed_;
    for (std::uint64_t at = 0; at < 8; ++at) {
      const double rank = static_cast<double>(alphabet) * std::pow(unit(mixed(random + at)), power);
      const std::uint64_t letter =
          dependent ? mixed(before + static_cast<std::uint64_t>(rank)) % 26 : static_cast<std::uint64_t>(rank);
      text = text << 8 | ('a' + letter);
      before = mixed(before + letter);
    }
    return text;
  }

  /// An offset anywhere, or just below zero or a point where the sign or the width of a number changes; mostly none.
  GPUPAR_HOST_DEVICE static std::uint64_t offset(random_source& draws) {
    constexpr std::uint64_t places = 16;
    const std::uint64_t place = draws.below(places), distance = power_of_two(draws, 40), anywhere = draws();
    switch (place) {
      case 0:
        return anywhere;
      case 1:
        return 0 - distance;
      case 2:
        return (std::uint64_t{1} << 63) - distance;
      case 3:
        return (std::uint64_t{1} << 31) - distance;
      default:
        return 0;
    }
  }

  /// Replaces some keys, or a single one, by outliers in half of the kinds.
  GPUPAR_HOST_DEVICE std::uint64_t strange(random_source& draws, std::uint64_t i, std::uint64_t key) const {
    constexpr std::uint64_t ways = 10;
    const std::uint64_t way = draws.below(ways), apart = power_of_two(draws, 23), only = draws.below(1 << 20);
    const std::uint64_t random = random_at(seed_ ^ ways, i);
    if (way == 0) return i == only ? random : key;
    if (way > 4 || random % apart != 0) return key;
    return way == 1   ? mixed(random)
           : way == 2 ? 0
           : way == 3 ? ~std::uint64_t{0}
                      : key ^ std::uint64_t{1} << random % 61;
  }

  std::uint64_t number_;
  std::uint64_t seed_;
};

}  // namespace testing
