// merge_by_key: two sorted key columns with a value column each.
#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

struct table {
  std::vector<std::int32_t> keys;
  std::vector<std::uint64_t> values;
};

/// Sorted keys with values that identify their table and position.
template <class Less>
table make_table(std::size_t count, std::uint64_t tag, Less less) {
  table made{make_keys<std::int32_t>(few_values, count, tag), {}};
  std::stable_sort(made.keys.begin(), made.keys.end(), less);
  for (std::size_t i = 0; i < count; ++i) made.values.push_back(tag << 40 | i);
  return made;
}

/// As large as an 8-byte word of the device, but less aligned.
struct two_words {
  std::uint32_t halves[2];
};

template <class Value>
std::vector<Value> as(const std::vector<std::uint64_t>& words) {
  std::vector<Value> all;
  for (const std::uint64_t word : words) all.push_back(std::bit_cast<Value>(word));
  return all;
}

/// The values of the first input and of the output begin `misalignment` times their alignment after a multiple of 256
/// bytes.
template <class Value = std::uint64_t, class Place, class Compare, class Less>
void check_merge_by_key(const Place& place, std::size_t m, std::size_t n, Compare comp, Less less,
                        std::size_t misalignment = 0) {
  const table first = make_table(m, 1, less), second = make_table(n, 2, less);
  std::vector<std::pair<std::int32_t, std::uint64_t>> a, b, expected;
  for (std::size_t i = 0; i < m; ++i) a.emplace_back(first.keys[i], first.values[i]);
  for (std::size_t i = 0; i < n; ++i) b.emplace_back(second.keys[i], second.values[i]);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected),
             by(less, &decltype(a)::value_type::first));

  const auto k1 = place.store(first.keys), k2 = place.store(second.keys);
  const auto v1 = place.store(as<Value>(first.values), misalignment);
  const auto v2 = place.store(as<Value>(second.values));
  const auto k = place.store(std::vector<std::int32_t>(m + n));
  const auto v = place.store(std::vector<Value>(m + n), misalignment);
  const auto keys1 = place.view(k1), keys2 = place.view(k2), keys_out = place.view(k);
  const auto values_out = place.view(v);
  const auto [keys_end, values_end] =
      gpu::merge_by_key(place.policy, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(), place.view(v1).begin(),
                        place.view(v2).begin(), keys_out.begin(), values_out.begin(), comp);
  const std::string what = place.name + ", " + std::to_string(m) + " and " + std::to_string(n);
  expect(keys_end == keys_out.end() && values_end == values_out.end(), what + ": returned ends");
  const auto got_keys = k.fetch(what);
  const auto got_values = v.fetch(what);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < m + n; ++i)
    wrong += expected[i] != std::pair{got_keys[i], std::bit_cast<std::uint64_t>(got_values[i])};
  expect(wrong == 0, what + ": " + std::to_string(wrong) + " rows wrong");
}

}  // namespace

TEST_CASE("merge_by_key: sizes, both directions") {
  constexpr std::pair<std::size_t, std::size_t> sizes[] = {{0, 0},  {0, 9},       {9, 0},      {1, 1},
                                                           {64, 3}, {5000, 4000}, {3, 90'000}, {80'000, 90'000}};
  for (const auto& size : sizes)
    at_all_places([&](const auto& place) {
      check_merge_by_key(place, size.first, size.second, std::ranges::less{}, natural_less{});
      check_merge_by_key(place, size.first, size.second, std::ranges::greater{}, natural_greater{});
    });
}

TEST_CASE("merge_by_key: values aligned to less than their size") {
  at_all_places([&](const auto& place) {
    for (const std::size_t misalignment : {0, 1})
      for (const std::size_t m : {9, 5000})
        check_merge_by_key<two_words>(place, m, 4000, std::ranges::less{}, natural_less{}, misalignment);
  });
}

TEST_CASE("merge_by_key: keys of two types, outputs that are written one by one") {
  const std::vector<int> a{1, 3, 5};
  const std::vector<double> b{2, 3, 4.5, 6};
  const std::vector<std::string> a_values{"a1", "a3", "a5"}, b_values{"b2", "b3", "b4", "b6"};
  const std::vector<std::string> expected{"a1", "b2", "a3", "b3", "b4", "a5", "b6"};
  at_host_places([&](const auto& place) {
    std::vector<double> keys(7);
    std::vector<std::string> values(7);
    const auto merge_to = [&](auto keys_out, auto values_out, auto... order) {
      return gpu::merge_by_key(place.policy, a.begin(), a.end(), b.begin(), b.end(), a_values.begin(), b_values.begin(),
                               keys_out, values_out, order...);
    };
    merge_to(keys.begin(), values.begin());
    expect(std::ranges::is_sorted(keys) && values == expected, place.name + ": keys of two types");
    keys.clear(), values.clear();
    merge_to(std::back_inserter(keys), std::back_inserter(values));
    expect(std::ranges::is_sorted(keys) && values == expected, place.name + ": back_inserter");
    values.clear();
    const auto ends = merge_to(keys.begin(), std::back_inserter(values), std::greater<>{}, std::negate<>{});
    expect(ends.first == keys.end() && std::ranges::is_sorted(keys) && values == expected,
           place.name + ": one of them, comparator and projection");
    const std::vector<long> wide(a.begin(), a.end());
    std::vector<long> out(6);
    std::vector<int> places(6);
    gpu::merge_by_key(place.policy, wide.begin(), wide.end(), wide.begin(), wide.end(), a.begin(), a.begin(),
                      out.begin(), places.begin());
    expect(std::ranges::equal(out, places), place.name + ": values of another size");
  });
}

TEST_CASE("merge_by_key: custom comparator on the host") {
  const auto less = [](std::int32_t a, std::int32_t b) { return (a >> 27) < (b >> 27); };
  at_host_places([&](const auto& place) { check_merge_by_key(place, 30'000, 20'000, less, less); });
}
