// Compound keys: pairs, tuples, arrays, optionals, times, and combinations of these, in the standard's order and in
// every kind of memory; floating-point parts follow gpupar's rule.
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
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

enum class colour : std::int8_t { red = -1, green, blue };

/// n keys, made by make(random).
template <class Make>
auto make_many(std::size_t n, Make make) {
  random_source random{seed() + n};
  std::vector<decltype(make(random))> keys;
  for (std::size_t i = 0; i < n; ++i) keys.push_back(make(random));
  return keys;
}

/// Checks sort, stable_sort in descending order, and argsort.
template <class Place, class Key>
void check_at(const Place& place, const std::vector<Key>& keys, const std::string& what) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(keys.size());
  const auto up = expected_order<std::uint32_t>(keys.size(), [&](auto i, auto j) { return keys[i] < keys[j]; });
  const auto down = expected_order<std::uint32_t>(keys.size(), [&](auto i, auto j) { return keys[j] < keys[i]; });
  auto stored = place.store(keys);
  gpu::sort(place.policy, place.view(stored));
  expect(stored.fetch(name) == in_order(keys, up), name + ": sort");
  gpu::stable_sort(place.policy, place.view(stored), std::ranges::greater{});
  expect(stored.fetch(name) == in_order(keys, down), name + ": stable_sort, descending");
  stored.refill(keys);
  const auto indices = place.store(std::vector<std::uint32_t>(keys.size()));
  gpu::argsort(place.policy, place.view(stored), place.view(indices));
  expect(indices.fetch(name) == up, name + ": argsort");
}

template <class Make>
void check_everywhere(const std::string& what, Make make) {
  for (const std::size_t n : tried({0, 1, 2, 7, 33, 1000, 70'000}))
    at_all_places([&](const auto& place) { check_at(place, make_many(n, make), what); });
}

template <class Key>
std::vector<Key> sorted_by(const gpu::parallel_policy& policy, std::vector<Key> keys) {
  gpu::sort(policy, keys);
  return keys;
}

}  // namespace

TEST_CASE("compound keys: parts that fill a word, in either order of memory") {
  check_everywhere("pair of u32", [](auto& random) {
    return std::pair{static_cast<std::uint32_t>(random() % 64), static_cast<std::uint32_t>(random())};
  });
  check_everywhere("tuple of u32, i16 and u16", [](auto& random) {
    return std::tuple{static_cast<std::uint32_t>(random() % 16), static_cast<std::int16_t>(random() % 16 - 8),
                      static_cast<std::uint16_t>(random())};
  });
  check_everywhere("pair of i64 and u64",
                   [](auto& random) { return std::pair{static_cast<std::int64_t>(random() % 64 - 32), random()}; });
}

TEST_CASE("compound keys: parts with gaps between them, and many of them") {
  check_everywhere("pair of i16 and i32", [](auto& random) {
    return std::pair{static_cast<std::int16_t>(random() % 64 - 32), static_cast<std::int32_t>(random())};
  });
  check_everywhere("array of 10 bytes", [](auto& random) {
    std::array<std::uint8_t, 10> key;
    for (auto& each : key) each = static_cast<std::uint8_t>(random() % 3);
    return key;
  });
  check_everywhere("nested", [](auto& random) {
    return std::pair{static_cast<colour>(static_cast<int>(random() % 3) - 1),
                     std::pair{random() % 2 == 1, static_cast<std::byte>(random())}};
  });
}

TEST_CASE("compound keys: floating point within, zeros equal and NaNs last") {
  using key = std::pair<float, std::int32_t>;
  const float values[] = {0.0f,           -0.0f,          1.5f, -1.5f, std::numeric_limits<float>::infinity(),
                          std::nanf("1"), -std::nanf("2")};
  const auto less = [](const key& a, const key& b) {
    if (std::isnan(a.first) != std::isnan(b.first)) return std::isnan(b.first);
    if (!std::isnan(a.first) && a.first != b.first) return a.first < b.first;
    return a.second < b.second;
  };
  const auto bits = [](const std::vector<key>& keys) {
    std::vector<std::pair<std::uint32_t, std::int32_t>> all;
    for (const auto& [number, rest] : keys) all.emplace_back(std::bit_cast<std::uint32_t>(number), rest);
    return all;
  };
  for (const std::size_t n : tried({7, 100, 50'000})) {
    const auto keys =
        make_many(n, [&](auto& random) { return key{values[random() % 7], static_cast<std::int32_t>(random() % 5)}; });
    const auto expected = expected_order(n, [&](auto i, auto j) { return less(keys[i], keys[j]); });
    at_all_places([&](const auto& place) {
      const std::string name = place.name + ", floats, " + std::to_string(n);
      const auto stored = place.store(keys);
      gpu::stable_sort(place.policy, place.view(stored));
      expect(bits(stored.fetch(name)) == bits(in_order(keys, expected)), name);
    });
  }
}

TEST_CASE("compound keys: optionals, times, strings, and more bits than codes have") {
  using namespace std::chrono_literals;
  for (const std::size_t n : tried({0, 1, 7, 33, 100, 2000, 70'000})) {
    const auto check = [&](const std::string& what, auto make) {
      auto keys = make_many(n, make);
      const auto order = expected_order(n, [&](auto i, auto j) { return keys[i] < keys[j]; });
      const auto down = expected_order(n, [&](auto i, auto j) { return keys[i] > keys[j]; });
      at_places_of_the_host([&](const auto& place) {
        const std::string name = place.name + ", " + what + ", " + std::to_string(n);
        expect(gpu::argsort(place.policy, keys) == order, name + ": argsort");
        auto sorted = keys;
        gpu::stable_sort(place.policy, sorted, std::greater<>{});
        expect(sorted == in_order(keys, down), name + ": descending");
      });
    };
    check("optional", [](auto& random) {
      return random() % 4 == 0 ? std::optional<int>{} : std::optional<int>{static_cast<int>(random() % 9 - 4)};
    });
    check("a time and a duration", [](auto& random) {
      return std::pair{std::chrono::sys_seconds{1s * static_cast<int>(random() % 90)}, 1ms * (random() % 5)};
    });
    check("string and number", [](auto& random) {
      return std::tuple{std::string(random() % 3, 'p') + std::to_string(random() % 99),
                        static_cast<int>(random() % 9 - 4)};
    });
    check("numbers of 192 bits", [](auto& random) {
      return std::tuple{random() % 3, static_cast<std::int64_t>(random() % 3 - 1), random() % 5};
    });
    check("an optional string", [](auto& random) {
      return std::pair{random() % 2 == 0, random() % 3 == 0 ? std::optional<std::string>{}
                                                            : std::optional{std::string(random() % 9, '\xff')}};
    });
  }
}

namespace {

/// Ordered only by a specialisation of std::less.
struct backwards {
  int value;
  friend bool operator<(const backwards&, const backwards&) = delete;
  friend bool operator==(const backwards&, const backwards&) = default;
};
enum class ranked { low, high };

}  // namespace

template <>
struct std::less<backwards> {
  bool operator()(const backwards& a, const backwards& b) const { return a.value > b.value; }
};
template <>
struct std::less<ranked> {
  bool operator()(ranked a, ranked b) const { return static_cast<int>(a) > static_cast<int>(b); }
};

TEST_CASE("compound keys: a program's own std::less, and its own operators, are obeyed") {
  std::vector<backwards> all{{1}, {3}, {2}};
  gpu::sort(gpu::par, all, std::less<backwards>{});
  expect(all == std::vector<backwards>{{3}, {2}, {1}}, "std::less of a program's type");
  std::vector<std::pair<ranked, int>> pairs{{ranked::low, 1}, {ranked::high, 2}};
  gpu::sort(gpu::par, pairs, std::less<ranked>{}, &std::pair<ranked, int>::first);
  expect(pairs[0].first == ranked::high, "std::less of a part of a pair");
  expect(sorted_by(gpu::par, std::vector{std::pair{2, 1}, std::pair{1, 2}})[0].first == 1, "std::ranges::less");
}
