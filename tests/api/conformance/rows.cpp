// Rows of two columns whose references are proxies: some cannot be copied, and none may be copied to be compared.
#include "rows.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <vector>

#include "gpu/algorithm.hpp"
#include "places.hpp"
#include "support.hpp"

using namespace conformance;
using testing::at_host_places;
using testing::expect;

namespace {

constexpr int count = 3000;
constexpr auto by_key = [](const auto& row) { return row.first; };
constexpr auto descending_keys = [](const auto& a, const auto& b) { return a.first > b.first; };

std::vector<int> mixed_keys() {
  std::vector<int> keys(count);
  for (int i = 0; i < count; ++i) keys[static_cast<std::size_t>(i)] = i * 1009 % 2503;
  return keys;
}

std::vector<std::unique_ptr<int>> owners_of(const std::vector<int>& numbers) {
  std::vector<std::unique_ptr<int>> owners;
  for (const int n : numbers) owners.push_back(std::make_unique<int>(n));
  return owners;
}

bool alike(const std::vector<int>& keys, const std::vector<std::unique_ptr<int>>& owners) {
  return std::ranges::equal(keys, owners, {}, {}, [](const auto& owner) { return *owner; });
}

}  // namespace

TEST_CASE("conformance: rows that cannot be copied") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    auto keys = mixed_keys();
    auto owners = owners_of(keys);
    std::vector<int> numbers = keys;
    const rows_of rows(keys, owners);
    expect(!gpu::is_sorted(policy, rows, {}, by_key) && !gpu::is_sorted(policy, rows, descending_keys),
           place.name + ": is_sorted");
    expect(gpu::is_sorted_until(policy, rows) - rows.begin() == std::ranges::is_sorted_until(keys) - keys.begin(),
           place.name + ": is_sorted_until, by < alone");

    std::vector<unsigned> order(count);
    const auto in_order = [&](const auto& less) {
      return std::ranges::is_sorted(order, less, [&](unsigned i) { return keys[i]; });
    };
    gpu::argsort(policy, rows, order, {}, by_key);
    expect(in_order(std::less{}), place.name + ": argsort by a number");
    gpu::argsort(policy, rows, order, descending_keys);
    expect(in_order(std::greater{}), place.name + ": argsort by a comparator");

    gpu::sort_by_key(policy, rows, numbers, std::ranges::less{}, by_key);
    expect(std::ranges::is_sorted(keys) && numbers == keys && alike(keys, owners), place.name + ": by a number");
    gpu::stable_sort_by_key(policy, rows.begin(), rows.end(), numbers.begin(), descending_keys);
    expect(std::ranges::is_sorted(keys, std::greater{}) && numbers == keys && alike(keys, owners),
           place.name + ": by a comparator");
    expect(gpu::is_sorted(policy, rows, std::greater{}, by_key), place.name + ": is_sorted, descending");
    gpu::sort(policy, rows, {}, by_key);
    expect(std::ranges::is_sorted(keys) && alike(keys, owners), place.name + ": sort");
  });
}

TEST_CASE("conformance: no row is copied to be compared") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    int copies = 0;
    std::vector<counted_name> names, more;
    std::vector<int> values(count), others(count), column(count);
    for (const int n : mixed_keys()) names.emplace_back(n, &copies);
    for (int n = 0; n < count; ++n) more.emplace_back(2 * n, &copies);
    const rows_of rows(names, values);
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::vector<unsigned> order(count);
    gpu::argsort(policy, rows, order, less);
    gpu::argsort(policy, rows, order, {}, [](const auto& row) { return row.first.number; });
    gpu::sort_by_key(policy, rows, column, less);
    expect(gpu::is_sorted(policy, rows, less) && copies == 0, place.name + ": sorted");

    const rows_of other_rows(more, others);
    std::vector<std::pair<counted_name, int>> merged;
    merged.reserve(2 * count);
    struct appender {  // an output iterator of C++17
      std::vector<std::pair<counted_name, int>>* to;
      void operator=(const row_iterator<counted_name, int>::reference& row) { to->emplace_back(row.first, row.second); }
      appender& operator*() { return *this; }
      appender& operator++() { return *this; }
    };
    gpu::merge(policy, rows, other_rows, appender{&merged}, less);
    expect(std::ranges::is_sorted(merged, less) && copies == 2 * count, place.name + ": merged, each copied once");
  });
}
