// The named input distributions of the tests and benchmarks, as sequences of 64-bit positions in the key range:
// 0 stands for the least key of a type, 2^64 - 1 for its greatest (inputs.hpp makes keys of them).
// Bucket sorted to randomized duplicates: Helman, Bader and JaJa, "A randomized parallel sorting algorithm with an
// experimental study", 1998. Median-of-3 killer: Musser, "Introspective sorting and selection algorithms", 1997.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace testing {

/// SplitMix64 (Steele, Lea and Flood, 2014): small, and the same on every platform.
class random_source {
 public:
  using result_type = std::uint64_t;
  explicit constexpr random_source(std::uint64_t seed) : state_{seed} {}

  constexpr std::uint64_t operator()() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  /// In [0, bound), or 0 for bound 0. The bias is below 2^-24 for bounds up to 2^40.
  constexpr std::uint64_t below(std::uint64_t bound) { return bound ? (*this)() % bound : 0; }

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

 private:
  std::uint64_t state_;
};

using positions = std::span<std::uint64_t>;

/// A distribution with its parameters bound.
struct distribution {
  std::string name;
  void (*fill)(positions, std::uint64_t parameter, random_source&);
  std::uint64_t parameter = 0;
};

namespace fill {

inline constexpr std::uint64_t greatest = ~std::uint64_t{0};

/// The i-th of `count` equal parts of the key range, a random position in it.
inline std::uint64_t in_part(std::uint64_t i, std::uint64_t count, random_source& random) {
  const std::uint64_t width = greatest / count;
  return (i % count) * width + random.below(width);
}

/// Spreads 0 … count - 1 evenly over the key range.
inline std::uint64_t spread(std::uint64_t i, std::uint64_t count) {
  return i * (greatest / std::max(count, std::uint64_t{1}));
}

inline void uniform(positions out, std::uint64_t, random_source& random) {
  for (auto& x : out) x = random();
}

inline void gaussian(positions out, std::uint64_t, random_source& random) {
  for (auto& x : out) x = random() / 4 + random() / 4 + random() / 4 + random() / 4;
}

inline void zero(positions out, std::uint64_t, random_source& random) { std::ranges::fill(out, random()); }

inline void bucket_sorted(positions out, std::uint64_t p, random_source& random) {
  const std::size_t block = out.size() / p + 1;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in_part(i % block * p / block, p, random);
}

inline void staggered(positions out, std::uint64_t p, random_source& random) {
  const std::size_t block = out.size() / p + 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t owner = i / block;
    out[i] = in_part(owner < p / 2 ? 2 * owner + 1 : 2 * owner - p, p, random);
  }
}

inline void g_group(positions out, std::uint64_t p, random_source& random) {
  constexpr std::uint64_t g = 4;
  const std::size_t block = out.size() / p + 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t group = i / block / g;
    out[i] = in_part(group * g + p / 2 + i % block * g / block, p, random);
  }
}

inline void deterministic_duplicates(positions out, std::uint64_t, random_source&) {
  std::size_t begin = 0;
  for (std::size_t left = out.size(); left > 0; left = out.size() - begin) {
    const std::size_t count = (left + 1) / 2;
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(begin), count,
                static_cast<std::uint64_t>(std::bit_width(left)) << 58);
    begin += count;
  }
}

inline void randomized_duplicates(positions out, std::uint64_t p, random_source& random) {
  constexpr std::uint64_t r = 32;
  const std::size_t block = out.size() / p + 1;
  for (std::size_t begin = 0; begin < out.size(); begin += block) {
    std::uint64_t weights[r], sum = 1;
    for (auto& weight : weights) sum += weight = random.below(r);
    std::size_t i = begin;
    const std::size_t end = std::min(begin + block, out.size());
    for (const auto weight : weights) {
      const std::uint64_t value = random.below(r) << 59;
      for (std::size_t count = weight * block / sum; count > 0 && i < end; --count) out[i++] = value;
    }
    for (; i < end; ++i) out[i] = random.below(r) << 59;
  }
}

inline void sorted(positions out, std::uint64_t, random_source& random) {
  uniform(out, 0, random);
  std::ranges::sort(out);
}

inline void reverse(positions out, std::uint64_t, random_source& random) {
  uniform(out, 0, random);
  std::ranges::sort(out, std::ranges::greater{});
}

inline void shuffled(positions out, std::uint64_t, random_source& random) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t j = random.below(i + 1);
    out[i] = out[j];
    out[j] = spread(i + 1, out.size() + 1);
  }
}

/// Sorted but for some swaps: 3 for parameter 0, else so many of a thousand elements.
inline void almost_sorted(positions out, std::uint64_t per_thousand, random_source& random) {
  sorted(out, 0, random);
  if (out.empty()) return;
  const std::uint64_t swaps = per_thousand ? out.size() * per_thousand / 1000 : 3;
  for (std::uint64_t k = 0; k < swaps; ++k) std::swap(out[random.below(out.size())], out[random.below(out.size())]);
}

inline void organ_pipe(positions out, std::uint64_t, random_source&) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = spread(std::min(i, out.size() - 1 - i), out.size() / 2 + 1);
}

inline void sawtooth(positions out, std::uint64_t period, random_source&) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = spread(i % period, period);
}

/// Ranks 1 … 2^20 with probability about proportional to 1 / rank.
inline void zipf(positions out, std::uint64_t, random_source& random) {
  for (auto& x : out)
    x = static_cast<std::uint64_t>(std::exp2(20 * (static_cast<double>(random() >> 11) * 0x1p-53))) << 43;
}

inline void few_distinct(positions out, std::uint64_t count, random_source& random) {
  for (auto& x : out) x = spread(random.below(count), count);
}

/// All equal but the first (0), the middle (1) or the last (2); the odd one is less than the rest if the seed says so.
inline void all_equal_but_one(positions out, std::uint64_t where, random_source& random) {
  std::ranges::fill(out, greatest / 2);
  if (!out.empty()) out[where == 0 ? 0 : where == 1 ? out.size() / 2 : out.size() - 1] = random() & 1 ? 0 : greatest;
}

inline void sorted_chunks(positions out, std::uint64_t length, random_source& random) {
  for (std::size_t begin = 0; begin < out.size(); begin += length)
    sorted(out.subspan(begin, std::min<std::size_t>(length, out.size() - begin)), 0, random);
}

inline void median_of_3_killer(positions out, std::uint64_t, random_source&) {
  const std::size_t n = out.size(), k = n / 2;
  for (std::size_t i = 0; i < k; ++i) {
    out[i] = spread(i % 2 == 0 ? i + 1 : k + i, n + 1);
    out[k + i] = spread(2 * (i + 1), n + 1);
  }
  if (n % 2 == 1) out[n - 1] = spread(n, n + 1);
}

/// Keys that agree but for one byte, counted from the most significant one.
inline void one_byte(positions out, std::uint64_t byte, random_source& random) {
  const std::uint64_t mask = std::uint64_t{0xff} << (56 - 8 * byte), rest = random() & ~mask;
  for (auto& x : out) x = rest | (random() & mask);
}

/// Where a regular sample of p elements looks (begin, middle, end of every block), keys lie together at the bottom.
inline void splitter_killer(positions out, std::uint64_t p, random_source& random) {
  const std::size_t block = std::max<std::size_t>(out.size() / p, 4);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = i % block;
    const bool sampled = at == 0 || at == block / 2 || at == block - 1;
    out[i] = sampled ? random.below(greatest >> 16) : greatest / 2 + random.below(greatest / 2);
  }
}

/// Nearly all keys in a 2^-20th of the range, a few everywhere: samples see the few by chance only.
inline void needle(positions out, std::uint64_t, random_source& random) {
  const std::uint64_t base = random() / 2;
  for (auto& x : out) x = random.below(4096) == 0 ? random() : base + random.below(greatest >> 20);
}

}  // namespace fill

/// Every distribution, with p = 128 and 240 where a number of processors is asked for.
/// GPUPAR_TEST_REDUCED=1: fewer distributions and places, for tools under which kernels take hundreds of times longer.
inline bool reduced() {
  const char* wanted = std::getenv("GPUPAR_TEST_REDUCED");
  return wanted != nullptr && *wanted == '1';
}

inline std::vector<distribution> all_distributions() {
  std::vector<distribution> all{{"uniform", fill::uniform},
                                {"gaussian", fill::gaussian},
                                {"zero", fill::zero},
                                {"deterministic duplicates", fill::deterministic_duplicates},
                                {"sorted", fill::sorted},
                                {"reverse", fill::reverse},
                                {"shuffled", fill::shuffled},
                                {"almost sorted, 3 swaps", fill::almost_sorted, 0},
                                {"almost sorted, 1 %", fill::almost_sorted, 10},
                                {"organ pipe", fill::organ_pipe},
                                {"sawtooth", fill::sawtooth, 1000},
                                {"zipf", fill::zipf},
                                {"all equal but the first", fill::all_equal_but_one, 0},
                                {"all equal but the middle", fill::all_equal_but_one, 1},
                                {"all equal but the last", fill::all_equal_but_one, 2},
                                {"sorted chunks of 100", fill::sorted_chunks, 100},
                                {"sorted chunks of 10000", fill::sorted_chunks, 10000},
                                {"median-of-3 killer", fill::median_of_3_killer},
                                {"needle", fill::needle}};
  for (const std::uint64_t p : {128, 240}) {
    const std::string suffix = ", p = " + std::to_string(p);
    all.push_back({"bucket sorted" + suffix, fill::bucket_sorted, p});
    all.push_back({"staggered" + suffix, fill::staggered, p});
    all.push_back({"g-group" + suffix + ", g = 4", fill::g_group, p});
    all.push_back({"randomized duplicates" + suffix, fill::randomized_duplicates, p});
    all.push_back({"splitter killer" + suffix, fill::splitter_killer, p});
  }
  for (const std::uint64_t count : {2, 16, 256})
    all.push_back({std::to_string(count) + " distinct values", fill::few_distinct, count});
  for (std::uint64_t byte = 0; byte < 8; ++byte)
    all.push_back({"only byte " + std::to_string(byte) + " differs", fill::one_byte, byte});
  if (reduced()) std::erase_if(all, [i = 0](const distribution&) mutable { return i++ % 6 != 0; });
  return all;
}

}  // namespace testing
