// inplace_merge: two neighbouring sorted ranges become one, stable.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

template <class Place, class Compare, class Less>
void check_inplace(const Place& place, std::vector<record8> records, std::size_t middle, Compare comp, Less less,
                   const std::string& what) {
  const auto order = by(less, &record8::key);
  const auto cut = records.begin() + static_cast<std::ptrdiff_t>(middle);
  std::stable_sort(records.begin(), cut, order);
  std::stable_sort(cut, records.end(), order);
  const auto data = place.store(records);
  const auto view = place.view(data);
  const std::string name = place.name + ", " + what;
  const auto end =
      gpu::inplace_merge(place.policy, view, view.begin() + static_cast<std::ptrdiff_t>(middle), comp, &record8::key);
  expect(end == view.end(), name + ": returned end");
  std::inplace_merge(records.begin(), cut, records.end(), order);
  expect_none(difference(records, data.fetch(name)), name);
}

}  // namespace

TEST_CASE("inplace_merge: sizes and cuts") {
  for (const std::size_t count : {0, 1, 2, 3, 100, 5001, 120'000})
    for (const std::size_t middle : {std::size_t{0}, std::size_t{1}, count / 3, count / 2, count - 1, count}) {
      if (middle > count) continue;
      const auto records = with_index(make_keys<std::uint32_t>(few_values, count));
      const std::string what = std::to_string(middle) + " of " + std::to_string(count);
      at_all_places([&](const auto& place) {
        check_inplace(place, records, middle, std::ranges::less{}, natural_less{}, what);
        check_inplace(place, records, middle, std::ranges::greater{}, natural_greater{}, what + ", descending");
      });
    }
}

TEST_CASE("inplace_merge: every distribution of keys, iterators") {
  for (const auto& distribution : all_distributions()) {
    auto keys = make_keys<double>(distribution, 10'000);
    std::sort(keys.begin(), keys.begin() + 4000);
    std::sort(keys.begin() + 4000, keys.end());
    auto expected = keys;
    std::inplace_merge(expected.begin(), expected.begin() + 4000, expected.end());
    at_all_places([&](const auto& place) {
      const auto data = place.store(keys);
      const auto view = place.view(data);
      gpu::inplace_merge(place.policy, view.begin(), view.begin() + 4000, view.end());
      expect_none(difference(expected, data.fetch(place.name)), place.name + ", " + distribution.name);
    });
  }
}

TEST_CASE("inplace_merge: custom comparators and elements that can only be moved") {
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 100 < b % 100; };
  at_host_places([&](const auto& place) {
    check_inplace(place, with_index(make_keys<std::uint32_t>(70'000)), 20'000, less, less, "comparator");
    std::vector<move_only> owners;
    for (const std::uint32_t key : {1, 4, 6, 0, 4, 5}) owners.emplace_back(key);
    gpu::inplace_merge(place.policy, owners, owners.begin() + 3);
    std::vector<std::uint32_t> keys;
    for (const auto& owner : owners) keys.push_back(owner.key());
    expect(keys == std::vector<std::uint32_t>{0, 1, 4, 4, 5, 6}, place.name + ": owners");
  });
}
