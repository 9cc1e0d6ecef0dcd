// Policies on several devices of one process. Where there is one device, it is several ranks, by a switch for tests.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "ranks.hpp"

namespace {

using namespace testing;

/// So many ranks on the devices there are, in turns.
std::vector<int> repeated(std::size_t ranks) {
  setenv("GPUPAR_REPEAT_DEVICES", "1", 1);
  std::vector<int> ids;
  for (std::size_t r = 0; r < ranks; ++r) ids.push_back(static_cast<int>(r) % gpu::device_count());
  return ids;
}

std::vector<std::uint32_t> numbers(std::size_t n, const key_shape& keys) {
  std::vector<std::uint32_t> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = static_cast<std::uint32_t>(keys.key(i, n));
  return made;
}

}  // namespace

TEST_CASE("devices: all of them, or the host where there is none") {
  for (const key_shape& keys : key_shapes) {
    auto values = numbers(20000, keys);
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    const auto end = gpu::sort(gpu::par.on_all_devices(), values);
    expect(end == values.end() && values == expected, keys.name);

    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0u);
    gpu::stable_sort_by_key(gpu::par.on_all_devices(), values, order, std::ranges::greater{});
    expect(std::is_sorted(values.rbegin(), values.rend()), keys.name);
    bool follow = true;
    for (std::size_t i = 0; i < order.size(); ++i) follow = follow && expected[order[i]] == values[i];
    expect(follow, keys.name);
  }
}

TEST_CASE("devices: those that are not there, and those listed twice, are named") {
  std::vector<int> values{3, 1, 2};
  expect_error(gpu::errc::no_device, "none there", [&] { gpu::sort(gpu::par.on_devices({0, 1000}), values); });
  expect_error(gpu::errc::no_device, "none listed",
               [&] { gpu::sort(gpu::par.on_devices(std::vector<int>{}), values); });
  if (gpu::device_count() == 0) return skip("no device");
  unsetenv("GPUPAR_REPEAT_DEVICES");
  expect_error(gpu::errc::no_device, "twice", [&] { gpu::sort(gpu::par.on_devices({0, 0}), values); });
  expect_error(gpu::errc::invalid_range, "spans",
               [&] { gpu::sort(gpu::par.on_devices({0}), gpu::partitioned<int>{}); });
  expect_error(gpu::errc::invalid_range, "host memory", [&] {
    gpu::sort(gpu::par.on_devices({0}), gpu::partitioned{std::vector{gpu::device_span{values.data(), 3}}});
  });
  expect(values == std::vector<int>{3, 1, 2}, "nothing has moved");
}

TEST_CASE("devices: several share an array of the host, with values, and through windows") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t p : {1, 2, 5})
    for (const std::size_t n : {std::size_t{3}, std::size_t{100003}, std::size_t{1} << 19})
      for (const key_shape& keys : key_shapes)
        for (const std::size_t limit : {std::size_t{0}, std::size_t{1} << 20}) {
          const std::string what = std::string{keys.name} + ", n " + std::to_string(n) + ", ranks " +
                                   std::to_string(p) + ", limit " + std::to_string(limit);
          const auto policy = gpu::par.with_memory_limit(limit).on_devices(repeated(p));
          const auto before = numbers(n, keys);
          auto values = before;
          std::vector<std::uint32_t> order(n), right(n);
          std::iota(right.begin(), right.end(), 0u);
          order = right;
          std::stable_sort(right.begin(), right.end(), [&](auto i, auto j) { return before[i] < before[j]; });
          gpu::stable_sort_by_key(policy, values, order);
          expect(order == right, "stable_sort_by_key, " + what);
          values = before;
          gpu::sort(policy, values.begin(), values.end());
          bool sorted = true;
          for (std::size_t i = 0; i < n; ++i) sorted = sorted && values[i] == before[right[i]];
          expect(sorted, "sort, " + what);
        }
}

TEST_CASE("devices: spans on each keep their sizes") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t p : {2, 3})
    for (const division& sizes : divisions)
      for (const key_shape& keys : key_shapes) {
        const auto ids = repeated(p);
        const auto parts = make_parts(sizes, keys, p, 5000, [](std::uint64_t key, std::size_t, std::size_t) {
          return static_cast<std::uint32_t>(key);
        });
        auto all = joined(parts);
        std::sort(all.begin(), all.end());
        const auto expected = divided(all, parts);
        gpu::partitioned<std::uint32_t> spans;
        std::vector<void*> memory;
        for (std::size_t r = 0; r < p; ++r) {
          set_current_device(ids[r]);
          memory.push_back(allocate_device(parts[r].size() * sizeof(std::uint32_t) + 1));
          copy_any(memory[r], parts[r].data(), parts[r].size() * sizeof(std::uint32_t));
          spans.spans.emplace_back(static_cast<std::uint32_t*>(memory[r]), parts[r].size());
        }
        gpu::sort(gpu::par.on_devices(ids), spans);
        auto got = parts;
        for (std::size_t r = 0; r < p; ++r) {
          copy_any(got[r].data(), memory[r], got[r].size() * sizeof(std::uint32_t));
          deallocate_device(memory[r]);
        }
        expect_none(difference(got, expected), std::string{keys.name} + ", " + sizes.name);
      }
  set_current_device(0);
}
