// Elements: records of awkward sizes and semantics, pairs, strings, and move-only types.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "values.hpp"

namespace {

using namespace testing;

struct flag_record {
  bool key;
  std::uint8_t rest[3];
};

/// Sorts records stably by their key member at every place.
template <class Record>
void check_record_type(const std::string& name) {
  for (const std::size_t count : {1, 40, 3000}) {
    const auto records = make_records<Record>(few_values, count);
    at_all_places([&](const auto& place) {
      const std::string what = place.name + ", " + name + ", " + std::to_string(count);
      const auto data = place.store(records);
      gpu::stable_sort(place.policy, place.view(data), {}, &Record::key);
      expect_none(stable_sort_problem(records, data.fetch(what), by(natural_less{}, &Record::key)), what);
    });
  }
}

}  // namespace

TEST_CASE("elements: records of 3 to 1000 bytes by a member") {
  check_record_type<bytes_record<3>>("3 bytes");
  check_record_type<record12>("12 bytes");
  check_record_type<record16>("16 bytes");
  check_record_type<record24>("24 bytes");
  check_record_type<record64>("64 bytes");
  check_record_type<record1000>("1000 bytes");
  check_record_type<flag_record>("bool as a key");
  check_record_type<over_aligned>("aligned to 128 bytes");
}

TEST_CASE("elements: records of 100 bytes with keys of 10") {
  const auto records = make_records<record100>(few_values, 5000);
  at_host_places([&](const auto& place) {
    auto sorted = records;
    gpu::stable_sort(place.policy, sorted, lexicographic);
    expect_none(stable_sort_problem(records, sorted, lexicographic), place.name + ", comparator");
    sorted = records;
    gpu::sort(place.policy, sorted, std::ranges::less{}, &record100::key);
    expect_none(sort_problem(records, sorted, lexicographic), place.name + ", arrays are compared by themselves");
  });
}

TEST_CASE("elements: pairs and strings") {
  const auto keys = make_keys<std::uint32_t>(few_values, 20'000);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    pairs.emplace_back(keys[i], static_cast<std::uint32_t>(i * 7919 % 1000));
    strings.push_back((i % 2 ? "a prefix longer than the small buffer " : "") + std::to_string(keys[i] % 5000));
  }
  at_host_places([&](const auto& place) {
    auto sorted = pairs;
    gpu::sort(place.policy, sorted);
    auto expected = pairs;
    std::sort(expected.begin(), expected.end());
    expect(sorted == expected, place.name + ": pairs");
    sorted = pairs;
    gpu::stable_sort(place.policy, sorted, std::greater<>{}, &std::pair<std::uint32_t, std::uint32_t>::first);
    expected = pairs;
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    expect(sorted == expected, place.name + ": pairs by the first");
    auto words = strings;
    gpu::sort(place.policy, words);
    expect_none(sort_problem(strings, words, natural_less{}), place.name + ": strings");
    words = strings;
    gpu::stable_sort(place.policy, words, std::ranges::less{}, &std::string::size);
    expect_none(stable_sort_problem(strings, words, by(natural_less{}, &std::string::size)),
                place.name + ": strings by length");
  });
}

TEST_CASE("elements: elements that can only be moved") {
  for (const std::size_t count : {2, 17, 1000, 60'000}) {
    const auto keys = make_keys<std::uint32_t>(few_values, count);
    at_host_places([&](const auto& place) {
      for (const bool stable : {false, true}) {
        std::vector<move_only> owners;
        for (const auto key : keys) owners.emplace_back(key);
        if (stable)
          gpu::stable_sort(place.policy, owners);
        else
          gpu::sort(place.policy, owners, std::ranges::less{}, &move_only::key);
        std::vector<std::uint32_t> got;
        bool owned = true;
        for (const auto& owner : owners) {
          owned &= !owner.empty();
          got.push_back(owner.key());
        }
        expect(owned, place.name + ": an owner is empty");
        expect_none(sort_problem(keys, got, natural_less{}), place.name + ", " + std::to_string(count));
      }
    });
  }
}

TEST_CASE("elements: no default constructor, deleted operator& and comma") {
  const auto keys = make_keys<std::uint32_t>(20'000);
  at_host_places([&](const auto& place) {
    std::vector<awkward> elements;
    for (const auto key : keys) elements.emplace_back(key);
    auto stable = elements, merged = elements;
    const auto less = [](const awkward& a, const awkward& b) { return a.key() < b.key(); };
    gpu::sort(place.policy, elements.begin(), elements.end(), less);
    gpu::stable_sort(place.policy, stable, std::greater<>{}, [](const awkward& element) { return element.key(); });
    gpu::inplace_merge(place.policy, stable.rbegin(), stable.rbegin(), stable.rend(), less);
    gpu::merge(place.policy, elements, elements | std::views::take(0), merged.begin(), less);
    std::vector<std::uint32_t> ascending, descending, copied;
    for (const auto& element : elements) ascending.push_back(element.key());
    for (const auto& element : stable) descending.push_back(element.key());
    for (const auto& element : merged) copied.push_back(element.key());
    expect_none(sort_problem(keys, ascending, natural_less{}), place.name + ", sort");
    expect_none(sort_problem(keys, descending, natural_greater{}), place.name + ", stable_sort");
    expect(copied == ascending, place.name + ", merge");
  });
}
