#include "segments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../tests/support/distributions.hpp"

namespace bench {
namespace {

/// Uniform in [0, 1).
double fraction(std::uint64_t stream, std::uint64_t i) {
  return static_cast<double>(testing::random_at(stream, i) >> 11) * 0x1p-53;
}

/// The i-th normally distributed number, by the Box-Muller transform.
double normal(std::uint64_t i) {
  return std::sqrt(-2 * std::log(1 - fraction(1, i))) * std::cos(2 * std::numbers::pi * fraction(2, i));
}

/// The length of segment i.
std::size_t length_of(const problem& asked, std::uint64_t i) {
  const auto ways = static_cast<double>(asked.ways);
  const double drawn = fraction(1, i);
  switch (asked.lengths) {
    case segment_lengths::alike:
      return asked.ways;
    case segment_lengths::geometric:
      return static_cast<std::size_t>(std::log(1 - drawn) / std::log(1 - 1 / (ways + 1)));
    case segment_lengths::even:
      return static_cast<std::size_t>(drawn * (ways + 1));
    case segment_lengths::log_normal:
      return static_cast<std::size_t>(ways * std::exp(normal(i)));
    case segment_lengths::power_law:
      return static_cast<std::size_t>(std::min(std::pow(1 - drawn, -1 / 0.9), ways));
  }
  return asked.ways;
}

}  // namespace

std::vector<std::uint32_t> offsets_of(const problem& asked) {
  std::vector<std::uint32_t> offsets;
  for (std::size_t at = 0; at < asked.n; at += length_of(asked, offsets.size() - 1))
    offsets.push_back(static_cast<std::uint32_t>(at));
  offsets.push_back(static_cast<std::uint32_t>(asked.n));
  return offsets;
}

std::vector<std::uint32_t> heads_of(const problem& asked) {
  std::vector<std::uint32_t> heads(asked.n / 32 + 1);
  for (const std::uint32_t at : offsets_of(asked)) heads[at / 32] |= 1u << at % 32;
  return heads;
}

}  // namespace bench
