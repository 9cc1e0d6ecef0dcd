// Host data sorted in runs by comparators that only this unit knows.
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "check.hpp"
#include "device_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "limits.hpp"
#include "records.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

/// Orders large elements, which are sorted through their indices.
struct by_bytes {
  GPUPAR_HOST_DEVICE bool operator()(const record100& left, const record100& right) const {
    const auto* a = reinterpret_cast<const unsigned char*>(&left);  // std::array's functions are host-only
    const auto* b = reinterpret_cast<const unsigned char*>(&right);
    int i = 0;
    while (i < 9 && a[i] == b[i]) ++i;
    return a[i] < b[i];
  }
};

/// No strict weak order: the answer depends on the bits alone.
struct arbitrary {
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t left, std::uint32_t right) const {
    return ((left * 2654435761u) ^ (right * 40503u)) >> 13 & 1;
  }
};

}  // namespace

TEST_CASE("external: comparators and projections of a .cu") {
  const auto descending = [] __device__(std::uint32_t left, std::uint32_t right) { return left > right; };
  with_memory_limits([&](const auto& place, std::size_t) {
    for (const std::size_t count : tried({300, 10'000, 49'000, 60'000})) {
      const std::string name = place.name + ", " + std::to_string(count);
      const auto keys = make_keys<std::uint32_t>(count);
      auto data = place.store(keys);
      gpu::sort(place.policy, place.view(data), by_last_digits{});
      expect_none(sort_problem(keys, data.fetch(name), by_last_digits{}), name);
      data.refill(keys);
      gpu::stable_sort(place.policy, place.view(data), std::less<>{}, last_digits{});
      expect_none(stable_sort_problem(keys, data.fetch(name), by_last_digits{}), name + ", stable");
      data.refill(keys);
      gpu::sort(place.policy, place.view(data), descending);
      expect_none(sort_problem(keys, data.fetch(name), natural_greater{}), name + ", for the device alone");
    }
  });
}

TEST_CASE("external: large elements and value columns by a comparator") {
  with_memory_limits([](const auto& place, std::size_t) {
    const auto records = make_records<record100>(few_values, reduced() ? 2000 : 7000);
    const auto large = place.store(records);
    gpu::stable_sort(place.policy, place.view(large), by_bytes{});
    expect_none(stable_sort_problem(records, large.fetch(place.name), lexicographic), place.name);

    const auto keys = make_keys<std::uint32_t>(20'000);
    auto both = with_index(keys);
    std::vector<std::uint32_t> places;
    for (const auto& one : both) places.push_back(one.index);
    const auto key_data = place.store(keys);
    const auto place_data = place.store(places);
    gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(place_data), by_last_digits{});
    const auto sorted = key_data.fetch(place.name);
    const auto moved = place_data.fetch(place.name);
    std::vector<record8> after(both.size());
    for (std::size_t i = 0; i < after.size(); ++i) after[i] = {sorted[i], moved[i]};
    expect_none(stable_sort_problem(both, after, by(by_last_digits{}, &record8::key)), place.name + ", by key");
  });
}

TEST_CASE("external: an order by a comparator is found within the limit or on the host") {
  if (gpu::device_count() == 0) return skip("limits of device memory: no device");
  const auto keys = make_keys<std::uint32_t>(few_values, 100'000);
  std::vector<std::uint32_t> order(keys.size()), expected(keys.size());
  gpu::argsort(gpu::par.require_host(), keys, expected, by_last_digits{});
  gpu::argsort(gpu::par.with_memory_limit(1000), keys, order, by_last_digits{});
  expect(order == expected, "too little memory, on the host");
  order.assign(order.size(), 7);
  expect_throw<std::bad_alloc>("too little memory, device required", [&] {
    gpu::argsort(gpu::par.require_device().with_memory_limit(1000), keys, order, by_last_digits{});
  });
  expect(order == std::vector<std::uint32_t>(order.size(), 7), "nothing is written then");
  gpu::argsort(gpu::par.require_device().with_memory_limit(10'000'000), keys, order, by_last_digits{});
  expect(order == expected, "enough memory, on the device");
}

TEST_CASE("external: a comparator that is no order loses nothing") {
  with_memory_limits([](const auto& place, std::size_t) {
    const auto keys = make_keys<std::uint32_t>(30'000);
    const auto data = place.store(keys);
    gpu::sort(place.policy, place.view(data), arbitrary{});
    expect_none(permutation_problem(keys, data.fetch(place.name)), place.name);
    gpu::stable_sort(place.policy, place.view(data), arbitrary{});
    expect_none(permutation_problem(keys, data.fetch(place.name)), place.name + ", stable");
  });
}
