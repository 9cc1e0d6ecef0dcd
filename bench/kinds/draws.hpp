// Random numbers of common distributions as pure functions of random bits, for host and device, from which the kinds of
// real data are made.
#pragma once

#include <cmath>
#include <cstdint>

#include "../../tests/support/random.hpp"

namespace bench::kinds {

/// The i-th of n keys, 0 <= i < n.
struct slot {
  std::uint64_t i, n, seed;

  /// Random bits of this key; each lane gives others.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::uint64_t random(std::uint64_t lane = 0) const {
    return testing::random_at(seed + lane * 0x632be59bd9b4e019u, i);
  }
  /// Random bits that all keys with this number share.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::uint64_t shared(std::uint64_t lane, std::uint64_t number) const {
    return testing::random_at(testing::mixed(seed ^ lane), number);
  }
};

/// In [0, 1).
GPUPAR_HOST_DEVICE constexpr double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Standard normal, except for its tails: the sum of four uniform numbers of 16 bits and a fraction.
GPUPAR_HOST_DEVICE constexpr double normal(std::uint64_t bits) {
  const std::uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return (static_cast<double>(sum) + unit(testing::mixed(bits)) - 131070.5) / 37837;
}

/// Exponential of mean 1, at most 36.
GPUPAR_HOST_DEVICE inline double exponential(std::uint64_t bits) { return -std::log(1 - unit(bits)); }

/// Ranks 0 … count - 1 by Zipf's law: the frequency of a rank falls as 1 / (rank + 1)^exponent, 0 < exponent < 2. By
/// the inverse of the continuous law.
GPUPAR_HOST_DEVICE inline std::uint64_t zipf(std::uint64_t bits, std::uint64_t count, double exponent) {
  const double u = unit(bits), power = 1 - exponent, most = static_cast<double>(count + 1);
  const double x =
      std::abs(power) < 1e-3 ? std::exp(u * std::log(most)) : std::pow(1 + u * (std::pow(most, power) - 1), 1 / power);
  const auto rank = static_cast<std::uint64_t>(x);
  return rank < 1 ? 0 : rank > count ? count - 1 : rank - 1;
}

/// A Brownian path that starts at 0 and has variance 1 at time 1, 0 <= time < 1, by Lévy's sum of triangles down to
/// steps of 2^-levels.
GPUPAR_HOST_DEVICE inline double walk(double time, std::uint64_t seed, int levels) {
  double sum = time * normal(testing::random_at(seed, 0)), height = 0.5;
  for (int level = 0; level < levels; ++level, height *= 0.70710678118654752) {
    const std::uint64_t part = std::uint64_t{1} << level;
    const double place = time * static_cast<double>(part);
    const auto triangle = static_cast<std::uint64_t>(place);
    const double within = place - static_cast<double>(triangle);
    sum += height * (1 - std::abs(2 * within - 1)) * normal(testing::random_at(seed, part + triangle));
  }
  return sum;
}

/// Smooth noise in [0, 1) over the plane, with a random value at every integer point.
GPUPAR_HOST_DEVICE inline double noise(double x, double y, std::uint64_t seed) {
  const auto column = static_cast<std::uint64_t>(x), row = static_cast<std::uint64_t>(y);
  const double right = x - static_cast<double>(column), below = y - static_cast<double>(row);
  const auto corner = [&](std::uint64_t dx, std::uint64_t dy) {
    return unit(testing::random_at(seed, (row + dy) << 32 | (column + dx)));
  };
  const double upper = corner(0, 0) * (1 - right) + corner(1, 0) * right;
  const double lower = corner(0, 1) * (1 - right) + corner(1, 1) * right;
  return upper * (1 - below) + lower * below;
}

}  // namespace bench::kinds
