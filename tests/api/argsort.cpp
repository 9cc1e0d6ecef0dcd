// argsort: the permutation that sorts, keys untouched.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "tried.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// `indices` must be the permutation of 0 … n - 1 that sorts the keys stably.
template <class Key, class Index, class Less>
std::string argsort_problem(const std::vector<Key>& keys, const std::vector<Index>& indices, Less less) {
  std::vector<bool> seen(keys.size());
  for (const auto index : indices) {
    const auto i = static_cast<std::size_t>(index);
    if (i >= keys.size()) return "index " + std::to_string(i) + " is no position";
    if (seen[i]) return "index " + std::to_string(i) + " twice";
    seen[i] = true;
  }
  for (std::size_t i = 1; i < indices.size(); ++i) {
    const auto& before = keys[static_cast<std::size_t>(indices[i - 1])];
    const auto& after = keys[static_cast<std::size_t>(indices[i])];
    if (less(after, before)) return "out of order at " + std::to_string(i);
    if (indices[i] < indices[i - 1] && !less(before, after)) return "not stable at " + std::to_string(i);
  }
  return {};
}

template <class Index, class Place, class Key, class Compare, class Projection, class Less>
void check_argsort(const Place& place, const std::vector<Key>& keys, Compare comp, Projection proj, Less less,
                   const std::string& what) {
  const auto key_data = place.store(keys);
  const auto index_data = place.store(std::vector<Index>(keys.size(), std::numeric_limits<Index>::max()));
  gpu::argsort(place.policy, place.view(key_data), place.view(index_data), comp, proj);
  const std::string name = place.name + ", " + what + ", " + std::to_string(keys.size());
  expect_none(argsort_problem(keys, index_data.fetch(name), by(less, proj)), name);
  expect_none(difference(keys, key_data.fetch(name)), name + ": keys changed");
}

}  // namespace

TEST_CASE("argsort: index types and sizes") {
  for (const std::size_t count : tried({0, 1, 2, 33, 5000, 150'000})) {
    const auto keys = make_keys<float>(few_values, count);
    const auto special = make_special_keys<double>(count);
    at_all_places([&](const auto& place) {
      const auto check = [&]<class Index>(Index) {
        check_argsort<Index>(place, keys, std::ranges::less{}, std::identity{}, natural_less{}, "ascending");
      };
      check(std::uint32_t{});
      check(std::int32_t{});
      check(std::uint64_t{});
      check(std::int64_t{});
      check_argsort<std::uint32_t>(place, special, std::ranges::greater{}, std::identity{}, natural_greater{},
                                   "descending");
    });
  }
}

TEST_CASE("argsort: enough keys of every width to be sorted with their places") {
  if (reduced()) return;
  constexpr std::size_t count = (1u << 21) + 77;
  at_device_places([&](const auto& place) {
    const auto check = [&]<class Key>(Key, const auto& distribution, const std::string& what) {
      const auto keys = make_keys<Key>(distribution, count);
      check_argsort<std::uint32_t>(place, keys, std::ranges::less{}, std::identity{}, natural_less{}, what);
      check_argsort<std::int64_t>(place, keys, std::ranges::greater{}, std::identity{}, natural_greater{}, what);
    };
    check(std::int16_t{}, uniform, "16 bits");
    check(std::int32_t{}, zipf, "32 bits");
    check(std::uint64_t{}, uniform, "64 bits");
    check(double{}, few_values, "doubles");
    check_argsort<std::uint32_t>(place, make_special_keys<float>(count), std::ranges::less{}, std::identity{},
                                 natural_less{}, "floats");
  });
}

TEST_CASE("argsort: records by a projection") {
  const auto records = make_records<record64>(zipf, 20'000);
  at_all_places([&](const auto& place) {
    check_argsort<std::uint32_t>(place, records, std::ranges::less{}, &record64::key, natural_less{}, "records");
  });
}

TEST_CASE("argsort: custom comparators and iterators on the host") {
  const auto keys = make_keys<std::uint32_t>(10'000);
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 64 < b % 64; };
  at_host_places([&](const auto& place) {
    check_argsort<std::size_t>(place, keys, less, std::identity{}, less, "comparator");
    std::vector<std::uint32_t> indices(keys.size());
    gpu::argsort(place.policy, keys.begin(), keys.end(), indices.begin());
    expect_none(argsort_problem(keys, indices, natural_less{}), place.name + ", const iterators");
  });
  std::vector<std::string> names{"pear", "apple", "fig"};
  std::vector<int> order(3);
  expect(gpu::argsort(gpu::par, names, order) == order.end(), "returns the end of the indices");
  expect(order == std::vector{1, 2, 0}, "strings");
}

TEST_CASE("argsort: what does not fit is refused") {
  at_host_places([&](const auto& place) {
    const std::vector<int> keys(10, 1);
    std::vector<int> shorter(9, 7);
    expect_error(gpu::errc::invalid_range, place.name + ": shorter indices",
                 [&] { gpu::argsort(place.policy, keys, shorter); });
    expect(shorter == std::vector<int>(9, 7), place.name + ": nothing written");
  });
}
