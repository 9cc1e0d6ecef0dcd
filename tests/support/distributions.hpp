// The named input distributions of the tests and benchmarks, as sequences of 64-bit positions in the key range
// (inputs.hpp makes keys of them).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "patterns.hpp"

namespace testing {

enum class form : unsigned char {
  uniform,
  gaussian,
  zero,
  bucket_sorted,
  staggered,
  g_group,
  deterministic_duplicates,
  randomized_duplicates,
  sorted,
  reverse,
  shuffled,
  three_swaps,
  some_swaps,
  organ_pipe,
  sawtooth,
  zipf,
  few_distinct,
  all_equal_but_one,
  sorted_chunks,
  median_of_3_killer,
  only_byte,
  splitter_killer,
  needle,
  repeated,
};

/// A distribution without its name, as passed to kernels.
struct shape {
  form kind = form::uniform;
  std::uint64_t parameter = 0;

  /// Where the i-th of n keys lies in the key range, 0 <= i < n. Pure; the same on host and device.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr std::uint64_t position(std::uint64_t i, std::uint64_t n,
                                                                    std::uint64_t seed) const {
    const slot at{i, n, parameter, seed};
    switch (kind) {
      case form::uniform:
        return at.random();
      case form::gaussian:
        return pattern::gaussian(at);
      case form::zero:
        return random_at(seed, 0);
      case form::bucket_sorted:
        return pattern::bucket_sorted(at);
      case form::staggered:
        return pattern::staggered(at);
      case form::g_group:
        return pattern::g_group(at);
      case form::deterministic_duplicates:
        return pattern::deterministic_duplicates(at);
      case form::randomized_duplicates:
        return pattern::randomized_duplicates(at);
      case form::sorted:
        return pattern::sorted(at);
      case form::reverse:
        return pattern::sorted_at(at, n - 1 - i);
      case form::shuffled:
        return pattern::spread(permuted(i, n, seed) + 1, n + 1);
      case form::three_swaps:
        return pattern::three_swaps(at);
      case form::some_swaps:
        return pattern::some_swaps(at);
      case form::organ_pipe:
        return pattern::organ_pipe(at);
      case form::sawtooth:
        return pattern::spread(i % parameter, parameter);
      case form::zipf:
        return pattern::zipf(at);
      case form::few_distinct:
        return pattern::spread(scaled(at.random(), parameter), parameter);
      case form::all_equal_but_one:
        return pattern::all_equal_but_one(at);
      case form::sorted_chunks:
        return pattern::sorted_chunks(at);
      case form::median_of_3_killer:
        return pattern::median_of_3_killer(at);
      case form::only_byte:
        return pattern::only_byte(at);
      case form::splitter_killer:
        return pattern::splitter_killer(at);
      case form::needle:
        return pattern::needle(at);
      case form::repeated:
        return pattern::repeated(at);
    }
    return 0;
  }
};

struct distribution : shape {
  std::string name;  ///< letters, digits and underscores
  distribution(std::string called, form kind, std::uint64_t parameter = 0)
      : shape{kind, parameter}, name{std::move(called)} {}
};

/// GPUPAR_TEST_REDUCED=1: fewer distributions and places, for tools under which kernels take hundreds of times longer.
inline bool reduced() {
  const char* wanted = std::getenv("GPUPAR_TEST_REDUCED");
  return wanted != nullptr && *wanted == '1';
}

/// Every distribution, with p = 128 and 240 for those that depend on a number of processors.
inline std::vector<distribution> all_distributions() {
  std::vector<distribution> all{{"uniform", form::uniform},
                                {"gaussian", form::gaussian},
                                {"zero", form::zero},
                                {"deterministic_duplicates", form::deterministic_duplicates},
                                {"sorted", form::sorted},
                                {"reverse", form::reverse},
                                {"shuffled", form::shuffled},
                                {"almost_sorted_3_swaps", form::three_swaps},
                                {"almost_sorted_1_percent", form::some_swaps, 10},
                                {"organ_pipe", form::organ_pipe},
                                {"sawtooth_1000", form::sawtooth, 1000},
                                {"zipf", form::zipf},
                                {"all_equal_but_first", form::all_equal_but_one, 0},
                                {"all_equal_but_middle", form::all_equal_but_one, 1},
                                {"all_equal_but_last", form::all_equal_but_one, 2},
                                {"sorted_chunks_100", form::sorted_chunks, 100},
                                {"sorted_chunks_10000", form::sorted_chunks, 10000},
                                {"median_of_3_killer", form::median_of_3_killer},
                                {"needle", form::needle}};
  for (const std::uint64_t p : {128, 240}) {
    const std::string suffix = '_' + std::to_string(p);
    all.emplace_back("bucket_sorted" + suffix, form::bucket_sorted, p);
    all.emplace_back("staggered" + suffix, form::staggered, p);
    all.emplace_back("g_group_4" + suffix, form::g_group, p);
    all.emplace_back("randomized_duplicates" + suffix, form::randomized_duplicates, p);
    all.emplace_back("splitter_killer" + suffix, form::splitter_killer, p);
  }
  for (const std::uint64_t count : {2, 16, 256})
    all.emplace_back("few_distinct_" + std::to_string(count), form::few_distinct, count);
  for (std::uint64_t byte = 0; byte < 8; ++byte)
    all.emplace_back("only_byte_" + std::to_string(byte), form::only_byte, byte);
  for (const std::uint64_t times : {8, 500})
    all.emplace_back("repeated_" + std::to_string(times), form::repeated, times);
  if (reduced()) std::erase_if(all, [i = 0](const distribution&) mutable { return i++ % 6 != 0; });
  return all;
}

}  // namespace testing
