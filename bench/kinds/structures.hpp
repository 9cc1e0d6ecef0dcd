// Keys from which structures are built: particles along a curve, edges of a graph, entries of a matrix, pixels. Each
// function returns the i-th key.
#pragma once

#include "draws.hpp"

namespace bench::kinds {

/// Spreads the 21 bits of a number so that two zeros lie between them.
GPUPAR_HOST_DEVICE constexpr std::uint64_t apart_by_three(std::uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

/// Morton codes of particles in three dimensions of `bits` bits each: most in clusters that are denser towards the
/// middle, some anywhere.
GPUPAR_HOST_DEVICE inline std::uint64_t morton_code(const slot& at, int bits) {
  constexpr std::uint64_t clusters = 3000;
  const double cells = static_cast<double>(std::uint64_t{1} << bits);
  const std::uint64_t cluster = zipf(at.random(), clusters, 0.9);
  const bool in_cluster = at.random(1) % 8 != 0;
  const double radius = 0.02 * exponential(at.random(2)) * unit(at.shared(1, cluster));
  std::uint64_t code = 0;
  for (int dimension = 0; dimension < 3; ++dimension) {
    const double centre = unit(at.shared(2 + dimension, cluster));
    double place = in_cluster ? centre + radius * normal(at.random(3 + dimension)) : unit(at.random(3 + dimension));
    place = (place - std::floor(place)) * cells;
    code |= apart_by_three(static_cast<std::uint64_t>(place)) << dimension;
  }
  return code;
}

/// Edges of a recursive graph (R-MAT; Chakrabarti, Zhan and Faloutsos, 2004) of 2^22 vertices: from << 32 | to.
GPUPAR_HOST_DEVICE constexpr std::uint64_t edge(const slot& at) {
  constexpr int scale = 22;
  std::uint64_t from = 0, to = 0, bits = 0;
  for (int level = 0; level < scale; ++level, bits >>= 16) {
    if (level % 4 == 0) bits = at.random(level / 4);
    const std::uint64_t share = (bits & 0xffff) * 100 >> 16;  // 57, 19, 19 and 5 percent
    from = from << 1 | (share >= 76);
    to = to << 1 | ((share >= 57 && share < 76) || share >= 95);
  }
  return from << 32 | to;
}

/// Entries of the matrix of a three-dimensional grid, 27 per row, in the order in which cells add to them: row << 32 |
/// column.
GPUPAR_HOST_DEVICE inline std::uint64_t matrix_entry(const slot& at) {
  const std::uint64_t rows = at.n / 27 + 1;
  const auto side = static_cast<std::uint64_t>(std::cbrt(static_cast<double>(rows))) + 1;
  const std::uint64_t row = testing::permuted(at.i / 27, rows, at.seed), neighbour = at.i % 27;
  const auto centre = static_cast<std::int64_t>(row), width = static_cast<std::int64_t>(side);
  const std::int64_t dx = static_cast<std::int64_t>(neighbour % 3) - 1,
                     dy = static_cast<std::int64_t>(neighbour / 3 % 3) - 1,
                     dz = static_cast<std::int64_t>(neighbour / 9) - 1;
  const std::int64_t column = centre + dx + width * (dy + width * dz);
  return row << 32 | static_cast<std::uint64_t>(column < 0 ? 0 : column);
}

/// Opaque pixels of a picture, red first: smooth colours with a little noise, and flat areas.
GPUPAR_HOST_DEVICE inline std::uint64_t colour(const slot& at) {
  constexpr std::uint64_t width = 8192, area = 64;
  const std::uint64_t column = at.i % width, row = at.i / width;
  const std::uint64_t area_number = row / area << 32 | column / area;
  const bool flat = at.shared(1, area_number) % 3 == 0;
  const std::uint64_t shade = at.shared(2, area_number) % 8;
  std::uint64_t bits = 0xff;
  for (int channel = 2; channel >= 0; --channel) {
    const double soft = noise(static_cast<double>(column) / 300, static_cast<double>(row) / 300, at.shared(3, channel));
    const double value = flat ? 28.0 * static_cast<double>(at.shared(4 + channel, shade) % 10)
                              : 20 + 200 * soft + 3 * normal(at.random(channel));
    bits = bits << 8 | (static_cast<std::uint64_t>(value) & 0xff);
  }
  return bits;
}

}  // namespace bench::kinds
