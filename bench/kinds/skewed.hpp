// Controlled skew: Zipf's laws, copies, crowds, one key among others. Each function returns the position of the i-th
// key among all keys of a type, from 0 to 2^64 - 1.
#pragma once

#include "draws.hpp"

namespace bench::kinds {

/// As many values as there are keys, at random positions, with frequencies by Zipf's law.
GPUPAR_HOST_DEVICE inline std::uint64_t by_zipf(const slot& at, double exponent) {
  return at.shared(1, zipf(at.random(), at.n, exponent));
}

/// Values at random positions, each of which occurs about `times` times.
GPUPAR_HOST_DEVICE inline std::uint64_t copied(const slot& at, std::uint64_t times) {
  return at.shared(1, testing::scaled(at.random(), at.n / times + 1));
}

/// Normally distributed crowds at random positions, together as wide as a hundredth of all positions.
GPUPAR_HOST_DEVICE inline std::uint64_t in_crowds(const slot& at, std::uint64_t crowds) {
  constexpr double all = 0x1p64;
  const std::uint64_t centre = at.shared(1, testing::scaled(at.random(), crowds));
  const double away = normal(at.random(1)) * all / 100 / static_cast<double>(crowds);
  return centre + static_cast<std::uint64_t>(static_cast<std::int64_t>(away));
}

/// One value with probability `share`, else uniform ones.
GPUPAR_HOST_DEVICE inline std::uint64_t mostly_one(const slot& at, double share) {
  return unit(at.random(1)) < share ? at.shared(1, 0) : at.random();
}

}  // namespace bench::kinds
