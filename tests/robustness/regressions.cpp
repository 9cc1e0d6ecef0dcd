// Bugs that other libraries once had, named by their reports. Offsets beyond 2^31 and 2^32 (cccl#744, cccl#1951,
// thrust#1453) are in device_large.cu, a stale error that fails the next sort (cccl#1791) in device_environments.cu.
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

template <class Place, class Key>
void check_sort(const Place& place, const std::vector<Key>& keys, const std::string& what) {
  for (const bool descending : {false, true})
    for (const bool stable : {false, true}) {
      const auto data = place.store(keys);
      const auto sort = [&](auto compare) {
        if (stable)
          gpu::stable_sort(place.policy, place.view(data), compare);
        else
          gpu::sort(place.policy, place.view(data), compare);
      };
      const std::string name = place.name + ", " + what + ", " + std::to_string(keys.size());
      if (descending) {
        sort(std::ranges::greater{});
        expect_none(sort_problem(keys, data.fetch(name), natural_greater{}), name + ", descending");
      } else {
        sort(std::ranges::less{});
        expect_none(sort_problem(keys, data.fetch(name), natural_less{}), name);
      }
    }
}

}  // namespace

TEST_CASE("regressions: infinity is a key, not padding (highway#1486)") {
  at_all_places([](const auto& place) {
    for (const std::size_t n : {1, 2, 7, 31, 33, 100, 1000, 5000}) {
      check_sort(place, std::vector<float>(n, std::numeric_limits<float>::infinity()), "infinities");
      check_sort(place, std::vector<double>(n, -std::numeric_limits<double>::infinity()), "negative infinities");
      std::vector<float> mixed(n, std::numeric_limits<float>::infinity());
      for (std::size_t i = 0; i < n; i += 3) mixed[i] = std::numeric_limits<float>::max();
      check_sort(place, mixed, "infinities among the greatest numbers");
      check_sort(place, std::vector<std::uint32_t>(n, ~0u), "all bits set");
      check_sort(place, std::vector<std::int64_t>(n, std::numeric_limits<std::int64_t>::max()), "greatest integers");
    }
  });
}

TEST_CASE("regressions: keys that differ in one bit (rocPRIM#775)") {
  at_all_places([](const auto& place) {
    for (unsigned bit = 0; bit < 64; bit += 7) {
      std::vector<std::uint64_t> keys(6000);
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 0x123456789abcdef0u ^ (random_at(bit, i) & 1) << bit;
      check_sort(place, keys, "bit " + std::to_string(bit));
    }
  });
}

TEST_CASE("regressions: one row (thrust#998)") {
  at_all_places([](const auto& place) {
    const auto keys = place.store(std::vector<std::int32_t>{-5});
    const auto values = place.store(std::vector<std::uint32_t>{77});
    gpu::sort_by_key(place.policy, place.view(keys), place.view(values));
    gpu::stable_sort_by_key(place.policy, place.view(keys), place.view(values));
    const bool kept = keys.fetch().front() == -5 && values.fetch().front() == 77;
    expect(kept, place.name + ": one row");
    const auto order = place.store(std::vector<std::uint32_t>{9});
    gpu::argsort(place.policy, place.view(keys), place.view(order));
    expect(order.fetch().front() == 0, place.name + ": its index");
  });
}

TEST_CASE("regressions: a merge into its input (cccl#4733)") {
  at_all_places([](const auto& place) {
    const auto sorted = make_keys<std::uint32_t>({"sorted", form::sorted}, 3000);
    const auto data = place.store(sorted);
    const auto all = place.view(data);
    expect_error(gpu::errc::overlapping_ranges, place.name,
                 [&] { gpu::merge(place.policy, all.first(1000), all.subspan(1000, 500), all.begin()); });
    expect_none(difference(sorted, data.fetch()), place.name + ": nothing was touched");
    const auto out = place.store(std::vector<std::uint32_t>(6000));
    gpu::merge(place.policy, all, all, place.view(out).begin());  // the same input twice is no overlap
    auto twice = sorted;
    twice.insert(twice.end(), sorted.begin(), sorted.end());
    expect_none(sort_problem(twice, out.fetch(), natural_less{}), place.name + ": a range merged with itself");
  });
}

TEST_CASE("regressions: negative numbers (cccl#4922)") {
  at_all_places([](const auto& place) {
    for (const std::size_t n : {2, 100, 3000, 70'000}) {
      auto bytes = make_keys<std::int8_t>(n);
      auto shorts = make_keys<std::int16_t>(n);
      auto ints = make_keys<std::int32_t>(n);
      auto longs = make_keys<std::int64_t>(n);
      for (std::size_t i = 0; i < n; i += 2) {
        bytes[i] = static_cast<std::int8_t>(bytes[i] | -128);
        shorts[i] = static_cast<std::int16_t>(shorts[i] | -32768);
        ints[i] |= std::numeric_limits<std::int32_t>::min();
        longs[i] |= std::numeric_limits<std::int64_t>::min();
      }
      check_sort(place, bytes, "bytes");
      check_sort(place, shorts, "shorts");
      check_sort(place, ints, "ints");
      check_sort(place, longs, "longs");
      std::vector<float> floats;
      for (const auto key : ints) floats.push_back(static_cast<float>(key) / 3);
      check_sort(place, floats, "floats");
    }
  });
}

TEST_CASE("regressions: one sort right after another, each of what the one before has made (cccl#5297)") {
  at_all_places([](const auto& place) {
    const auto keys = make_keys<std::uint32_t>(50'000);
    const auto data = place.store(keys);
    for (int i = 0; i < (reduced() ? 3 : 50); ++i) {
      gpu::stable_sort(place.policy, place.view(data), std::ranges::greater{});
      gpu::sort(place.policy, place.view(data));
    }
    expect_none(sort_problem(keys, data.fetch(), natural_less{}), place.name);
  });
}
