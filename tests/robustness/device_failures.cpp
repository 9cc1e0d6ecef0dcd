// Every call of CUDA's runtime that a call of the library makes fails in turn, as does every host allocation. There
// must be a documented exception or a correct result; after an exception host data must be unchanged and device data
// complete; nothing may leak, and the next call must work. Without a GPU the same program runs against a stand-in whose
// kernels do nothing.
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "failing_sorts.hpp"
#include "failure_points.hpp"
#include "free_device.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "support.hpp"

namespace {

using namespace testing;

constexpr std::size_t sizes[] = {700, 60'000};

/// Each key k times.
std::vector<std::int32_t> repeated(const std::vector<std::int32_t>& sorted, std::size_t k) {
  std::vector<std::int32_t> all;
  for (const auto key : sorted) all.insert(all.end(), k, key);
  return all;
}

template <class Body>
void for_each_place(Body body) {
  at_device_places([&](const auto& place) {
    for (const std::size_t n : sizes) body(place, n);
  });
}

}  // namespace

TEST_CASE("device failures: sorts of keys") {
  if (cannot_run()) return;
  using how = gpu::algorithm;
  at_device_places([&](const auto& place) {  // so that what is cached for later calls exists when they fail
    const auto before = keys(sizes[0]);
    storage<std::int32_t> data = place.store(before);
    gpu::sort(place.policy, place.view(data));
  });
  for_each_place([&](const auto& place, std::size_t n) {
    const auto before = keys(n);
    for (const auto algorithm :
         {how::automatic, how::bitonic, how::quicksort, how::sample_sort, how::merge_sort, how::radix}) {
      const auto policy = place.policy.using_algorithm(algorithm);
      const std::string name = std::string{gpu::to_string(algorithm)} + ", " + std::to_string(n);
      check_sort(place, "sort, " + name, before, false, [&](auto view) { gpu::sort(policy, view); }, natural_less{});
      if (algorithm == how::bitonic || algorithm == how::quicksort) continue;
      check_sort(
          place, "stable_sort, " + name, make_keys<float>(n), true, [&](auto view) { gpu::stable_sort(policy, view); },
          natural_less{});
    }
    check_sort(
        place, "sort of what pointers say, " + std::to_string(n), before, false,
        [&](auto view) { gpu::sort(place.policy, view.data(), view.data() + n); }, natural_less{});
    check_sort(
        place, "sort of bytes, " + std::to_string(n), make_keys<std::uint8_t>(n), false,
        [&](auto view) { gpu::sort(place.policy, view); }, natural_less{});
  });
}

TEST_CASE("device failures: a sort of more keys than one launch takes") {
  if (cannot_run()) return;
  at_device_places([&](const auto& place) {
    if (place.kind != memory::device) return;
    check_sort(
        place, "sort by rounds", keys(1'100'000), false, [&](auto view) { gpu::sort(place.policy, view); },
        natural_less{});
  });
}

TEST_CASE("device failures: sorts of records") {
  if (cannot_run()) return;
  for_each_place([&](const auto& place, std::size_t n) {
    const auto records = make_records<record24>(few_values, n);
    const auto less = by(natural_less{}, &record24::key);
    check_sort(
        place, "sort of records, " + std::to_string(n), records, false,
        [&](auto view) { gpu::sort(place.policy, view, {}, &record24::key); }, less);
    check_sort(
        place, "stable_sort of records, " + std::to_string(n), records, true,
        [&](auto view) { gpu::stable_sort(place.policy, view, {}, &record24::key); }, less);
    auto halves = keys(n);
    const auto middle = static_cast<std::ptrdiff_t>(n / 3);
    std::sort(halves.begin(), halves.begin() + middle);
    std::sort(halves.begin() + middle, halves.end());
    check_sort(
        place, "inplace_merge, " + std::to_string(n), halves, true,
        [&](auto view) { gpu::inplace_merge(place.policy, view, view.begin() + middle); }, natural_less{});
  });
}

TEST_CASE("device failures: rows in two columns") {
  if (cannot_run()) return;
  for_each_place([&](const auto& place, std::size_t n) {
    const auto rows = with_index(keys(n));
    const auto less = by(natural_less{}, &indexed<std::int32_t>::key);
    check_rows(
        place, "sort_by_key, " + std::to_string(n), rows,
        [&](auto key_column, auto values) { gpu::sort_by_key(place.policy, key_column, values); }, less);
    check_rows(
        place, "stable_sort_by_key, " + std::to_string(n), rows,
        [&](auto key_column, auto values) { gpu::stable_sort_by_key(place.policy, key_column, values); }, less);
  });
}

TEST_CASE("device failures: where memory runs out for good, the host takes over nothing that has begun to come back") {
  if (cannot_run()) return;
  const auto rows = with_index(keys(std::size_t{1} << 20));
  const auto less = by(natural_less{}, &indexed<std::int32_t>::key);
  std::vector<std::int32_t> key_column(rows.size());
  std::vector<std::uint32_t> values(rows.size());
  const auto sort = [&] { gpu::sort_by_key(gpu::par, key_column, values); };
  const auto after = [&](std::size_t k) {
    for (std::size_t i = 0; i < rows.size(); ++i) key_column[i] = rows[i].key, values[i] = rows[i].index;
    return fail_cuda(k, out_of_memory, outage::from_then_on, sort);
  };
  sort();  // the library learns what it learns once per process
  bool returning = false;
  for (std::size_t k = 0;; ++k) {
    const ending end = after(k);
    if (!end.happened) break;
    const std::string name = "sort_by_key of host data, " + end.failure;
    const bool returns = end.launched && end.failure.starts_with("cudaMemcpyAsync");
    returning |= returns;
    expect(end.threw || !returns, name + ": says so");
    auto found = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) found[i] = {key_column[i], values[i]};
    const bool done = cuda_is_pretended && end.afterwards;  // by kernels that do nothing
    if (!end.threw && !done) expect_none(sort_problem(rows, found, less), name + ": the host has taken over");
  }
  expect(returning, "copies back fail, too");
}

TEST_CASE("device failures: merges ask CUDA once for each array, for the device, and to launch") {
  if (cannot_run()) return;
  auto sorted = keys(sizes[0]);
  std::sort(sorted.begin(), sorted.end());
  const auto merged = repeated(sorted, 3);
  const storage<std::int32_t> in{memory::device, sorted}, out{memory::device, merged}, values{memory::device, merged};
  const std::int32_t *const first = in.data(), *const last = first + sorted.size();
  const auto expect_calls = [](const std::string& name, std::size_t expected, auto merge) {
    constexpr auto never = static_cast<std::size_t>(-1);
    merge();  // makes the queries that are made once per process
    const failing_cuda_call watched{never, unknown_error};
    merge();
    expect(watched.calls() == expected,
           name + " of few elements made so many calls: " + std::to_string(watched.calls()));
  };
  expect_calls("merge", 3 + 1 + 1, [&] { gpu::merge(gpu::par_nosync, first, last, first, last, out.data()); });
  expect_calls("merge_by_key", 6 + 1 + 1, [&] {
    gpu::merge_by_key(gpu::par_nosync, first, last, first, last, first, first, out.data(), values.data());
  });
  expect_calls("multiway_merge", 4 + 1 + 5, [&] {  // scratch, beside others' captures; cuts and tiles
    const std::vector<std::span<const std::int32_t>> ranges(3, {first, last});
    gpu::multiway_merge(gpu::par_nosync, ranges, out.data());
  });
}

TEST_CASE("device failures: calls that write elsewhere, or nothing") {
  if (cannot_run()) return;
  for_each_place([&](const auto& place, std::size_t n) {
    auto sorted = keys(n);
    std::sort(sorted.begin(), sorted.end());
    const storage<std::int32_t> in = place.store(sorted);
    const auto untouched = [&] { return changed(sorted, in); };
    const auto named = [&](const std::string& name) { return place.name + ", " + name + ", " + std::to_string(n); };
    const auto check = [&](const std::string& name, const auto& expected, auto call) {
      const auto blank = std::remove_cvref_t<decltype(expected)>(expected.size());
      auto out = place.store(blank);
      fail_everything({named(name), true, [&] { out.refill(blank); }, [&] { call(place.view(out)); }, untouched,
                       untouched, [&] { return changed(expected, out); }});
    };
    check("merge", repeated(sorted, 2),
          [&](auto out) { gpu::merge(place.policy, place.view(in), place.view(in), out.begin()); });
    const storage<std::int32_t> merged = place.store(repeated(sorted, 2));
    check("merge_by_key", repeated(sorted, 2), [&](auto out) {
      const auto first = place.view(in).begin();
      gpu::merge_by_key(place.policy, first, first + n, first, first + n, first, first, place.view(merged).begin(),
                        out.begin());
    });
    for (const std::size_t k : {5, 70}) {
      if (k * n > 1'000'000) continue;  // 70 take several launches at any length
      check("multiway_merge of " + std::to_string(k), repeated(sorted, k), [&](auto out) {
        std::vector<decltype(place.view(in))> ranges(k, place.view(in));
        ranges.emplace_back();
        gpu::multiway_merge(place.policy, ranges, out.begin());
      });
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    check("argsort", order, [&](auto out) { gpu::argsort(place.policy, place.view(in), out); });
    std::size_t prefix = 0;
    fail_everything({named("is_sorted_until"), true, [&] { prefix = 0; },
                     [&] {
                       const auto view = place.view(in);
                       prefix = static_cast<std::size_t>(gpu::is_sorted_until(place.policy, view) - view.begin());
                     },
                     untouched, untouched,
                     [&] { return prefix == n ? "" : "a wrong prefix: " + std::to_string(prefix); }});
  });
}

TEST_CASE("device failures: few elements in device memory are not the host's") {
  if (cannot_run()) return;
  const auto before = keys(10);
  const storage<std::int32_t> data{memory::device, before};
  const std::span view{data.data(), data.size()};
  expect_error(gpu::errc::host_unreachable, "sort", [&] { gpu::sort(gpu::par.require_host(), view); });
  expect_error(gpu::errc::host_unreachable, "stable_sort",
               [&] { gpu::stable_sort(gpu::par.require_host(), view, std::greater<>{}); });
  expect_none(difference(before, data.fetch()), "nothing was touched");
}

TEST_CASE("device failures: keys of strings are sorted on the device") {
  if (cannot_run()) return;
  if (cuda_is_pretended) return skip("kernels that do nothing give no permutation");
  std::vector<std::pair<std::string, std::int32_t>> before;
  for (const auto key : keys(60'000))
    before.emplace_back("long enough to live on the heap " + std::to_string(key), key);
  auto data = before;
  auto expected = before;
  const auto key_of = [](const auto& pair) { return pair.second; };
  std::ranges::stable_sort(expected, {}, key_of);
  const auto same_as = [&](const auto& wanted) { return data == wanted ? "" : "other elements"; };
  fail_everything(
      {"strings", true, [&] { data = before; }, [&] { gpu::stable_sort(gpu::par.require_device(), data, {}, key_of); },
       [&] { return same_as(before); }, [&] { return same_as(before); }, [&] { return same_as(expected); }});
}
