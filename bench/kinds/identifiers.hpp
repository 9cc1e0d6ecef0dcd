// Identifiers: addresses, hashes, numbers, keys of other tables. Each function returns the i-th key.
#pragma once

#include "draws.hpp"

namespace bench::kinds {

__extension__ using uint128 = unsigned __int128;

/// IPv4 addresses of traffic: a few networks send most of it, and within each network a few subnets, and so on.
GPUPAR_HOST_DEVICE inline std::uint64_t address(const slot& at) {
  constexpr double skew[] = {0.9, 1.1, 1.1, 0.7};
  std::uint64_t prefix = 1;
  for (int octet = 0; octet < 4; ++octet) {
    const std::uint64_t rank = zipf(at.random(octet), 256, skew[octet]);
    prefix = prefix << 8 | ((rank * 181 + at.shared(1, prefix)) & 0xff);
  }
  return prefix & 0xffff'ffffu;
}

/// Hashes of words, each as frequent as the word.
GPUPAR_HOST_DEVICE inline std::uint64_t hash(const slot& at) {
  return at.shared(1, zipf(at.random(), at.n / 2 + 1, 0.9));
}

/// Foreign keys into a table of four million rows, some of which are referenced much more often.
GPUPAR_HOST_DEVICE inline std::uint64_t foreign_key(const slot& at) {
  constexpr std::uint64_t table = 4'000'000;
  return 1 + testing::permuted(zipf(at.random(), table, 0.8), table, at.seed);
}

/// The order numbers of n order lines, one to seven lines per order; unordered, and with random order numbers.
GPUPAR_HOST_DEVICE inline std::uint64_t order_line(const slot& at) {
  constexpr std::uint64_t most = 7, together = most * (most + 1) / 2;  // lines of one order of each length
  const std::uint64_t line = testing::permuted(at.i, at.n, at.seed);
  std::uint64_t before = line % together, length = 1;
  for (; before >= length; ++length) before -= length;
  return at.shared(1, line / together * most + length);
}

/// The numbers of n rows, shuffled.
GPUPAR_HOST_DEVICE inline std::uint64_t row_number(const slot& at) { return testing::permuted(at.i, at.n, at.seed); }

/// UUIDs of version 7 (RFC 9562): milliseconds, and 74 random bits. From one day; unordered, or as they arrive from
/// servers whose clocks differ by up to 50 ms.
GPUPAR_HOST_DEVICE inline uint128 uuid7(const slot& at, bool in_order) {
  constexpr std::uint64_t start = 1'764'000'000'000u, day = 86'400'000;
  const double share = in_order ? static_cast<double>(at.i) / static_cast<double>(at.n) : unit(at.random());
  const std::uint64_t time = start + static_cast<std::uint64_t>(share * day) + testing::scaled(at.random(1), 50);
  const std::uint64_t high = time << 16 | 0x7000 | (at.random(2) & 0xfff);
  const std::uint64_t low = std::uint64_t{1} << 63 | at.random(3) >> 2;
  return static_cast<uint128>(high) << 64 | low;
}

}  // namespace bench::kinds
