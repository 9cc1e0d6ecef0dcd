// Merges and tests of order on the device by comparators that this unit compiles into kernels.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "device_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

const by_distance order{100};

/// Records in runs that end at `cuts`, each sorted by `order`.
std::vector<record24> sorted_runs(std::size_t count, const std::vector<std::size_t>& cuts) {
  auto records = make_records<record24>(few_values, count);
  std::size_t begin = 0;
  for (const auto end : cuts) {
    std::stable_sort(records.begin() + static_cast<std::ptrdiff_t>(begin),
                     records.begin() + static_cast<std::ptrdiff_t>(end), order);
    begin = end;
  }
  return records;
}

template <class Place>
void check_merges(const Place& place, std::size_t count, const std::vector<std::size_t>& cuts) {
  const auto records = sorted_runs(count, cuts);
  auto expected = records;
  std::stable_sort(expected.begin(), expected.end(), order);
  const std::string what = place.name + ", " + std::to_string(count) + ", " + std::to_string(cuts.size()) + " runs";
  auto in = place.store(records);
  const auto out = place.store(std::vector<record24>(count));
  const auto source = place.view(in), target = place.view(out);

  std::vector<std::remove_const_t<decltype(source)>> ranges;
  std::size_t begin = 0;
  for (const auto end : cuts) {
    ranges.push_back({source.data() + begin, end - begin});
    begin = end;
  }
  gpu::multiway_merge(place.policy, ranges, target.begin(), order);
  expect_none(difference(expected, out.fetch(what)), what + ", multiway_merge");
  expect(gpu::is_sorted(place.policy, target, order), what + ", is_sorted");
  if (cuts.size() != 2) return;

  const auto again = place.store(std::vector<record24>(count));
  gpu::merge(place.policy, ranges[0], ranges[1], place.view(again).begin(), order);
  expect_none(difference(expected, again.fetch(what)), what + ", merge");
  const auto until = std::is_sorted_until(records.begin(), records.end(), order) - records.begin();
  expect(gpu::is_sorted_until(place.policy, source, order) - source.begin() == until, what + ", is_sorted_until");
  gpu::inplace_merge(place.policy, source, source.begin() + static_cast<std::ptrdiff_t>(cuts[0]), order);
  expect_none(difference(expected, in.fetch(what)), what + ", inplace_merge");
}

}  // namespace

TEST_CASE("device merge: custom comparators") {
  at_all_places([&](const auto& place) {
    check_merges(place, 10, {0, 10});
    check_merges(place, 3000, {17, 3000});
    check_merges(place, 200'000, {120'000, 200'000});
    check_merges(place, 5000, {1, 1, 700, 701, 2500, 5000, 5000});
    check_merges(place, 150'000, {20'000, 20'001, 90'000, 150'000});
  });
}

TEST_CASE("device merge: by key with a custom comparator") {
  constexpr std::size_t m = 30'000, n = 50'000;
  auto first = with_index(make_keys<std::uint32_t>(m, 1)), second = with_index(make_keys<std::uint32_t>(n, 2));
  for (auto& row : second) row.index += 1u << 30;
  const auto less = by(by_last_digits{}, &record8::key);
  std::stable_sort(first.begin(), first.end(), less);
  std::stable_sort(second.begin(), second.end(), less);
  std::vector<record8> expected(m + n);
  std::merge(first.begin(), first.end(), second.begin(), second.end(), expected.begin(), less);
  const auto column = [](const std::vector<record8>& rows, auto member) {
    std::vector<std::uint32_t> values;
    for (const auto& row : rows) values.push_back(row.*member);
    return values;
  };
  at_all_places([&](const auto& place) {
    const auto k1 = place.store(column(first, &record8::key)), k2 = place.store(column(second, &record8::key));
    const auto v1 = place.store(column(first, &record8::index)), v2 = place.store(column(second, &record8::index));
    const auto k = place.store(std::vector<std::uint32_t>(m + n)), v = place.store(std::vector<std::uint32_t>(m + n));
    const auto keys1 = place.view(k1), keys2 = place.view(k2);
    gpu::merge_by_key(place.policy, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(), place.view(v1).begin(),
                      place.view(v2).begin(), place.view(k).begin(), place.view(v).begin(), by_last_digits{});
    expect_none(difference(column(expected, &record8::key), k.fetch()), place.name + ", keys");
    expect_none(difference(column(expected, &record8::index), v.fetch()), place.name + ", values");
  });
}
