// Large arrays of host data: staging buffers, overlapped sorts, and the choice of the side that sorts.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"

namespace {

using namespace testing;

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t default_limit = 128 * mebi;

/// Sizes about which the way of the data changes: from 16 MiB through staging buffers, from 64 MiB in runs.
constexpr std::size_t sizes[] = {4 * mebi - 1, 4 * mebi, 5 * mebi + 77, 16 * mebi - 1, 16 * mebi + 3};

template <class Body>
void with_host_memory(Body body) {
  if (gpu::device_count() == 0) return skip("large host arrays on the device: no device");
  const auto policy = gpu::par.require_device();
  for (const auto kind : {memory::pageable, memory::pinned})
    body(place<decltype(gpu::par.require_device()), false>{policy, kind, to_string(kind)});
}

}  // namespace

TEST_CASE("staging: large arrays arrive and return whole, at any address") {
  with_host_memory([](const auto& place) {
    for (const std::size_t count : sizes) {
      const std::string name = place.name + ", " + std::to_string(count);
      const auto keys = make_keys<std::uint32_t>(count);
      const auto data = place.store(keys, count % 5);
      gpu::sort(place.policy, place.view(data));
      auto expected = keys;
      gpu::sort(gpu::par.require_host(), expected);
      expect_none(difference(expected, data.fetch(name)), name);
    }
    const auto bytes = make_keys<std::uint8_t>(70 * mebi + 1);
    const auto data = place.store(bytes, 1);
    gpu::sort(place.policy, place.view(data));
    expect_none(sort_problem(bytes, data.fetch(place.name), natural_less{}), place.name + ", bytes");
  });
}

TEST_CASE("staging: stable sorts and value columns overlapped with the transfers") {
  with_host_memory([](const auto& place) {
    constexpr std::size_t count = 9 * mebi + 5;
    const auto records = with_index(make_keys<std::uint32_t>(zipf, count));
    const auto data = place.store(records);
    gpu::stable_sort(place.policy, place.view(data), {}, &record8::key);
    expect_none(stable_sort_problem(records, data.fetch(place.name), by(natural_less{}, &record8::key)), place.name);

    std::vector<float> keys;
    std::vector<std::uint32_t> places;
    for (const auto& one : records) keys.push_back(static_cast<float>(one.key % 1000) - 500);
    for (const auto& one : records) places.push_back(one.index);
    const auto key_data = place.store(keys);
    const auto place_data = place.store(places);
    gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(place_data));
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    expect_none(difference(places, place_data.fetch(place.name)), place.name + ", by key");
    std::stable_sort(keys.begin(), keys.end());
    expect_none(difference(keys, key_data.fetch(place.name)), place.name + ", keys");
  });
}

TEST_CASE("staging: memory is what explain says; without it the host sorts") {
  with_host_memory([](const auto& place) {
    const auto keys = make_keys<std::uint32_t>(17 * mebi);
    auto data = place.store(keys);
    counting_resource resource;
    const auto said = gpu::explain(place.policy.with(resource), place.view(data)).scratch_bytes;
    gpu::sort(place.policy.with(resource), place.view(data));
    expect(resource.take_peak() <= said, place.name + ": more than explain says");
    expect(resource.outstanding() == 0, place.name + ": given back");
    for (std::size_t allowed = 0; allowed < 8; ++allowed) {
      failing_resource failing{allowed};
      data.refill(keys);
      gpu::sort(gpu::par.with(failing), place.view(data));
      const std::string name = place.name + ", after " + std::to_string(allowed) + " allocations";
      expect_none(sort_problem(keys, data.fetch(name), natural_less{}), name);
      expect(failing.outstanding() == 0, name + ": leak");
    }
  });
}

TEST_CASE("staging: any bound will do, and buffers are given back") {
  gpu::release_staging();
  expect(gpu::staging_bytes() == 0, "nothing to begin with");
  if (gpu::device_count() == 0) return skip("staging buffers: no device");
  const auto keys = make_keys<std::uint32_t>(6 * mebi);
  for (const std::size_t limit : {std::size_t{0}, 5 * mebi, 8 * mebi, 13 * mebi, default_limit}) {
    gpu::limit_staging(limit);
    expect(gpu::staging_bytes() <= limit, "a smaller bound frees what is too much");
    auto sorted = keys;
    gpu::sort(gpu::par.require_device(), sorted);
    const std::string name = "limit " + std::to_string(limit);
    expect_none(sort_problem(keys, sorted, natural_less{}), name);
    expect(gpu::staging_bytes() <= limit, name + ": " + std::to_string(gpu::staging_bytes()) + " bytes");
  }
  expect(gpu::staging_bytes() > 0, "kept for the next call");
  gpu::release_staging();
  expect(gpu::staging_bytes() == 0, "released");
}

TEST_CASE("staging: many threads share few buffers") {
  if (gpu::device_count() == 0) return skip("staging buffers: no device");
  gpu::limit_staging(20 * mebi);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 8; ++thread)
      threads.emplace_back([thread] {
        const auto keys = make_keys<std::uint32_t>(uniform, (4 + 3 * thread) * mebi + thread, thread);
        auto sorted = keys;
        gpu::sort(gpu::par.require_device(), sorted);
        expect_none(sort_problem(keys, sorted, natural_less{}), "thread " + std::to_string(thread));
      });
  }
  expect(gpu::staging_bytes() <= 20 * mebi, "within the bound");
  gpu::limit_staging(default_limit);
}

TEST_CASE("placement: explain estimates both sides where they compete") {
  std::vector<std::uint32_t> keys(1 << 20);
  const auto forced = gpu::explain(gpu::par.require_host(), keys);
  expect(forced.host_seconds == 0 && forced.device_seconds == 0, "no estimate where nothing is compared");
  if (gpu::device_count() == 0) return skip("estimates: no device");
  const auto decided = gpu::explain(gpu::par, keys);
  expect(decided.host_seconds > 0 && decided.device_seconds > 0, "estimates");
  expect((decided.where == gpu::backend::device) == (decided.host_seconds > 1.25 * decided.device_seconds),
         "the decision follows from them");
}
