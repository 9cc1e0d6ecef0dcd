// merge: two sorted ranges into one, elements of the first before their equals in the second.
#include <algorithm>
#include <functional>
#include <iterator>
#include <list>
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

constexpr std::pair<std::size_t, std::size_t> sizes[] = {{0, 0},   {0, 5},       {5, 0},          {1, 1},
                                                         {100, 1}, {1, 1000},    {4097, 4095},    {100'000, 30},
                                                         {33, 70}, {30, 70'000}, {77'777, 88'888}};

/// Sorts two inputs, merges them at a place and compares with std::merge.
template <class Place, class Element, class Compare, class Projection, class Less>
void check_merge(const Place& place, std::vector<Element> first, std::vector<Element> second, Compare comp,
                 Projection proj, Less less, const std::string& what) {
  const auto order = by(less, proj);
  std::stable_sort(first.begin(), first.end(), order);
  std::stable_sort(second.begin(), second.end(), order);
  std::vector<Element> expected;
  std::merge(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(expected), order);

  const auto a = place.store(first), b = place.store(second);
  const auto out = place.store(std::vector<Element>(expected.size()));
  const auto target = place.view(out);
  const auto result = gpu::merge(place.policy, place.view(a), place.view(b), target.begin(), comp, proj, proj);
  const std::string name = place.name + ", " + what;
  expect(result.out == target.end(), name + ": returned end");
  expect_none(difference(expected, out.fetch(name)), name);
  expect_none(difference(first, a.fetch(name)), name + ": first input changed");
  expect_none(difference(second, b.fetch(name)), name + ": second input changed");
}

}  // namespace

TEST_CASE("merge: sizes and distributions of keys") {
  for (const auto& [m, n] : sizes)
    for (const auto& distribution : {uniform, few_values}) {
      const std::string what = distribution.name + ", " + std::to_string(m) + " and " + std::to_string(n);
      const auto first = make_keys<std::uint32_t>(distribution, m, 1),
                 second = make_keys<std::uint32_t>(distribution, n, 2);
      at_all_places([&](const auto& place) {
        check_merge(place, first, second, std::ranges::less{}, std::identity{}, natural_less{}, what);
      });
    }
}

TEST_CASE("merge: special values, descending, stable to the bit") {
  for (const auto& [m, n] : sizes) {
    const std::string what = std::to_string(m) + " and " + std::to_string(n);
    const auto first = make_special_keys<double>(m, 1), second = make_special_keys<double>(n, 2);
    at_all_places([&](const auto& place) {
      check_merge(place, first, second, std::ranges::greater{}, std::identity{}, natural_greater{}, what);
    });
  }
}

TEST_CASE("merge: records by a projection, stable") {
  for (const auto& [m, n] : sizes) {
    const std::string what = std::to_string(m) + " and " + std::to_string(n);
    const auto first = with_index(make_keys<std::uint32_t>(few_values, m, 1));
    auto second = with_index(make_keys<std::uint32_t>(few_values, n, 2));
    for (auto& record : second) record.index |= 1u << 31;  // shows which input an element comes from
    at_all_places([&](const auto& place) {
      check_merge(place, first, second, std::ranges::less{}, &record8::key, natural_less{}, what);
    });
  }
}

TEST_CASE("merge: disjoint ranges in either order") {
  std::vector<std::int64_t> low(5000), high(7000);
  for (std::size_t i = 0; i < low.size(); ++i) low[i] = static_cast<std::int64_t>(i) - 5000;
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::int64_t>(i);
  at_all_places([&](const auto& place) {
    check_merge(place, low, high, std::ranges::less{}, std::identity{}, natural_less{}, "low, high");
    check_merge(place, high, low, std::ranges::less{}, std::identity{}, natural_less{}, "high, low");
  });
}

TEST_CASE("merge: custom comparators, two projections, other containers") {
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 512 < b % 512; };
  at_host_places([&](const auto& place) {
    check_merge(place, make_keys<std::uint32_t>(50'000, 1), make_keys<std::uint32_t>(30'000, 2), less, std::identity{},
                less, "comparator");

    const std::vector<std::pair<int, char>> pairs{{1, 'a'}, {3, 'b'}};
    const std::vector<std::pair<int, char>> others{{0, 'x'}, {1, 'y'}, {4, 'z'}};
    std::vector<std::pair<int, char>> all;
    const auto result = gpu::merge(place.policy, pairs, others, std::back_inserter(all), {},
                                   &std::pair<int, char>::first, [](const auto& pair) { return pair.first; });
    expect(all == std::vector<std::pair<int, char>>{{0, 'x'}, {1, 'a'}, {1, 'y'}, {3, 'b'}, {4, 'z'}},
           place.name + ": back_inserter and projections");
    expect(result.in1 == pairs.end() && result.in2 == others.end(), place.name + ": ends of the inputs");

    std::vector<int> a{1, 2}, b{2, 3};
    std::list<int> list(4);
    const auto end = gpu::merge(place.policy, a.begin(), a.end(), b.begin(), b.end(), list.begin());
    expect(end == list.end() && list == std::list<int>{1, 2, 2, 3}, place.name + ": into a list");
  });
}
