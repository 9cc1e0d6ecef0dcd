// Keys in several columns: sorts with value columns, argsort and is_sorted.
#include <cstdint>
#include <deque>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "expected_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "random.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

struct table {
  std::vector<std::uint32_t> day;
  std::vector<std::int16_t> level;
  std::vector<float> price;
  std::vector<std::uint32_t> volume;

  explicit table(std::size_t n) : day(n), level(n), price(n), volume(n) {
    random_source random{seed() + n};
    for (std::size_t i = 0; i < n; ++i) {
      day[i] = static_cast<std::uint32_t>(random() % 30);
      level[i] = static_cast<std::int16_t>(random() % 9 - 4);
      price[i] = static_cast<float>(random() % 7) - 3;
      volume[i] = static_cast<std::uint32_t>(i);
    }
  }
};

}  // namespace

TEST_CASE("key columns: sorts of integers and of others, in every memory") {
  for (const std::size_t n : tried({0, 1, 2, 10, 100, 3000, 90'000})) {
    const table rows{n};
    const auto by_level = expected_order<std::uint32_t>(
        n, [&](auto i, auto j) { return std::tie(rows.day[i], rows.level[j]) < std::tie(rows.day[j], rows.level[i]); });
    const auto by_price = expected_order<std::uint32_t>(
        n, [&](auto i, auto j) { return std::tie(rows.price[i], rows.day[i]) < std::tie(rows.price[j], rows.day[j]); });
    at_all_places([&](const auto& place) {
      const std::string name = place.name + ", " + std::to_string(n);
      auto day = place.store(rows.day);
      auto level = place.store(rows.level);
      auto price = place.store(rows.price);
      auto volume = place.store(rows.volume);
      auto days = place.view(day);
      auto levels = place.view(level);
      auto prices = place.view(price);
      auto volumes = place.view(volume);
      const auto directions = gpu::by(gpu::ascending, gpu::descending);
      gpu::stable_sort_by_key(place.policy, std::tie(days, levels), directions, volumes);
      expect(volume.fetch(name) == by_level, name + ": one value column");
      expect(day.fetch(name) == in_order(rows.day, by_level) && level.fetch(name) == in_order(rows.level, by_level),
             name + ": key columns");
      expect(gpu::is_sorted(place.policy, std::tie(days, levels), directions), name + ": is_sorted");
      day.refill(rows.day), level.refill(rows.level), volume.refill(rows.volume);
      gpu::stable_sort_by_key(place.policy, std::tie(prices, days), levels, volumes);
      expect(volume.fetch(name) == by_price && level.fetch(name) == in_order(rows.level, by_price),
             name + ": two value columns");
      day.refill(rows.day), level.refill(rows.level), volume.refill(rows.volume);
      gpu::sort_by_key(place.policy, std::tie(days, levels), directions, volumes);
      const auto moved = volume.fetch(name);
      expect(day.fetch(name) == in_order(rows.day, moved) && level.fetch(name) == in_order(rows.level, moved) &&
                 day.fetch(name) == in_order(rows.day, by_level),
             name + ": not stable");
      day.refill(rows.day), level.refill(rows.level);
      const auto indices = place.store(std::vector<std::uint32_t>(n));
      gpu::argsort(place.policy, std::tie(days, levels), directions, place.view(indices));
      expect(indices.fetch(name) == by_level && day.fetch(name) == rows.day, name + ": argsort");
    });
  }
}

TEST_CASE("key columns: strings, bits, deques and permutations that are returned") {
  for (const std::size_t n : tried({0, 1, 2, 10, 100, 20'000})) {
    const table rows{n};
    std::vector<std::string> name(n);
    std::vector<bool> flag(n);
    std::deque<int> number(n);
    for (std::size_t i = 0; i < n; ++i) {
      name[i] = "n" + std::to_string(rows.day[i]);
      flag[i] = rows.level[i] > 0;
      number[i] = rows.level[i];
    }
    const auto expected = expected_order<std::int64_t>(n, [&](auto i, auto j) {
      return std::tuple(!flag[i], name[i], number[i]) < std::tuple(!flag[j], name[j], number[j]);
    });
    at_places_of_the_host([&](const auto& place) {
      const auto directions = gpu::by(gpu::descending, gpu::ascending, gpu::ascending);
      const auto keys = std::tie(flag, name, number);
      expect(gpu::argsort<std::int64_t>(place.policy, keys, directions) == expected, place.name + ": returned");
      std::vector<std::int64_t> written;
      gpu::argsort<std::int64_t>(place.policy, keys, directions, std::back_inserter(written));
      expect(written == expected, place.name + ": through an output iterator");
      auto flags = flag;
      auto names = name;
      auto numbers = number;
      auto volume = rows.volume;
      gpu::stable_sort_by_key(place.policy, std::tie(flags, names, numbers), directions, volume);
      expect(names == in_order(name, expected) && flags == in_order(flag, expected) &&
                 volume == in_order(rows.volume, expected),
             place.name + ": sorted");
    });
  }
}

TEST_CASE("key columns: what does not fit is refused, and nothing is touched") {
  at_host_places([](const auto& place) {
    std::vector<int> first{3, 1, 2}, second{1, 2}, third{4, 5, 6};
    const auto refused = [&](const std::string& what, auto action) {
      expect_error(gpu::errc::invalid_range, place.name + ": " + what, action);
    };
    refused("key columns", [&] { gpu::sort_by_key(place.policy, std::tie(first, second), third); });
    refused("a value column", [&] { gpu::sort_by_key(place.policy, std::tie(first, third), second); });
    refused("indices", [&] { gpu::argsort(place.policy, std::tie(first, third), second); });
    refused("is_sorted", [&] { (void)gpu::is_sorted(place.policy, std::tie(first, second)); });
    expect(first == std::vector{3, 1, 2} && third == std::vector{4, 5, 6}, place.name + ": untouched");
  });
}
