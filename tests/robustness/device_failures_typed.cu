// Every call fails in turn that sorts and merges make with comparators that only nvcc compiles for the device. Contains
// the last of all cases that count points of failure, since cases run in the order of their files' names.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "children.hpp"
#include "device_order.hpp"
#include "failing_sorts.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "support.hpp"

namespace {

using namespace testing;

constexpr by_last_digits less;

template <class Body>
void for_each_place(Body body) {
  at_device_places([&](const auto& place) {
    for (const std::size_t n : {700, 60'000}) body(place, make_keys<std::uint32_t>(n), ", " + std::to_string(n));
  });
}

}  // namespace

TEST_CASE("device failures: sorts by a comparator of a .cu") {
  if (cannot_run()) return;
  using how = gpu::algorithm;
  for_each_place([](const auto& place, const auto& keys, const std::string& count) {
    for (const auto algorithm : {how::bitonic, how::quicksort, how::sample_sort})
      check_sort(
          place, "sort, " + std::string{gpu::to_string(algorithm)} + count, keys, false,
          [&](auto view) { gpu::sort(place.policy.using_algorithm(algorithm), view, less); }, less);
    for (const auto algorithm : {how::sample_sort, how::merge_sort})
      check_sort(
          place, "stable_sort, " + std::string{gpu::to_string(algorithm)} + count, keys, true,
          [&](auto view) { gpu::stable_sort(place.policy.using_algorithm(algorithm), view, less); }, less);
  });
}

TEST_CASE("device failures: merges by a comparator of a .cu") {
  if (cannot_run()) return;
  for_each_place([](const auto& place, std::vector<std::uint32_t> keys, const std::string& count) {
    std::sort(keys.begin(), keys.end(), less);
    const storage<std::uint32_t> in = place.store(keys);
    const auto untouched = [&] { return changed(keys, in); };
    const auto check = [&](const std::string& name, std::size_t k, auto call) {
      const std::vector<std::uint32_t> blank(k * keys.size());
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < k; ++i) expected.insert(expected.end(), keys.begin(), keys.end());
      std::stable_sort(expected.begin(), expected.end(), less);
      storage<std::uint32_t> out = place.store(blank);
      fail_everything({place.name + ", " + name + count, true, [&] { out.refill(blank); },
                       [&] { call(place.view(out).begin()); }, untouched, untouched,
                       [&] { return changed(expected, out); }});
    };
    check("merge", 2, [&](auto out) { gpu::merge(place.policy, place.view(in), place.view(in), out, less); });
    check("multiway_merge", 3, [&](auto out) {
      const std::vector<decltype(place.view(in))> ranges(3, place.view(in));
      gpu::multiway_merge(place.policy, ranges, out, less);
    });
  });
}

TEST_CASE("device failures: figures") {
  if (cannot_run() || in_child()) return;
  expect(counted.points > 500, "points of failure were found: " + std::to_string(counted.points));
  const std::string where = cuda_is_pretended ? "pretended device" : "device";
  figure(where + " failure points", counted.points + counted.lasting);
  figure(where + " failure points of failures that last", counted.lasting);
  figure(where + " failure points with data lost", counted.lost);
}
