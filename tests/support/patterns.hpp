// The functions behind the named input distributions: the position of the i-th of n keys in the key range, as a pure
// function of i, n, a parameter and a seed, for host and device. 0 stands for the least key of a type, 2^64 - 1 for
// its greatest.
// Bucket sorted to randomized duplicates: Helman, Bader and JaJa, "A randomized parallel sorting algorithm with an
// experimental study", 1998. Median-of-3 killer: Musser, "Introspective sorting and selection algorithms", 1997.
#pragma once

#include "random.hpp"

namespace testing {

/// The i-th of n keys, 0 <= i < n.
struct slot {
  std::uint64_t i, n, parameter, seed;

  /// Random bits of this key; each lane gives others.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::uint64_t random(std::uint64_t lane = 0) const {
    return random_at(lane == 0 ? seed : mixed(seed + lane), i);
  }
};

namespace pattern {

inline constexpr std::uint64_t greatest = ~std::uint64_t{0};

/// A random position in the i-th of `count` equal parts of the key range.
GPUPAR_HOST_DEVICE constexpr std::uint64_t in_part(std::uint64_t i, std::uint64_t count, std::uint64_t random) {
  const std::uint64_t width = greatest / count;
  return (i % count) * width + scaled(random, width);
}

/// Spreads 0 … count - 1 evenly over the key range.
GPUPAR_HOST_DEVICE constexpr std::uint64_t spread(std::uint64_t i, std::uint64_t count) {
  return i * (greatest / (count == 0 ? 1 : count));
}

/// Length of the blocks into which the benchmarks of Helman et al. divide n keys for p processors.
GPUPAR_HOST_DEVICE constexpr std::uint64_t block_length(const slot& at) { return at.n / at.parameter + 1; }

GPUPAR_HOST_DEVICE constexpr std::uint64_t gaussian(const slot& at) {
  return at.random() / 4 + at.random(1) / 4 + at.random(2) / 4 + at.random(3) / 4;
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t bucket_sorted(const slot& at) {
  const std::uint64_t p = at.parameter, block = block_length(at);
  return in_part(at.i % block * p / block, p, at.random());
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t staggered(const slot& at) {
  const std::uint64_t p = at.parameter, owner = at.i / block_length(at);
  return in_part(owner < p / 2 ? 2 * owner + 1 : 2 * owner - p, p, at.random());
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t g_group(const slot& at) {
  constexpr std::uint64_t g = 4;
  const std::uint64_t p = at.parameter, block = block_length(at), group = at.i / block / g;
  return in_part(group * g + p / 2 + at.i % block * g / block, p, at.random());
}

/// The first half has one value, the next quarter the next, and so on.
GPUPAR_HOST_DEVICE constexpr std::uint64_t deterministic_duplicates(const slot& at) {
  const std::uint64_t after = at.n - at.i;
  int halvings = bit_length(at.n) - bit_length(after);
  if (at.n >> halvings < after) --halvings;
  return static_cast<std::uint64_t>(bit_length(at.n) - halvings) << 58;
}

/// Every block consists of runs of random values and random lengths; keys left over by rounding are random.
GPUPAR_HOST_DEVICE constexpr std::uint64_t randomized_duplicates(const slot& at) {
  constexpr int r = 32, bits = 5, per_word = 64 / bits, words = (r + per_word - 1) / per_word;
  const std::uint64_t length = block_length(at), block = at.i / length, offset = at.i % length;
  std::uint64_t weights[words] = {}, sum = 1;
  for (int word = 0; word < words; ++word) weights[word] = random_at(mixed(at.seed + 1 + word), block);
  for (int run = 0; run < r; ++run) sum += weights[run / per_word] >> bits * (run % per_word) & (r - 1);
  std::uint64_t before = 0;
  for (int run = 0; run < r; ++run) {
    before += weights[run / per_word] >> bits * (run % per_word) & (r - 1);
    if (offset < before * length / sum) return random_at(mixed(at.seed - 1 - run), block) >> (64 - bits) << (64 - bits);
  }
  return at.random() >> (64 - bits) << (64 - bits);
}

/// Order statistics of uniform keys, by halving: about half of the keys in an interval lie in its left half, with a
/// binomial deviation that is drawn for each interval. O(log n) steps.
GPUPAR_HOST_DEVICE constexpr std::uint64_t sorted(const slot& at) {
  std::uint64_t rank = at.i, count = at.n, prefix = 0;
  int depth = 0;
  for (; count > 1 && depth < 63; ++depth) {
    const std::uint64_t bits = random_at(at.seed, prefix | std::uint64_t{1} << depth);
    // The sum of four 16-bit numbers is nearly normal, and its deviation, 37837, about half of 2^16.
    const std::int64_t deviation =
        static_cast<std::int64_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)) -
        131070;
    const std::int64_t root = std::int64_t{1} << bit_length(count) / 2;
    const std::int64_t centre = static_cast<std::int64_t>((count + (bits & 1)) / 2) + deviation * root / 65536;
    const auto all = static_cast<std::int64_t>(count);
    const auto left = static_cast<std::uint64_t>(centre < 0 ? 0 : centre > all ? all : centre);
    const bool goes_right = rank >= left;
    rank -= goes_right ? left : 0;
    count = goes_right ? count - left : left;
    prefix = prefix << 1 | static_cast<std::uint64_t>(goes_right);
  }
  const std::uint64_t rest = random_at(~at.seed, prefix | std::uint64_t{1} << depth);
  return depth == 0 ? rest : prefix << (64 - depth) | rest >> depth;
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t sorted_at(const slot& at, std::uint64_t i) {
  return sorted({i, at.n, at.parameter, at.seed});
}

/// Sorted, except for three swaps of two elements.
GPUPAR_HOST_DEVICE constexpr std::uint64_t three_swaps(const slot& at) {
  std::uint64_t from = at.i;
  for (std::uint64_t swap = 3; swap-- > 0;) {
    const std::uint64_t a = scaled(random_at(~at.seed, 2 * swap), at.n);
    const std::uint64_t b = scaled(random_at(~at.seed, 2 * swap + 1), at.n);
    from = from == a ? b : from == b ? a : from;
  }
  return sorted_at(at, from);
}

/// Sorted, except for swaps of two elements, `parameter` in a thousand: the keys are divided into groups, each of which
/// exchanges one element with a partner group. Groups form rows and columns; partners share a column, and their rows
/// add up to a number drawn for the column.
GPUPAR_HOST_DEVICE constexpr std::uint64_t some_swaps(const slot& at) {
  const std::uint64_t length = 500 / at.parameter, groups = at.n / length, group = at.i / length;
  const std::uint64_t columns = std::uint64_t{1} << bit_length(groups) / 2, rows = groups / columns;
  const std::uint64_t column = group % columns, row = group / columns;
  if (row >= rows || at.i != group * length + scaled(random_at(~at.seed, group), length)) return sorted_at(at, at.i);
  const std::uint64_t partner_row = (scaled(random_at(mixed(at.seed), column), rows) + rows - row) % rows;
  const std::uint64_t partner = partner_row * columns + column;
  return sorted_at(at, partner * length + scaled(random_at(~at.seed, partner), length));
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t organ_pipe(const slot& at) {
  const std::uint64_t from_end = at.n - 1 - at.i;
  return spread(at.i < from_end ? at.i : from_end, at.n / 2 + 1);
}

/// Ranks 1 … 2^20 - 1, each with a frequency of 1 / (the greatest power of two not above it): every bit length of a
/// rank is equally frequent.
GPUPAR_HOST_DEVICE constexpr std::uint64_t zipf(const slot& at) {
  const std::uint64_t leading = std::uint64_t{1} << scaled(at.random(), 20);
  return (leading + scaled(at.random(1), leading)) << 43;
}

/// All equal, except the first (0), the middle (1) or the last (2); the seed decides whether the odd one is less or
/// greater than the rest.
GPUPAR_HOST_DEVICE constexpr std::uint64_t all_equal_but_one(const slot& at) {
  const std::uint64_t odd = at.parameter == 0 ? 0 : at.parameter == 1 ? at.n / 2 : at.n - 1;
  if (at.i != odd) return greatest / 2;
  return random_at(at.seed, 0) & 1 ? 0 : greatest;
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t sorted_chunks(const slot& at) {
  const std::uint64_t chunk = at.i / at.parameter, begin = chunk * at.parameter, left = at.n - begin;
  return sorted({at.i - begin, left < at.parameter ? left : at.parameter, 0, random_at(at.seed, chunk)});
}

GPUPAR_HOST_DEVICE constexpr std::uint64_t median_of_3_killer(const slot& at) {
  const std::uint64_t half = at.n / 2, i = at.i;
  if (i == 2 * half) return spread(at.n, at.n + 1);
  if (i >= half) return spread(2 * (i - half + 1), at.n + 1);
  return spread(i % 2 == 0 ? i + 1 : half + i, at.n + 1);
}

/// Keys that differ in one byte only, counted from the most significant one.
GPUPAR_HOST_DEVICE constexpr std::uint64_t only_byte(const slot& at) {
  const std::uint64_t mask = std::uint64_t{0xff} << (56 - 8 * at.parameter);
  return (random_at(~at.seed, 0) & ~mask) | (at.random() & mask);
}

/// Keys at the positions of a regular sample of p elements (begin, middle, end of every block) lie together at the
/// bottom of the key range.
GPUPAR_HOST_DEVICE constexpr std::uint64_t splitter_killer(const slot& at) {
  const std::uint64_t wanted = at.n / at.parameter, block = wanted < 4 ? 4 : wanted, offset = at.i % block;
  const bool sampled = offset == 0 || offset == block / 2 || offset == block - 1;
  return sampled ? at.random() >> 16 : greatest / 2 + at.random() / 2;
}

/// Nearly all keys lie in a fraction of 2^-20 of the range, a few anywhere: samples contain the few only by chance.
GPUPAR_HOST_DEVICE constexpr std::uint64_t needle(const slot& at) {
  if (at.random(1) % 4096 == 0) return at.random();
  return random_at(~at.seed, 0) / 2 + (at.random() >> 20);
}

/// Random values, each of which occurs about `parameter` times: too few for a sample to find it heavy, too many for
/// evenly spread keys.
GPUPAR_HOST_DEVICE constexpr std::uint64_t repeated(const slot& at) {
  return random_at(~at.seed, scaled(at.random(), at.n / at.parameter + 1));
}

}  // namespace pattern
}  // namespace testing
