// gather and permute: with any indices, in every kind of memory; indices out of range are rejected.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "expected_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "random.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

struct wide {
  std::uint64_t words[3];
  friend bool operator==(const wide&, const wide&) = default;
};

template <class Index>
std::vector<Index> shuffled(std::size_t n) {
  random_source random{seed() + n};
  std::vector<std::uint64_t> draws(n);
  for (auto& each : draws) each = random();
  return expected_order<Index>(n, [&](auto i, auto j) { return draws[i] < draws[j]; });
}

}  // namespace

TEST_CASE("gather, permute: columns of several types by indices of several, in every memory") {
  for (const std::size_t n : tried({0, 1, 2, 31, 1000, 70'000})) {
    std::vector<std::uint16_t> narrow(n);
    std::vector<wide> rows(n);
    for (std::size_t i = 0; i < n; ++i) narrow[i] = static_cast<std::uint16_t>(i * 7), rows[i] = {{i, i + 1, i * i}};
    at_all_places([&]<class Place>(const Place& place) {
      const auto check = [&]<class Index>(const std::vector<Index>& order) {
        const std::string name = place.name + ", " + std::to_string(n) + " by " + std::to_string(sizeof(Index));
        const auto indices = place.store(order);
        const auto a = place.store(narrow);
        const auto b = place.store(rows);
        const auto out_a = place.store(std::vector<std::uint16_t>(n + 1, 9));
        const auto out_b = place.store(std::vector<wide>(n));
        gpu::gather(place.policy, place.view(indices), place.view(a), place.view(out_a), place.view(b),
                    place.view(out_b));
        auto gathered = in_order(narrow, order);
        gathered.push_back(9);
        expect(out_a.fetch(name) == gathered && out_b.fetch(name) == in_order(rows, order), name + ": gather");
        gpu::permute(place.policy, place.view(indices), place.view(a), place.view(b));
        expect(a.fetch(name) == in_order(narrow, order) && b.fetch(name) == in_order(rows, order), name + ": permute");
        expect(indices.fetch(name) == order, name + ": indices stay");
      };
      check(shuffled<std::uint32_t>(n));
      check(shuffled<std::int64_t>(n));
    });
  }
}

TEST_CASE("gather, permute: what is moved only, proxies, deques, and indices that repeat") {
  const auto order = shuffled<int>(500);
  std::vector<std::unique_ptr<int>> owners;
  std::vector<std::string> names;
  std::vector<bool> bits;
  std::deque<int> numbers;
  for (int i = 0; i < 500; ++i) {
    owners.push_back(std::make_unique<int>(i));
    names.push_back(std::to_string(i));
    bits.push_back(i % 3 == 0);
    numbers.push_back(i);
  }
  std::vector<bool> some(500);
  std::vector<std::string> others(500);
  const std::deque<int> indices(order.begin(), order.end());
  gpu::gather(gpu::par, indices, bits, some, names, others);
  gpu::permute(gpu::par, order, owners, names, bits, numbers);
  bool right = true;
  for (std::size_t i = 0; i < 500; ++i)
    right &= *owners[i] == order[i] && names[i] == std::to_string(order[i]) && bits[i] == (order[i] % 3 == 0) &&
             numbers[i] == order[i] && some[i] == bits[i] && others[i] == names[i];
  expect(right, "columns of four kinds");
  std::vector<int> few{7, 8}, more(5);
  gpu::gather(gpu::par, std::vector{1, 1, 0, 1, 0}, few, more);
  expect(more == std::vector{8, 8, 7, 8, 7}, "repeated");
}

TEST_CASE("gather, permute: what is no place is refused before anything is written") {
  at_all_places([](const auto& place) {
    const auto three = place.store(std::vector{1, 2, 3});
    const auto out = place.store(std::vector{0, 0, 0});
    const auto refused = [&](const std::string& what, const std::vector<int>& order, bool gathers, bool permutes) {
      const auto indices = place.store(order);
      if (gathers)
        expect_error(gpu::errc::invalid_range, place.name + ", gather: " + what,
                     [&] { gpu::gather(place.policy, place.view(indices), place.view(three), place.view(out)); });
      if (permutes)
        expect_error(gpu::errc::invalid_range, place.name + ", permute: " + what,
                     [&] { gpu::permute(place.policy, place.view(indices), place.view(three)); });
    };
    refused("too large", {0, 3, 1}, true, true);
    refused("negative", {0, -1, 1}, true, true);
    refused("twice", {0, 1, 1}, false, true);
    refused("too few", {1, 0}, false, true);
    refused("too many", {1, 0, 2, 0}, true, true);
    expect(three.fetch(place.name) == std::vector{1, 2, 3}, place.name + ": sources stay");
    expect(out.fetch(place.name) == std::vector{0, 0, 0}, place.name + ": targets stay");
  });
}
