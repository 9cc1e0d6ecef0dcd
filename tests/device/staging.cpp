// Large arrays of host data: staging buffers, overlapped sorts, and the choice of the side that sorts.
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "random.hpp"
#include "records.hpp"
#include "resources.hpp"

namespace {

using namespace testing;

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t default_limit = 128 * mebi;

/// Sizes in 4-byte keys around those where the way of the data changes: from 256 KiB on through staging buffers, if
/// pageable; beyond 16 MiB in pieces of a megabyte and more; and from 128 MiB on overlapped with the sort.
constexpr std::size_t overlapped = 32 * mebi;
constexpr std::size_t sizes[] = {mebi / 16 - 1, mebi / 16,     mebi / 16 + 77, mebi - 1,      mebi / 4 - 1,
                                 mebi / 4,      mebi / 4 + 77, 2 * mebi - 1,   4 * mebi - 16, 4 * mebi,
                                 4 * mebi + 1,  5 * mebi + 77, overlapped - 1, overlapped + 3};

template <class Body>
void with_host_memory(Body body) {
  if (gpu::device_count() == 0) return skip("large host arrays on the device: no device");
  const auto policy = gpu::par.require_device();
  for (const auto kind : {memory::pageable, memory::pinned})
    body(place<decltype(gpu::par.require_device()), false>{policy, kind, to_string(kind)});
}

/// Keys, many of them equal, as a function of their position.
std::uint32_t original_key(std::size_t place) { return static_cast<std::uint32_t>(random_at(seed(), place) % 100'000); }

/// Whether rows (key, position) are those of original_key() in stable order. Positions that ascend among equal keys are
/// all different, so that none is missing.
template <class Row>
bool stably_sorted(std::size_t count, const Row& row) {
  bool right = true;
  for (std::size_t i = 0; i < count; ++i) {
    right &= row(i).key == original_key(row(i).index);
    if (i > 0)
      right &= row(i - 1).key < row(i).key || (row(i - 1).key == row(i).key && row(i - 1).index < row(i).index);
  }
  return right;
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
  });
}

TEST_CASE("staging: stable sorts and value columns overlapped with the transfers") {
  constexpr std::size_t count = overlapped / 2 + 5;
  std::vector<record8> records(count);
  std::vector<float> keys(count);
  std::vector<std::uint32_t> places(count);
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = static_cast<std::uint32_t>(i);
    records[i] = {original_key(i), places[i]};
    keys[i] = static_cast<float>(original_key(i));
  }
  with_host_memory([&](const auto& place) {
    const auto data = place.store(records);
    gpu::stable_sort(place.policy, place.view(data), {}, &record8::key);
    const auto sorted = data.fetch(place.name);
    expect(stably_sorted(count, [&](std::size_t i) { return sorted[i]; }), place.name + ", records");

    const auto key_data = place.store(keys);
    const auto place_data = place.store(places);
    gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(place_data));
    const auto sorted_keys = key_data.fetch(place.name);
    const auto sorted_places = place_data.fetch(place.name);
    const auto row = [&](std::size_t i) {
      return record8{static_cast<std::uint32_t>(sorted_keys[i]), sorted_places[i]};
    };
    expect(stably_sorted(count, row), place.name + ", columns");
  });
}

TEST_CASE("staging: memory is what explain says; without it the host sorts") {
  if (gpu::device_count() == 0) return skip("resources of device memory: no device");
  const auto keys = make_keys<std::uint32_t>(overlapped + 1);
  const auto sum = multiset_hash(keys);
  auto sorted = keys;
  counting_resource resource;
  const auto said = gpu::explain(gpu::par.require_device().with(resource), sorted).scratch_bytes;
  gpu::sort(gpu::par.require_device().with(resource), sorted);
  expect(resource.take_peak() <= said, "no more than explain says");
  expect(resource.outstanding() == 0, "given back");
  for (const std::size_t allowed : {0, 1, 3, 6}) {
    failing_resource failing{allowed};
    sorted = keys;
    gpu::sort(gpu::par.with(failing), sorted);
    const std::string name = "after " + std::to_string(allowed) + " allocations";
    expect_none(order_problem(sorted, natural_less{}), name);
    expect(multiset_hash(sorted) == sum, name + ": a permutation");
    expect(failing.outstanding() == 0, name + ": leak");
  }
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

TEST_CASE("staging: a few MiB take as many buffers as they fill") {
  if (gpu::device_count() == 0) return skip("staging buffers: no device");
  gpu::release_staging();
  for (const std::size_t count : {mebi / 4, mebi, 2 * mebi - 1}) {
    const auto keys = make_keys<std::uint32_t>(count);
    auto sorted = keys;
    gpu::sort(gpu::par.require_device(), sorted);
    const std::string name = std::to_string(count) + " keys";
    expect_none(sort_problem(keys, sorted, natural_less{}), name);
    expect(gpu::staging_bytes() > 0, name + ": through buffers");
    expect(gpu::staging_bytes() <= 12 * mebi, name + ": " + std::to_string(gpu::staging_bytes()) + " bytes");
  }
  gpu::release_staging();
}

TEST_CASE("staging: many threads share few buffers") {
  if (gpu::device_count() == 0) return skip("staging buffers: no device");
  gpu::limit_staging(20 * mebi);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 8; ++thread)
      threads.emplace_back([thread] {
        const auto keys = make_keys<std::uint32_t>(uniform, (2 + 3 * thread) * mebi + thread, thread);
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
  expect((decided.where == gpu::backend::device) == (decided.host_seconds > 1.1 * decided.device_seconds),
         "the decision follows from them");
}
