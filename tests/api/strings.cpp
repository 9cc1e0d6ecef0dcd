// Strings: in std::string's order, whatever their lengths, prefixes and bytes, and however they are accessed.
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "random.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using strings = std::vector<std::string>;

/// The host, the library's choice, and the device if there is one: strings themselves are always in host memory.
template <class Body>
void at_string_places(Body body) {
  at_host_places(body);
  if (gpu::device_count() > 0)
    body(place<decltype(gpu::par.require_device()), false>{gpu::par.require_device(), memory::pageable, "device"});
  else
    skip("strings on the device: no device");
}

struct input {
  std::string name;
  strings values;
};

/// Strings of up to `longest` characters of an alphabet, after a prefix.
input random_strings(std::string name, std::size_t count, std::size_t longest, std::string_view alphabet,
                     const std::string& prefix = {}) {
  random_source random{seed() + count + longest};
  strings all;
  for (std::size_t i = 0; i < count; ++i) {
    std::string next = prefix;
    for (std::size_t length = random() % (longest + 1); length > 0; --length)
      next += alphabet[random() % alphabet.size()];
    all.push_back(std::move(next));
  }
  return {std::move(name), std::move(all)};
}

/// Addresses of pages on a few hosts, most of them deep below the same folders.
input addresses(std::size_t count) {
  random_source random{seed() + count};
  const std::string hosts[] = {"https://www.example.com/", "https://www.example.com/archive/2024/", "http://a/"};
  strings all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(hosts[random() % 3] + "articles/by-number/" + std::to_string(random() % count) +
                  (random() % 2 ? ".html" : ""));
  return {"addresses", std::move(all)};
}

/// Every string is a prefix of the longer ones.
input beginnings(std::size_t count, char letter) {
  random_source random{seed()};
  strings all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(random() % count, letter);
  return {std::string{"beginnings of "} + std::to_string(letter), std::move(all)};
}

/// Each string is a prefix of one of a few texts, followed by up to `longest` characters of its own.
input continued(std::size_t count, std::size_t texts, std::size_t longest) {
  using namespace std::string_view_literals;
  random_source random{seed() + count + texts + longest};
  const auto some = [&](std::size_t length) {
    std::string made;
    for (; length > 0; --length) made += "\x00\x01\xff"sv[random() % 3];
    return made;
  };
  strings models, all;
  for (std::size_t i = 0; i < texts; ++i) models.push_back(some(120));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& model = models[random() % texts];
    all.push_back(model.substr(0, random() % (model.size() + 1)) + some(random() % (longest + 1)));
  }
  return {"texts of " + std::to_string(texts) + " cut and continued by " + std::to_string(longest), std::move(all)};
}

std::vector<input> inputs(std::size_t count) {
  using namespace std::string_view_literals;
  constexpr auto hostile = "\x00\x01\x7f\x80\xff"sv;
  return {random_strings("letters", count, 24, "abcdefghijklmnopqrstuvwxyz"),
          random_strings("two letters", count, 40, "ab"),
          random_strings("zeros and high bytes", count, 12, hostile),
          random_strings("zeros", count, 20, hostile.substr(0, 1)),
          random_strings("short", count, 2, hostile),
          random_strings("long prefix", count, 10, hostile, std::string(1001, 'p')),
          random_strings("all equal", count, 0, hostile, "one and the same"),
          random_strings("all empty", count, 0, hostile),
          addresses(count),
          continued(count, 1, 0),
          continued(count, 1, 3),
          continued(count, 2, 9),
          beginnings(count, '\0'),
          beginnings(count, 'z')};
}

/// Compares with std::stable_sort: strings that are equal cannot be told apart.
template <class Place, class Compare>
void check_strings(const Place& place, const input& from, Compare compare, const std::string& what) {
  auto expected = from.values;
  std::stable_sort(expected.begin(), expected.end(), compare);
  const std::string name = place.name + ", " + from.name + ", " + std::to_string(expected.size()) + ", " + what;
  auto sorted = from.values;
  gpu::sort(place.policy, sorted, compare);
  expect(sorted == expected, name + ", sort");
  sorted = from.values;
  gpu::stable_sort(place.policy, sorted.begin(), sorted.end(), compare);
  expect(sorted == expected, name + ", stable_sort");

  std::vector<std::uint32_t> by_index(expected.size());
  std::iota(by_index.begin(), by_index.end(), 0u);
  std::stable_sort(by_index.begin(), by_index.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return compare(from.values[i], from.values[j]); });
  std::vector<std::uint32_t> indices(expected.size());
  gpu::argsort(place.policy, from.values, indices, compare);
  expect(indices == by_index, name + ", argsort");
}

struct person {
  std::string name;
  std::unique_ptr<int> number;
};

}  // namespace

TEST_CASE("strings: every kind and size") {
  for (const std::size_t count : {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 70, 128, 129, 300, 5000, 40'000})
    for (const input& from : inputs(count)) {
      if (from.name.starts_with("beginnings") && count > 300) continue;  // they would take gigabytes
      at_string_places([&](const auto& place) {
        check_strings(place, from, std::less<>{}, "ascending");
        check_strings(place, from, std::greater<std::string>{}, "descending");
      });
    }
}

TEST_CASE("strings: views and other characters") {
  const input from = random_strings("views", 3000, 20, "abc");
  const std::vector<std::string_view> views(from.values.begin(), from.values.end());
  auto expected = views;
  std::sort(expected.begin(), expected.end());
  std::vector<std::u8string> eights;
  for (const auto& each : from.values) eights.emplace_back(each.begin(), each.end());
  eights.push_back(u8"\u00fc");
  auto expected_eights = eights;
  std::sort(expected_eights.begin(), expected_eights.end(), std::greater<>{});
  std::vector<std::wstring> wide;
  for (const auto& each : from.values) wide.emplace_back(each.begin(), each.end());
  auto expected_wide = wide;
  std::sort(expected_wide.begin(), expected_wide.end());
  at_string_places([&](const auto& place) {
    auto sorted = views;
    gpu::sort(place.policy, sorted);
    expect(sorted == expected, place.name + ": string_view");
    auto sorted_eights = eights;
    gpu::sort(place.policy, sorted_eights, std::ranges::greater{});
    expect(sorted_eights == expected_eights, place.name + ": u8string");
  });
  at_host_places([&](const auto& place) {
    auto sorted = wide;
    gpu::sort(place.policy, sorted);
    expect(sorted == expected_wide, place.name + ": wstring, by comparison");
  });
}

TEST_CASE("strings: members of records that can only be moved") {
  const input from = random_strings("names", 20'000, 3, "ab");
  at_string_places([&](const auto& place) {
    const auto check = [&](const auto& projection, const std::string& what) {
      std::vector<person> people;
      for (std::size_t i = 0; i < from.values.size(); ++i)
        people.push_back({from.values[i], std::make_unique<int>(static_cast<int>(i))});
      gpu::stable_sort(place.policy, people, std::ranges::greater{}, projection);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < people.size(); ++i) {
        wrong +=
            people[i].number == nullptr || people[i].name != from.values[static_cast<std::size_t>(*people[i].number)];
        wrong += i > 0 && (people[i - 1].name < people[i].name ||
                           (people[i - 1].name == people[i].name && *people[i - 1].number > *people[i].number));
      }
      expect(wrong == 0, place.name + ", " + what + ": " + std::to_string(wrong) + " lost or out of order");
    };
    check(&person::name, "member");
    check([](const person& one) -> const std::string& { return one.name; }, "reference");
    check([](const person& one) { return std::string_view{one.name}; }, "view");
  });
  at_host_places([&](const auto& place) {  // the projection returns a temporary string
    std::vector<person> people;
    for (const auto& name : from.values) people.push_back({name, nullptr});
    gpu::sort(place.policy, people, {}, [](const person& one) { return one.name + '.'; });
    expect(std::ranges::is_sorted(people, {}, [](const person& one) { return one.name + '.'; }),
           place.name + ": a string by value");
  });
}

TEST_CASE("strings: keys of columns, and not contiguous") {
  const input from = addresses(4000);
  at_string_places([&](const auto& place) {
    auto keys = from.values;
    std::vector<std::size_t> places(keys.size());
    std::vector<std::unique_ptr<int>> owners(keys.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (std::size_t i = 0; i < keys.size(); ++i) owners[i] = std::make_unique<int>(static_cast<int>(i));
    gpu::stable_sort_by_key(place.policy, keys, places, owners);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      wrong += keys[i] != from.values[places[i]] || *owners[i] != static_cast<int>(places[i]);
      wrong += i > 0 && (keys[i] < keys[i - 1] || (keys[i] == keys[i - 1] && places[i] < places[i - 1]));
    }
    expect(wrong == 0, place.name + ": columns");

    std::deque<std::string> deque(from.values.begin(), from.values.end());
    gpu::sort(place.policy, deque.rbegin(), deque.rend());
    expect(std::ranges::is_sorted(deque, std::ranges::greater{}), place.name + ": reversed deque");
    std::deque<std::string> kept(from.values.begin(), from.values.end());
    std::vector<std::int64_t> indices(kept.size());
    gpu::argsort(place.policy, kept, indices);
    wrong = 0;
    for (std::size_t i = 1; i < indices.size(); ++i)
      wrong += kept[static_cast<std::size_t>(indices[i])] < kept[static_cast<std::size_t>(indices[i - 1])];
    expect(wrong == 0, place.name + ": argsort of a deque");
  });
}

TEST_CASE("strings: each algorithm") {
  const input from = random_strings("letters", 3000, 12, "abcdefgh");
  auto expected = from.values;
  std::sort(expected.begin(), expected.end());
  at_string_places([&](const auto& place) {
    for (const auto how : {gpu::algorithm::bitonic, gpu::algorithm::quicksort, gpu::algorithm::sample_sort,
                           gpu::algorithm::merge_sort, gpu::algorithm::radix}) {
      const auto chosen = place.using_algorithm(how);
      auto sorted = from.values;
      gpu::sort(chosen.policy, sorted);
      expect(sorted == expected, chosen.name);
    }
  });
}
