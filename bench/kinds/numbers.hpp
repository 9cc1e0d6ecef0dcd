// Numbers as found in tables: codes, counts, prices, amounts, measurements, times. Each function returns the bits of
// the i-th key.
#pragma once

#include <cstring>

#include "draws.hpp"

namespace bench::kinds {

GPUPAR_HOST_DEVICE inline std::uint64_t bits_of(float number) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}
GPUPAR_HOST_DEVICE inline std::uint64_t bits_of(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}
/// Bits of a signed integer; narrower keys are its lowest bits.
GPUPAR_HOST_DEVICE constexpr std::uint64_t bits_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// Codes of a dictionary of 1000 values, by Zipf's law, unordered.
GPUPAR_HOST_DEVICE inline std::uint64_t dictionary_code(const slot& at) {
  constexpr std::uint64_t values = 1000;
  return testing::permuted(zipf(at.random(), values, 1), values, at.seed);
}

/// Prices in cents, with a few thousand values: bids around a random walk.
GPUPAR_HOST_DEVICE inline std::uint64_t price(const slot& at) {
  constexpr double start = 100'00, drift = 15'00, spread = 4;
  const double time = static_cast<double>(at.i) / static_cast<double>(at.n);
  return bits_of(static_cast<std::int64_t>(start + drift * walk(time, at.seed, 20) + spread * normal(at.random())));
}

/// Amounts of money with two decimals, log-normal. f64.
GPUPAR_HOST_DEVICE inline std::uint64_t amount(const slot& at) {
  return bits_of(std::floor(std::exp(3 + 1.3 * normal(at.random())) * 100) / 100);
}

/// Outputs of rectified layers: half of them zero, the rest the positive half of a bell curve. f32.
GPUPAR_HOST_DEVICE inline std::uint64_t half_zero(const slot& at) {
  const double number = normal(at.random());
  return bits_of(number < 0 ? 0.0f : static_cast<float>(number));
}

/// Similarities: numbers near 0.3. f32.
GPUPAR_HOST_DEVICE inline std::uint64_t score(const slot& at) {
  return bits_of(static_cast<float>(0.3 + 0.08 * normal(at.random())));
}

/// Depths in a frame buffer, most close to 1. f32.
GPUPAR_HOST_DEVICE inline std::uint64_t depth(const slot& at) {
  constexpr double nearest = 0.1;
  const double distance = nearest + std::exp(1.5 + normal(at.random()));
  return bits_of(static_cast<float>(1 - nearest / distance));
}

/// Readings of 16 sensors in turn, of 12 bits each, which drift slowly. f32.
GPUPAR_HOST_DEVICE inline std::uint64_t reading(const slot& at) {
  constexpr std::uint64_t sensors = 16;
  const std::uint64_t sensor = at.i % sensors;
  const double time = static_cast<double>(at.i) / static_cast<double>(at.n);
  const double centre = 15 + 30 * unit(at.shared(1, sensor));
  const double value = centre + 4 * walk(time, at.shared(2, sensor), 12) + 0.1 * normal(at.random());
  return bits_of(static_cast<float>(std::floor(value * 32) / 32));
}

/// Small differences of either sign, most near zero.
GPUPAR_HOST_DEVICE inline std::uint64_t difference(const slot& at) {
  const auto size = static_cast<std::int64_t>(40 * exponential(at.random()));
  return bits_of(at.random(1) % 2 == 0 ? size : -size);
}

/// Counts of up to `most` bits, whose logarithm is the square of a uniform number and so mostly small.
GPUPAR_HOST_DEVICE inline std::uint64_t count(const slot& at, double most) {
  const double u = unit(at.random());
  return static_cast<std::uint64_t>(std::exp2(most * u * u));
}

/// Sizes in bytes whose logarithm is uniform.
GPUPAR_HOST_DEVICE inline std::uint64_t size(const slot& at, double most) {
  return static_cast<std::uint64_t>(std::exp2(most * unit(at.random())));
}

/// Nanoseconds since 1970: one event a microsecond, seen up to 1.8 ms late.
GPUPAR_HOST_DEVICE inline std::uint64_t timestamp(const slot& at) {
  constexpr std::uint64_t start = 1'764'000'000'000'000'000u;
  return start + at.i * 1000 - static_cast<std::uint64_t>(50'000 * exponential(at.random()));
}

/// Days within thirty years, approximately in order.
GPUPAR_HOST_DEVICE inline std::uint64_t date(const slot& at) {
  constexpr double first = 9'000, days = 11'000;
  return bits_of(static_cast<std::int64_t>(first + days * static_cast<double>(at.i) / static_cast<double>(at.n) +
                                           30 * exponential(at.random())));
}

/// 64 sorted runs of even lengths, one after the other.
GPUPAR_HOST_DEVICE inline std::uint64_t in_sorted_runs(const slot& at, int bits) {
  constexpr std::uint64_t runs = 64;
  const std::uint64_t length = (at.n + runs - 1) / runs;
  const std::uint64_t step = (~std::uint64_t{0} >> (64 - bits)) / length;
  return at.i % length * step + testing::scaled(at.random(), step);
}

}  // namespace bench::kinds
