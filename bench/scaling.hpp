// Shared by the programs that measure scaling over ranks and over devices: keys, medians, rows of a table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace bench {

/// Number of runs of which the median is reported.
inline constexpr int runs = 5;

inline double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

template <class Key>
std::vector<Key> random_keys(std::size_t n, std::uint64_t seed = 1) {
  std::vector<Key> keys(n);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u;
  for (Key& key : keys) {  // SplitMix64
    std::uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    key = static_cast<Key>(x ^ (x >> 31));
  }
  return keys;
}

/// `amount`: what `unit` counts, without its factor of 10^9; the row has the amount per second.
inline void print_row(const char* what, std::size_t ranks, std::size_t key_bytes, std::size_t n, double seconds,
                      const char* unit, double amount) {
  std::printf("| %s | %zu | %zu | %zu | %.3f | %.3f %s |\n", what, ranks, 8 * key_bytes, n, 1e3 * seconds,
              amount / seconds / 1e9, unit);
  std::fflush(stdout);
}

}  // namespace bench
