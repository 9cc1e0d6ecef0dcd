// Host data that exceed the device's memory, or the part of it that a policy allows: sorted in runs and merged.
#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "free_device.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "limits.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// Checks sort and stable_sort of elements by a projection.
template <class Place, class Element, class Projection = std::identity>
void check_sorts(const Place& place, const std::vector<Element>& elements, const std::string& what,
                 Projection projection = {}) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(elements.size());
  auto data = place.store(elements, 3);
  const auto less = by(natural_less{}, projection);
  gpu::sort(place.policy, place.view(data), {}, projection);
  expect_none(sort_problem(elements, data.fetch(name), less), name);
  data.refill(elements);
  gpu::stable_sort(place.policy, place.view(data), std::greater<>{}, projection);
  expect_none(stable_sort_problem(elements, data.fetch(name), by(natural_greater{}, projection)), name + ", stable");
}

}  // namespace

TEST_CASE("external: sizes and distributions") {
  with_memory_limits([](const auto& place, std::size_t limit) {
    for (const std::size_t count : {2, 255, 256, 257, 5000, 10'000, 70'000}) {
      check_sorts(place, make_keys<std::uint32_t>(count), "uniform");
      check_sorts(place, with_index(make_keys<std::uint32_t>(few_values, count)), "few", &record8::key);
    }
    if (limit == 1) return;  // hundreds of thousands of runs prove nothing more
    check_sorts(place, make_keys<std::uint64_t>(1'000'000), "uniform");
    for (const auto& distribution : all_distributions())
      check_sorts(place, make_keys<std::uint32_t>(distribution, 30'000), distribution.name);
  });
}

TEST_CASE("external: types") {
  with_memory_limits([](const auto& place, std::size_t) {
    check_sorts(place, make_keys<std::uint8_t>(9000), "u8");
    check_sorts(place, make_keys<std::int16_t>(9000), "i16");
    check_sorts(place, make_special_keys<float>(9000), "special floats");
    check_sorts(place, make_special_keys<double>(9000), "special doubles");
    check_sorts(place, make_keys<__uint128_t>(9000), "u128");
    check_sorts(place, make_records<record24>(zipf, 9000), "24 bytes", &record24::key);
    check_sorts(place, make_records<record12>(zipf, 9000), "12 bytes", &record12::key);
    check_sorts(place, make_records<record1000>(uniform, 3000), "1000 bytes", &record1000::key);
  });
}

TEST_CASE("external: value columns follow their keys") {
  with_memory_limits([](const auto& place, std::size_t) {
    for (const std::size_t count : {300, 20'000}) {
      const auto keys = make_keys<float>(few_values, count);
      std::vector<std::uint32_t> places(count);
      for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<std::uint32_t>(i);
      const auto wide = make_records<record100>(uniform, count);
      const auto key_data = place.store(keys);
      const auto place_data = place.store(places);
      const auto wide_data = place.store(wide);
      gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(place_data));
      std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
      expect_none(difference(places, place_data.fetch(place.name)), place.name + ": one column");
      gpu::stable_sort_by_key(place.policy, place.view(place_data), place.view(key_data), place.view(wide_data));
      expect_none(difference(keys, key_data.fetch(place.name)), place.name + ": back again");
      std::vector<record100> moved;
      std::vector<std::uint32_t> back(count);
      for (std::size_t i = 0; i < count; ++i) back[places[i]] = static_cast<std::uint32_t>(i);
      for (std::size_t i = 0; i < count; ++i) moved.push_back(wide[back[i]]);
      expect_none(difference(moved, wide_data.fetch(place.name)), place.name + ": wide values");
    }
  });
}

TEST_CASE("external: progress rises to 1, and a listener that throws loses nothing") {
  with_memory_limits([](const auto& place, std::size_t) {
    const auto keys = with_index(make_keys<std::uint32_t>(few_values, 200'000));
    const auto data = place.store(keys);
    std::vector<double> heard;
    auto listen = [&](double fraction) { heard.push_back(fraction); };
    gpu::stable_sort(place.policy.on_progress(listen), place.view(data), {}, &record8::key);
    expect_none(stable_sort_problem(keys, data.fetch(place.name), by(natural_less{}, &record8::key)), place.name);
    expect(heard.size() > 2 && heard.front() == 0 && heard[1] > 0 && heard.back() == 1, place.name + ": heard of it");
    expect(std::is_sorted(heard.begin(), heard.end()), place.name + ": rising");

    for (const double until : {0.0, 0.3, 0.6, 0.9}) {
      auto again = place.store(keys);
      auto interrupt = [&](double fraction) {
        if (fraction > until) throw std::runtime_error{"enough"};
      };
      const std::string name = place.name + ", interrupted after " + std::to_string(until);
      expect_throw<std::runtime_error>(
          name, [&] { gpu::stable_sort(place.policy.on_progress(interrupt), place.view(again), {}, &record8::key); });
      expect_none(permutation_problem(keys, again.fetch(name)), name);
    }
  });
}

TEST_CASE("external: memory is what explain says, and without it nothing is lost") {
  with_memory_limits([](const auto& place, std::size_t limit) {
    constexpr std::size_t some_hundred_elements = 20'000;  // taken by few keys and many counters of them
    const auto keys = make_keys<std::uint32_t>(300'000);
    auto data = place.store(keys);
    counting_resource resource;
    const auto said = gpu::explain(place.policy.with(resource), place.view(data)).scratch_bytes;
    gpu::sort(place.policy.with(resource), place.view(data));
    synchronize_device();
    const auto peak = resource.take_peak();
    expect(peak <= said, place.name + ": " + std::to_string(peak) + " bytes, explain said " + std::to_string(said));
    expect(peak <= std::max(limit, some_hundred_elements), place.name + ": " + std::to_string(peak) + " bytes");
    expect(resource.outstanding() == 0, place.name + ": given back");

    for (std::size_t allowed = 0; allowed < 40; allowed += 3) {
      const std::string name = place.name + ", after " + std::to_string(allowed) + " allocations";
      failing_resource failing{allowed};
      data.refill(keys);
      try {
        gpu::sort(place.policy.with(failing), place.view(data));
        expect_none(sort_problem(keys, data.fetch(name), natural_less{}), name);
      } catch (const std::bad_alloc&) {
        expect_none(permutation_problem(keys, data.fetch(name)), name);
      }
      expect(failing.outstanding() == 0, name + ": leak");
    }
  });
}

TEST_CASE("external: a limit that suffices changes nothing") {
  if (gpu::device_count() == 0) return skip("limits of device memory: no device");
  std::vector<std::uint32_t> keys(100'000);
  const auto policy = gpu::par.require_device();
  const auto bytes = gpu::explain(policy, keys).scratch_bytes;
  expect(gpu::explain(policy.with_memory_limit(bytes), keys).scratch_bytes == bytes, "just enough");
  expect(gpu::explain(policy.with_memory_limit(bytes - 1), keys).scratch_bytes != bytes, "one byte short");
}

TEST_CASE("external: an order of indices is found at once, or by the host") {
  if (gpu::device_count() == 0) return skip("limits of device memory: no device");
  const auto keys = make_keys<std::uint32_t>(few_values, 100'000);
  std::vector<std::uint32_t> order(keys.size()), expected(keys.size());
  gpu::argsort(gpu::par.require_host(), keys, expected);
  gpu::argsort(gpu::par.with_memory_limit(1000), keys, order);
  expect(order == expected, "argsort");
  std::vector<std::string> words;
  for (const auto key : keys) words.push_back(std::to_string(key));
  auto sorted = words;
  const auto length = [](const std::string& word) { return word.size(); };
  gpu::stable_sort(gpu::par.with_memory_limit(1000), sorted, {}, length);
  std::ranges::stable_sort(words, {}, length);
  expect(sorted == words, "words by their length");
  expect_throw<std::bad_alloc>("argsort, device required",
                               [&] { gpu::argsort(gpu::par.require_device().with_memory_limit(1000), keys, order); });
}

TEST_CASE("external: where the device has no memory at all, the host takes over with an algorithm of its own") {
  if (gpu::device_count() == 0) return skip("resources of device memory: no device");
  failing_resource nothing{0};
  const auto policy = gpu::par.with(nothing);
  const auto keys = make_keys<std::uint32_t>(few_values, 300'000);
  const auto records = with_index(keys);
  auto sorted = keys;
  gpu::stable_sort(policy, sorted);
  expect_none(sort_problem(keys, sorted, natural_less{}), "integers, by a device's quicksort");
  auto sorted_records = records;
  gpu::stable_sort(policy, sorted_records, {}, &record8::key);
  expect_none(stable_sort_problem(records, sorted_records, by(natural_less{}, &record8::key)), "records");
  sorted = keys;
  std::vector<std::uint32_t> places(keys.size()), order(keys.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = records[i].index;
  gpu::stable_sort_by_key(policy, sorted, places);
  gpu::argsort(policy, keys, order);
  expect(places == order, "by key, and an order of indices");
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = sorted_records[i].index;
  expect(places == order, "as the records");
  expect(nothing.requests() > 0, "the device was asked first");
}
