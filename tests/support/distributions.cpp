// The input distributions are what their names say.
#include "distributions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "inputs.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using sequence = std::vector<std::uint64_t>;

constexpr std::size_t sizes[] = {1, 2, 3, 7, 64, 1000, 4095, 20'000};

std::size_t differences(const sequence& left, const sequence& right) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < left.size(); ++i) count += left[i] != right[i];
  return count;
}

/// Halves of the input, one after the other, each filled with a smaller value.
sequence halves(std::size_t n) {
  sequence all;
  for (std::size_t left = n; left > 0; left /= 2) {
    int length = 0;
    while (left >> length != 0) ++length;
    all.insert(all.end(), (left + 1) / 2, static_cast<std::uint64_t>(length) << 58);
  }
  return all;
}

}  // namespace

TEST_CASE("distributions: names are unique and fit into the name of a benchmark") {
  std::set<std::string> names;
  for (const auto& distribution : all_distributions()) {
    names.insert(distribution.name);
    CHECK(distribution.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
  }
  CHECK(names.size() == all_distributions().size());
}

TEST_CASE("distributions: sorted, reverse and nearly sorted") {
  for (const auto n : sizes) {
    const auto sorted = make_positions({"sorted", form::sorted}, n);
    CHECK(std::ranges::is_sorted(sorted));
    auto reverse = make_positions({"reverse", form::reverse}, n);
    std::ranges::reverse(reverse);
    CHECK(reverse == sorted);
    for (const auto& [kind, parameter, most] :
         {std::tuple{form::three_swaps, 0, std::size_t{6}}, std::tuple{form::some_swaps, 10, n / 50}}) {
      auto nearly = make_positions({"nearly", kind, static_cast<std::uint64_t>(parameter)}, n);
      const auto moved = differences(nearly, sorted);
      CHECK(moved <= most);
      if (n >= 1000) CHECK(moved >= most / 2);
      std::ranges::sort(nearly);
      CHECK(nearly == sorted);
    }
  }
}

TEST_CASE("distributions: sorted keys look like uniform ones that were sorted") {
  constexpr std::size_t n = 20'000;
  for (std::uint64_t variant = 0; variant < 20; ++variant) {
    const auto sorted = make_positions({"sorted", form::sorted}, n, variant);
    double distance = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = static_cast<double>(sorted[i]) * 0x1p-64 - (static_cast<double>(i) + 0.5) / n;
      distance = std::max(distance, std::abs(difference));
      square += difference * difference;
    }
    // Kolmogorov and Smirnov's statistic and that of Cramér and von Mises exceed these once in thousands of samples.
    CHECK(distance * std::sqrt(double{n}) < 2.2);
    CHECK(distance * std::sqrt(double{n}) > 0.3);
    CHECK(square < 1.2);
  }
}

TEST_CASE("distributions: shuffled is a permutation, another for another seed") {
  for (const auto n : sizes) {
    const auto shuffled = make_positions({"shuffled", form::shuffled}, n);
    auto sorted = shuffled;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < n; ++i) CHECK(sorted[i] == pattern::spread(i + 1, n + 1));
    if (n < 64) continue;
    CHECK(shuffled != sorted);
    CHECK(differences(shuffled, make_positions({"shuffled", form::shuffled}, n, 1)) > n / 2);
  }
}

TEST_CASE("distributions: duplicates") {
  for (const auto n : sizes) CHECK(make_positions({"deterministic", form::deterministic_duplicates}, n) == halves(n));
  const auto values = [](const distribution& chosen) {
    const auto all = make_positions(chosen, 20'000);
    return std::set(all.begin(), all.end()).size();
  };
  CHECK(values({"16", form::few_distinct, 16}) == 16);
  CHECK(values({"zero", form::zero}) == 1);
  CHECK(values({"but one", form::all_equal_but_one, 1}) == 2);
  CHECK(values({"randomized", form::randomized_duplicates, 128}) == 32);
  CHECK(values({"byte", form::only_byte, 3}) == 256);
  CHECK(values({"500 times", form::repeated, 500}) == 41);
  CHECK(values({"8 times", form::repeated, 8}) > 2450);
  CHECK(values({"8 times", form::repeated, 8}) <= 2501);
}

TEST_CASE("distributions: zipf gives every power of two as many ranks") {
  std::map<int, int> lengths;
  for (const auto position : make_positions(zipf, 20'000)) ++lengths[bit_length(position >> 43)];
  CHECK(lengths.size() == 20);
  for (const auto& [length, count] : lengths) {
    CAPTURE(length);
    CHECK(count > 800);
    CHECK(count < 1200);
  }
}

TEST_CASE("distributions: chunks are sorted, and not the whole") {
  const auto chunks = make_positions({"chunks", form::sorted_chunks, 100}, 1050);
  for (std::size_t begin = 0; begin < chunks.size(); begin += 100)
    CHECK(std::is_sorted(chunks.begin() + begin, chunks.begin() + std::min<std::size_t>(begin + 100, chunks.size())));
  CHECK(!std::ranges::is_sorted(chunks));
}
