// sort_indexed: containers that only know compare(i, j) and swap(i, j).
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "support.hpp"

using namespace testing;

TEST_CASE("sort_indexed: a structure of arrays") {
  for (const std::size_t count : {0, 1, 2, 3, 7, 64, 65, 1000, 4097, 100'000}) {
    const auto keys = make_keys<std::uint32_t>(few_values, count);
    auto sorted = keys;
    std::vector<std::string> names(count);
    for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(keys[i]);
    gpu::sort_indexed(
        gpu::par, std::size_t{0}, count, [&](std::size_t i, std::size_t j) { return sorted[i] < sorted[j]; },
        [&](std::size_t i, std::size_t j) {
          std::swap(sorted[i], sorted[j]);
          std::swap(names[i], names[j]);
        });
    const auto what = std::to_string(count);
    expect_none(sort_problem(keys, sorted, natural_less{}), what);
    std::size_t torn = 0;
    for (std::size_t i = 0; i < count; ++i) torn += names[i] != std::to_string(sorted[i]);
    expect(torn == 0, what + ": " + std::to_string(torn) + " rows torn");
  }
}

TEST_CASE("sort_indexed: part of an index range, of a signed type") {
  auto keys = make_keys<std::int32_t>(500);
  const auto before = keys;
  gpu::sort_indexed(
      gpu::par.require_host(), -100, 200, [&](int i, int j) { return keys[200 + i] > keys[200 + j]; },
      [&](int i, int j) { std::swap(keys[200 + i], keys[200 + j]); });
  const std::vector middle(before.begin() + 100, before.begin() + 400), sorted(keys.begin() + 100, keys.begin() + 400);
  expect_none(sort_problem(middle, sorted, natural_greater{}), "the middle, descending");
  expect(std::equal(before.begin(), before.begin() + 100, keys.begin()), "the front is untouched");
  expect(std::equal(before.begin() + 400, before.end(), keys.begin() + 400), "the back is untouched");
}

TEST_CASE("sort_indexed: indices stay in the range, whatever the comparator says") {
  constexpr std::size_t count = 3000;
  for (const int answer : {0, 1, 2}) {
    std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(count);
    const auto before = keys;
    std::atomic<bool> outside{false};
    gpu::sort_indexed(
        gpu::par, std::size_t{0}, count,
        [&](std::size_t i, std::size_t j) {
          if (i >= count || j >= count) outside = true;
          return answer == 2 ? (i * 31 + j * 17) % 3 == 0 : answer == 1;
        },
        [&](std::size_t i, std::size_t j) {
          if (i >= count || j >= count) outside = true;
          std::swap(keys[i], keys[j]);
        });
    expect(!outside, "an index outside the range");
    expect_none(permutation_problem(before, keys), "answer " + std::to_string(answer));
  }
}
