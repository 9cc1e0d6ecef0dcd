// Calls by key: iterators, functions, arrays and move-only values, trailing comparators and projections, and what is
// rejected.
#include <array>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

using namespace testing;

TEST_CASE("by_key: iterators, comparator and projection at the end") {
  std::vector<int> keys{3, -1, 2, -4};
  std::vector<char> letters{'a', 'b', 'c', 'd'};
  std::vector<double> numbers{0.5, 1.5, 2.5, 3.5};
  static_assert(std::is_same_v<decltype(gpu::sort_by_key(gpu::par, keys.begin(), keys.end(), letters.begin())),
                               std::vector<int>::iterator>);
  gpu::sort_by_key(gpu::par, keys.begin(), keys.end(), letters.begin(), numbers.begin());
  expect(keys == std::vector{-4, -1, 2, 3}, "keys");
  expect(letters == std::vector{'d', 'b', 'c', 'a'}, "letters");
  expect(numbers == std::vector{3.5, 1.5, 2.5, 0.5}, "numbers");
  gpu::sort_by_key(gpu::par, keys.begin(), keys.end(), letters.begin(), std::ranges::greater{},
                   [](int key) { return key * key; });
  expect(keys == std::vector{-4, 3, 2, -1}, "keys by their squares");
  expect(letters == std::vector{'d', 'a', 'c', 'b'}, "letters by squares");
  expect(gpu::stable_sort_by_key(gpu::par, keys, letters, std::ranges::less{}, [](int key) { return key & 1; }) ==
             keys.end(),
         "returns the end of the keys");
  expect(keys == std::vector{-4, 2, 3, -1}, "keys by parity, stable");
  expect(letters == std::vector{'d', 'c', 'a', 'b'}, "letters by parity");
}

namespace {

struct urgency {  // only has operator<
  int level;
  bool operator<(const urgency& other) const { return level < other.level; }
};
bool less_urgent(const urgency& a, const urgency& b) { return b < a; }

}  // namespace

TEST_CASE("by_key: keys with < alone, functions as comparators") {
  at_host_places([](const auto& place) {
    std::vector<urgency> keys{{2}, {3}, {1}};
    std::vector<int> values{20, 30, 10};
    gpu::sort_by_key(place.policy, keys, values);
    expect(values == std::vector{10, 20, 30}, place.name + ": ranges");
    gpu::stable_sort_by_key(place.policy, keys, values, less_urgent);
    expect(values == std::vector{30, 20, 10}, place.name + ": a function");
    gpu::stable_sort_by_key(place.policy, keys.begin(), keys.end(), values.begin());
    expect(values == std::vector{10, 20, 30}, place.name + ": iterators");
    gpu::sort_by_key(place.policy, keys.begin(), keys.end(), values.begin(), less_urgent);
    expect(values == std::vector{30, 20, 10}, place.name + ": iterators, a function");
    std::vector<unsigned> order(3);
    gpu::argsort(place.policy, keys, order, less_urgent);
    expect(order == std::vector<unsigned>{0, 1, 2}, place.name + ": argsort");
  });
}

TEST_CASE("by_key: arrays are columns, not ends, host") {
  struct {  // in this order, so that [keys, day) would be a valid range
    int keys[4] = {4, 2, 3, 1};
    int day[4] = {40, 20, 30, 10};
    int price[4] = {400, 200, 300, 100};
  } table;
  const auto in_order = [&](std::array<int, 4> wanted) {
    bool all = true;
    for (int i = 0; i < 4; ++i)
      all &= table.keys[i] == wanted[i] && table.day[i] == 10 * wanted[i] && table.price[i] == 100 * wanted[i];
    return all;
  };
  const auto policy = gpu::par.require_host();
  gpu::sort_by_key(policy, table.keys, table.day, table.price);
  CHECK(in_order({1, 2, 3, 4}));
  gpu::stable_sort_by_key(policy, table.keys, table.day, table.price, std::ranges::greater{});
  CHECK(in_order({4, 3, 2, 1}));
  gpu::sort_by_key(policy, table.keys, table.keys + 4, table.day, table.price);
  CHECK(in_order({1, 2, 3, 4}));
  const int* const end = std::end(table.keys);
  gpu::sort_by_key(policy, std::begin(table.keys), end, table.day, table.price, std::greater{});
  CHECK(in_order({4, 3, 2, 1}));
}

TEST_CASE("by_key: longer value ranges keep their tails, shorter ones are refused") {
  at_host_places([&](const auto& place) {
    std::vector<int> keys{2, 1, 3}, longer{20, 10, 30, 99}, shorter{1, 2};
    gpu::sort_by_key(place.policy, keys, longer);
    expect(longer == std::vector{10, 20, 30, 99}, place.name + ": tail");
    const auto before = keys = {5, 4, 6};
    expect_error(gpu::errc::invalid_range, place.name + ": shorter",
                 [&] { gpu::sort_by_key(place.policy, keys, longer, shorter); });
    expect(keys == before && longer == std::vector{10, 20, 30, 99}, place.name + ": nothing written");
  });
}

TEST_CASE("by_key: values that can only be moved, host") {
  const auto keys = make_keys<std::uint32_t>(few_values, 5000);
  at_host_places([&](const auto& place) {
    auto sorted = keys;
    std::vector<std::string> strings;
    std::vector<move_only> owners;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      strings.push_back("a string too long for the small buffer, number " + std::to_string(i));
      owners.emplace_back(static_cast<std::uint32_t>(i));
    }
    const auto original = strings;
    gpu::stable_sort_by_key(place.policy, sorted, strings, owners);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto from = owners[i].key();
      wrong += from >= keys.size() || keys[from] != sorted[i] || original[from] != strings[i];
      if (i > 0) wrong += sorted[i - 1] > sorted[i] || (sorted[i - 1] == sorted[i] && owners[i - 1].key() > from);
    }
    expect(wrong == 0, place.name + ": " + std::to_string(wrong) + " rows wrong");
  });
}
