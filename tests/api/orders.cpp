// Orders of several keys: by(…).then(…), projections to compound keys, computed strings.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
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

struct trade {
  std::uint32_t day = 0;
  std::uint32_t price = 0;
  std::uint64_t id = 0;
  friend bool operator==(const trade&, const trade&) = default;
};

/// Has padding, floats, an array and a bool.
struct sample {
  std::int16_t group = 0;
  double weight = 0;
  bool valid = false;
  std::int8_t code[3] = {0, 0, 0};
  std::uint32_t id = 0;
};

struct person {
  std::string name;
  int age = 0;
  std::uint32_t id = 0;
};

std::vector<trade> make_trades(std::size_t n) {
  random_source random{seed() + n};
  std::vector<trade> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = {static_cast<std::uint32_t>(random() % 50), static_cast<std::uint32_t>(random() % 9), i};
  return all;
}

std::vector<sample> make_samples(std::size_t n) {
  random_source random{seed() + n};
  std::vector<sample> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i].group = static_cast<std::int16_t>(random() % 5 - 2);
    all[i].weight = (random() % 2 != 0 ? 1 : -1) * static_cast<double>(random() % 3);
    all[i].valid = random() % 2 != 0;
    for (auto& each : all[i].code) each = static_cast<std::int8_t>(random() % 4 - 2);
    all[i].id = static_cast<std::uint32_t>(i);
  }
  return all;
}

std::vector<person> make_people(std::size_t n) {
  random_source random{seed() + n};
  std::vector<person> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = {"name " + std::to_string(random() % 200), static_cast<int>(random() % 9), static_cast<std::uint32_t>(i)};
  return all;
}

template <class Element>
auto ids_of(const std::vector<Element>& all) {
  std::vector<std::uint64_t> ids;
  for (const auto& each : all) ids.push_back(each.id);
  return ids;
}

/// Checks stable_sort, is_sorted, argsort and sort by an order.
template <class Place, class Element, class Order, class Less>
void check_at(const Place& place, const std::vector<Element>& all, Order order, Less less, const std::string& what) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(all.size());
  const auto expected = expected_order<std::uint64_t>(all.size(), [&](auto i, auto j) { return less(all[i], all[j]); });
  const auto stored = place.store(all);
  gpu::stable_sort(place.policy, place.view(stored), order);
  expect(ids_of(stored.fetch(name)) == expected, name + ": stable_sort");
  expect(gpu::is_sorted(place.policy, place.view(stored), order), name + ": is_sorted");
  const auto again = place.store(all);
  const auto indices = place.store(std::vector<std::uint64_t>(all.size()));
  gpu::argsort(place.policy, place.view(again), place.view(indices), order);
  expect(indices.fetch(name) == expected, name + ": argsort");
  gpu::sort(place.policy, place.view(again), order);
  const auto sorted = again.fetch(name);
  expect(std::is_sorted(sorted.begin(), sorted.end(), less), name + ": sort");
  auto ids = ids_of(sorted);
  std::sort(ids.begin(), ids.end());
  expect(ids == ids_of(all), name + ": sort, a permutation");
}

}  // namespace

TEST_CASE("orders: members of a record, in every memory") {
  for (const std::size_t n : tried({0, 1, 2, 9, 50, 3000, 80'000})) {
    const auto trades = make_trades(n);
    const auto samples = make_samples(n);
    at_all_places([&](const auto& place) {
      check_at(
          place, trades, gpu::by(&trade::day).then(&trade::price, std::ranges::greater{}),
          [](const trade& a, const trade& b) { return a.day < b.day || (a.day == b.day && a.price > b.price); },
          "day, then price");
      check_at(
          place, samples, gpu::by(&sample::weight, std::greater<>{}).then(&sample::code).then(&sample::valid),
          [](const sample& a, const sample& b) {
            if (a.weight != b.weight) return a.weight > b.weight;
            const bool equal = std::equal(a.code, a.code + 3, b.code);
            if (!equal) return std::lexicographical_compare(a.code, a.code + 3, b.code, b.code + 3);
            return a.valid < b.valid;
          },
          "weight, code, valid");
    });
  }
}

TEST_CASE("orders: elements that the words of their order fill, twice the same member, and a forced algorithm") {
  const auto trades = make_trades(20'000);
  const auto less = [](const trade& a, const trade& b) { return std::tie(b.price, a.day) < std::tie(a.price, b.day); };
  at_all_places([&](const auto& place) {
    const auto order = gpu::by(&trade::price, std::greater{}).then(&trade::day).then(&trade::price);
    check_at(place, trades, order, less, "price, day, price");
    for (const auto how : {gpu::algorithm::merge_sort, gpu::algorithm::sample_sort, gpu::algorithm::radix}) {
      const auto forced = place.using_algorithm(how);
      const auto stored = place.store(trades);
      gpu::stable_sort(forced.policy, place.view(stored), gpu::by(&trade::price, std::greater{}).then(&trade::day));
      const auto sorted = stored.fetch(forced.name);
      expect(std::is_sorted(sorted.begin(), sorted.end(), less), forced.name + ": sorted");
      bool stable = true;
      for (std::size_t i = 1; i < sorted.size(); ++i)
        stable &= less(sorted[i - 1], sorted[i]) || sorted[i - 1].id < sorted[i].id;
      expect(stable, forced.name + ": stable");
    }
  });
}

TEST_CASE("orders: merges") {
  auto a = make_trades(5000), b = make_trades(7001);
  const auto order = gpu::by(&trade::day).then(&trade::price, std::ranges::greater{});
  std::stable_sort(a.begin(), a.end(), order);
  std::stable_sort(b.begin(), b.end(), order);
  std::vector<trade> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), order);
  at_all_places([&](const auto& place) {
    const auto left = place.store(a), right = place.store(b);
    const auto out = place.store(std::vector<trade>(expected.size()));
    gpu::merge(place.policy, place.view(left), place.view(right), place.view(out).begin(), order);
    expect(out.fetch(place.name) == expected, place.name + ": merge");
    auto halves = a;
    halves.insert(halves.end(), b.begin(), b.end());
    const auto both = place.store(halves);
    gpu::inplace_merge(place.policy, place.view(both), place.view(both).begin() + 5000, order);
    expect(both.fetch(place.name) == expected, place.name + ": inplace_merge");
  });
}

TEST_CASE("orders: strings among the keys, comparators, projections of any kind") {
  for (const std::size_t n : tried({0, 1, 2, 9, 50, 3000, 80'000})) {
    const auto people = make_people(n);
    at_places_of_the_host([&](const auto& place) {
      const auto check = [&](const std::string& what, auto order, auto less) {
        const auto expected = expected_order(n, [&](auto i, auto j) { return less(people[i], people[j]); });
        const std::string name = place.name + ", " + what + ", " + std::to_string(n);
        expect(gpu::argsort(place.policy, people, order) == expected, name + ": argsort");
        auto sorted = people;
        gpu::stable_sort(place.policy, sorted, order);
        expect(ids_of(sorted) == ids_of(in_order(people, expected)), name + ": stable_sort");
      };
      check("age and name", gpu::by(&person::age).then(&person::name, std::ranges::greater{}),
            [](const person& a, const person& b) { return std::tie(a.age, b.name) < std::tie(b.age, a.name); });
      check("name and age", gpu::by(&person::name).then([](const person& p) { return -p.age; }),
            [](const person& a, const person& b) { return std::tie(a.name, b.age) < std::tie(b.name, a.age); });
      const auto shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
      check("age and a comparator", gpu::by(&person::age).then(&person::name, shorter),
            [](const person& a, const person& b) {
              return a.age < b.age || (a.age == b.age && a.name.size() < b.name.size());
            });
      auto tied = people;
      gpu::stable_sort(place.policy, tied, {}, [](const person& p) { return std::tie(p.age, p.name); });
      expect(std::is_sorted(tied.begin(), tied.end(), gpu::by(&person::age).then(&person::name)),
             place.name + ": a projection to a tuple of references");
    });
  }
}

TEST_CASE("orders: a string that a projection makes is made once") {
  const auto people = make_people(20'000);
  at_places_of_the_host([&](const auto& place) {
    std::atomic<std::size_t> calls{0};
    const auto turned = [&](const person& p) {
      ++calls;
      return std::string(p.name.rbegin(), p.name.rend());
    };
    auto sorted = people;
    gpu::stable_sort(place.policy.using_algorithm(gpu::algorithm::radix), sorted, {}, turned);
    const std::size_t made = calls;
    bool right = true;
    for (std::size_t i = 1; i < sorted.size(); ++i) right &= !(turned(sorted[i]) < turned(sorted[i - 1]));
    expect(right, place.name + ": sorted");
    expect(made < 2 * people.size(), place.name + ": calls " + std::to_string(made));
  });
}

TEST_CASE("orders: through pointers, and as the standard's comparator") {
  std::vector<std::unique_ptr<trade>> owned;
  for (const trade& each : make_trades(1000)) owned.push_back(std::make_unique<trade>(each));
  std::vector<std::reference_wrapper<trade>> references;
  for (const auto& each : owned) references.emplace_back(*each);
  gpu::sort(gpu::par, owned, gpu::by(&trade::price).then(&trade::id));
  gpu::sort(gpu::par, references, gpu::by(&trade::price).then(&trade::id));
  const auto order = gpu::by(&trade::price).then(&trade::id);
  bool alike = true;
  for (std::size_t i = 0; i < owned.size(); ++i) alike &= owned[i].get() == &references[i].get();
  expect(alike, "pointers and references");
  expect(std::is_sorted(owned.begin(), owned.end(), order), "std::is_sorted by the order");
  expect(!order(*owned[0], *owned[0]), "irreflexive");
}

TEST_CASE("orders: explain tells what the key became") {
  const auto trades = make_trades(1000);
  const auto people = make_people(1000);
  const auto told = [](const gpu::plan& plan) {
    std::ostringstream words;
    words << plan;
    return words.str();
  };
  const auto has = [&](const gpu::plan& plan, const std::string& words) {
    expect(told(plan).find(words) != std::string::npos, told(plan) + ": " + words);
  };
  has(gpu::explain(gpu::par, trades, gpu::by(&trade::day).then(&trade::price)), "2 parts, 64 bits");
  has(gpu::explain(gpu::par, people, gpu::by(&person::age).then(&person::name)), "then what follows");
  expect(told(gpu::explain(gpu::par, trades, {}, &trade::day)).find("part") == std::string::npos, "one number");
}
