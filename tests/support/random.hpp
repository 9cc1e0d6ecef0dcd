// Random numbers as functions of a seed and an index, the same on host and device, so that any part of an input can be
// generated anywhere and in any order.
#pragma once

#include <cstdint>

#include "gpu/detail/config.hpp"

namespace testing {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a bijection of 64 bits.
GPUPAR_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15u;

/// The index-th number of SplitMix64 from this seed.
GPUPAR_HOST_DEVICE constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
  return mixed(seed + (index + 1) * golden_step);
}

/// Maps 64 random bits to a number in [0, bound), or 0 for bound 0. The bias is below 2^-24 for bounds up to 2^40.
GPUPAR_HOST_DEVICE constexpr std::uint64_t scaled(std::uint64_t bits, std::uint64_t bound) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(bits) * bound >> 64);
}

/// std::bit_width, for the device too.
GPUPAR_HOST_DEVICE constexpr int bit_length(std::uint64_t x) {
  int length = 0;
  for (int step = 32; step > 0; step /= 2)
    if (x >> step != 0) {
      x >>= step;
      length += step;
    }
  return length + (x != 0);
}

/// The image of i under a permutation of 0 … n - 1 determined by the seed: invertible steps on the next power of two,
/// repeated until the result is below n (cycle walking; Black and Rogaway, 2002), on average at most twice. Requires
/// i < n.
GPUPAR_HOST_DEVICE constexpr std::uint64_t permuted(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  const int bits = bit_length(n - 1);
  if (bits == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const int shift = (bits + 1) / 2;
  do {
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t key = random_at(seed, round);
      i = (i * (2 * key + 1) + (key >> 32)) & mask;
      i ^= i >> shift;
    }
  } while (i >= n);
  return i;
}

/// SplitMix64 as a generator.
class random_source {
 public:
  using result_type = std::uint64_t;
  GPUPAR_HOST_DEVICE explicit constexpr random_source(std::uint64_t seed) : state_{seed} {}

  GPUPAR_HOST_DEVICE constexpr std::uint64_t operator()() { return mixed(state_ += golden_step); }
  /// In [0, bound), or 0 for bound 0.
  GPUPAR_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t bound) { return scaled((*this)(), bound); }

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

 private:
  std::uint64_t state_;
};

}  // namespace testing
