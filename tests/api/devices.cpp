// Policies on several devices of one process. If there is only one device, a switch for tests makes it several ranks.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "ranks.hpp"

namespace {

using namespace testing;

/// The devices of `ranks` ranks, to which the available devices are assigned in turn.
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

    expect(gpu::is_sorted(gpu::par.on_all_devices(), values, std::ranges::greater{}), keys.name);
    std::vector<std::uint32_t> merged(2 * expected.size());
    const auto ends = gpu::merge(gpu::par.on_all_devices(), values, values, merged.begin(), std::ranges::greater{});
    expect(ends.out == merged.end() && std::is_sorted(merged.rbegin(), merged.rend()), keys.name);
    const auto places_end = gpu::argsort(gpu::par.on_all_devices(), values, order);
    bool ordered = places_end == order.end();
    for (std::size_t i = 0; i < order.size(); ++i) ordered = ordered && values[order[i]] == expected[i];
    expect(ordered, keys.name);
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

TEST_CASE("devices: arrays of the host are merged, checked, and their order found") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t p : {1, 2, 5})
    for (const std::size_t n : {std::size_t{2}, std::size_t{100003}})
      for (const key_shape& keys : key_shapes) {
        const std::string what = std::string{keys.name} + ", n " + std::to_string(n) + ", ranks " + std::to_string(p);
        const auto policy = gpu::par.on_devices(repeated(p));
        const auto before = numbers(n, keys);
        std::vector<std::uint32_t> right(n), order(n);
        std::iota(right.begin(), right.end(), 0u);
        std::stable_sort(right.begin(), right.end(), [&](auto i, auto j) { return before[i] < before[j]; });
        auto kept = before;
        gpu::argsort(policy, kept, order);
        expect(order == right && kept == before, "argsort, " + what);

        auto sorted = before;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::uint32_t> merged(2 * n), expected(2 * n);
        std::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), expected.begin());
        gpu::merge(policy, sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), merged.begin());
        expect(merged == expected, "merge, " + what);
        std::fill(merged.begin(), merged.end(), 0u);
        gpu::merge(gpu::par.require_device().on_devices(repeated(p)), sorted, sorted, merged.begin());
        expect(merged == expected, "merge on the devices, " + what);
        expect(gpu::is_sorted(policy, merged), "is_sorted, " + what);
        if (merged.front() == merged.back()) continue;
        for (const std::size_t at : {std::size_t{0}, n, 2 * n - 2}) {
          auto others = merged;
          others[at] = 0xffffffffu;
          others[at + 1] = 0;
          expect(!gpu::is_sorted(policy, others.begin(), others.end()), "not sorted, " + what);
        }
      }
}

/// Parts in the memory of the devices `ids`.
template <class T>
class parts_on_devices {
 public:
  parts_on_devices(const std::vector<int>& ids, const parts_of<T>& parts) : ids_{ids} {
    for (std::size_t r = 0; r < ids.size(); ++r) {
      set_current_device(ids[r]);
      auto* const memory = static_cast<T*>(allocate_device(parts[r].size() * sizeof(T) + 1));
      copy_any(memory, parts[r].data(), parts[r].size() * sizeof(T));
      spans.spans.emplace_back(memory, parts[r].size());
    }
    set_current_device(0);
  }
  parts_on_devices(const parts_on_devices&) = delete;
  parts_on_devices& operator=(const parts_on_devices&) = delete;
  ~parts_on_devices() {
    for (const auto& span : spans.spans) deallocate_device(span.data());
  }

  [[nodiscard]] parts_of<T> copy() const {
    parts_of<T> got;
    for (const auto& span : spans.spans) {
      got.emplace_back(span.size());
      copy_any(got.back().data(), span.data(), span.size() * sizeof(T));
    }
    return got;
  }

  gpu::partitioned<T> spans;

 private:
  std::vector<int> ids_;
};

TEST_CASE("devices: one without memory is named") {
  if (gpu::device_count() == 0) return skip("no device");
  struct nothing_left final : gpu::memory_resource {
    void* allocate(std::size_t, std::size_t, gpu::stream_handle) override { throw std::bad_alloc{}; }
    void deallocate(void*, std::size_t, std::size_t, gpu::stream_handle) noexcept override {}
  } none;
  const auto ids = repeated(2);
  const parts_of<std::uint32_t> parts{{3, 1, 2}, {0, 5}};
  const parts_on_devices<std::uint32_t> on_devices{ids, parts};
  try {
    gpu::sort(gpu::par.with(none).on_devices(ids), on_devices.spans);
    expect(false, "nothing was thrown");
  } catch (const gpu::rank_error& caught) {
    expect(caught.code() == std::errc::not_enough_memory, caught.what());
    expect(std::string{caught.what()}.find("on device 0") != std::string::npos, caught.what());
  }
  expect_none(difference(on_devices.copy(), parts), "nothing has moved");
}

namespace {

/// All calls on spans of these lengths by a policy on the devices `ids`.
template <class Policy>
void expect_calls_on_spans(const Policy& policy, const std::vector<int>& ids, const parts_of<std::uint32_t>& parts,
                           const std::string& what) {
  const auto all = joined(parts);
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto places = divided(order, parts);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return all[i] < all[j]; });
  auto sorted = all;
  std::sort(sorted.begin(), sorted.end());

  const parts_on_devices<std::uint32_t> on_devices{ids, parts}, values{ids, places}, found{ids, places};
  gpu::argsort(policy, on_devices.spans, found.spans);
  expect_none(difference(found.copy(), divided(order, parts)), "argsort, " + what);
  expect_none(difference(on_devices.copy(), parts), "argsort keeps keys, " + what);
  expect(gpu::is_sorted(policy, on_devices.spans) == std::is_sorted(all.begin(), all.end()), what);

  parts_of<std::uint32_t> shares(ids.size());
  for (std::size_t r = 0; r < ids.size(); ++r)
    shares[r].resize(all.size() / ids.size() + (r < all.size() % ids.size() ? 1 : 0));
  const parts_on_devices<std::uint32_t> unsorted{ids, parts}, balanced{ids, shares};
  gpu::sort_balanced(policy, unsorted.spans, balanced.spans);
  expect_none(difference(balanced.copy(), divided(sorted, shares)), "sort_balanced, " + what);

  gpu::stable_sort_by_key(policy, on_devices.spans, values.spans);
  expect_none(difference(values.copy(), divided(order, parts)), "stable_sort_by_key, " + what);
  expect_none(difference(on_devices.copy(), divided(sorted, parts)), "its keys, " + what);
  expect(gpu::is_sorted(policy, on_devices.spans), what);
  gpu::sort(policy, on_devices.spans, std::ranges::greater{});
  expect(gpu::is_sorted(policy, on_devices.spans, std::ranges::greater{}), "sort, " + what);
  gpu::sort(policy, on_devices.spans);
  expect_none(difference(on_devices.copy(), divided(sorted, parts)), "sort, " + what);

  parts_of<std::uint32_t> twice(ids.size());
  for (std::size_t r = 0; r < ids.size(); ++r) twice[ids.size() - 1 - r].resize(2 * parts[r].size());
  const parts_on_devices<std::uint32_t> merged{ids, twice}, merged_values{ids, twice};
  gpu::merge(policy, on_devices.spans, on_devices.spans, merged.spans);
  std::vector<std::uint32_t> expected(2 * sorted.size());
  std::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), expected.begin());
  expect_none(difference(merged.copy(), divided(expected, twice)), "merge, " + what);

  gpu::merge_by_key(policy, on_devices.spans, on_devices.spans, values.spans, found.spans, merged.spans,
                    merged_values.spans);
  std::vector<std::uint32_t> expected_values(expected.size());
  for (std::size_t i = 0, a = 0, b = 0; i < expected.size(); ++i) {
    const bool first = b == sorted.size() || (a < sorted.size() && sorted[a] <= sorted[b]);
    expected_values[i] = first ? order[a++] : order[b++];
  }
  expect_none(difference(merged.copy(), divided(expected, twice)), "merge_by_key, " + what);
  expect_none(difference(merged_values.copy(), divided(expected_values, twice)), "its values, " + what);
}

}  // namespace

TEST_CASE("devices: spans on each keep their sizes") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t p : {2, 3})
    for (const division& sizes : divisions)
      for (const key_shape& keys : key_shapes) {
        const std::string what = std::string{keys.name} + ", " + sizes.name + ", ranks " + std::to_string(p);
        const auto ids = repeated(p);
        const auto parts = make_parts(sizes, keys, p, 5000, [](std::uint64_t key, std::size_t, std::size_t) {
          return static_cast<std::uint32_t>(key);
        });
        expect_calls_on_spans(gpu::par.on_devices(ids), ids, parts, what);
      }
}

TEST_CASE("devices: spans that are too short for what goes there are named, and nothing moves") {
  if (gpu::device_count() == 0) return skip("no device");
  const auto ids = repeated(2);
  const auto policy = gpu::par.on_devices(ids);
  const parts_of<std::uint32_t> parts{{4, 2}, {9, 1, 5}}, short_parts{{0, 0, 0}, {0}};
  const parts_on_devices<std::uint32_t> keys{ids, parts}, others{ids, short_parts};
  expect_error(gpu::errc::invalid_range, "shorter", [&] { gpu::sort_balanced(policy, keys.spans, others.spans); });
  expect_error(gpu::errc::invalid_range, "shorter", [&] {
    gpu::merge_by_key(policy, keys.spans, keys.spans, others.spans, keys.spans, keys.spans, keys.spans);
  });
  const parts_of<std::uint32_t> even_parts{{4, 2}, {9, 1}};  // long enough for the output
  const parts_on_devices<std::uint32_t> even{ids, even_parts};
  expect_error(gpu::errc::overlapping_ranges, "", [&] { gpu::sort_balanced(policy, even.spans, even.spans); });
  expect_none(difference(keys.copy(), parts), "nothing has moved");
}
