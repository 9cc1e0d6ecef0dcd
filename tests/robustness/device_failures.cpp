// Every call of CUDA's runtime that a call of the library makes fails in turn, as does every allocation of the host:
// an exception as documented or a right result, host data as they were, device data all there, nothing leaked, and the
// next call works. Without a GPU the same program runs against a stand-in whose kernels do nothing.
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "children.hpp"
#include "failing_sorts.hpp"
#include "failure_points.hpp"
#include "free_device.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"
#include "support.hpp"

namespace {

using namespace testing;

const std::vector<std::int32_t>& keys(std::size_t n) {
  static std::vector<std::int32_t> all;
  return all = make_keys<std::int32_t>(few_values, n), all;
}

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
  at_device_places([&](const auto& place) {  // what is kept for later calls is there when they fail
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
  sort();  // learns what is learned once
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
    merge();  // asks what is asked once per process
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
      if (k * n > 1'000'000) continue;  // 70 take several launches, of whatever length
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

TEST_CASE("device failures: the pool of a device that is reset is made anew, and gives back what it keeps") {
  if (cannot_run()) return;
  if (!cuda_is_pretended) return skip("a reset that is pretended");
  const storage<std::int32_t> data{memory::device, keys(1'100'000)};
  const gpu::device_span view{data.data(), data.size()};
  gpu::sort(gpu::par, view);
  const std::size_t pools = pretended_pools;
  gpu::release_memory();
  expect(failing_cuda_call::latest() == "cudaMemPoolTrimTo", "what was called last");
  pretended_pool_is_known = false;
  gpu::release_memory();
  gpu::sort(gpu::par, view);
  gpu::stable_sort(gpu::par, view, std::greater<>{});
  expect(pools > 0 && pretended_pools == pools + 1, "one more pool");
}

TEST_CASE("device failures: null from a resource is no memory") {
  if (cannot_run()) return;
  const auto before = make_keys<float>(60'000);
  at_device_places([&](const auto& place) {
    storage<float> data = place.store(before);
    failing_resource resource{0, refusal::null};
    expect_throw<std::bad_alloc>(place.name, [&] { gpu::stable_sort(place.policy.with(resource), place.view(data)); });
    expect(resource.requests() > 0, place.name + ": asked");
    expect_none(changed(before, data), place.name + ": nothing has moved");
  });
}

TEST_CASE("device failures: memory of a resource without streams is given back when they have ended") {
  if (cannot_run()) return;
  const storage<std::int32_t> data{memory::device, keys(1'100'000)};
  const gpu::device_span view{data.data(), data.size()};
  std::size_t early = 0;
  plain_resource resource{[&] { early += failing_cuda_call::latest() != "cudaStreamSynchronize"; }};
  gpu::resource_adapter adapter{resource};
  gpu::sort(gpu::par_nosync.with(adapter), view);
  gpu::stable_sort(gpu::par_nosync.with(adapter), view, std::greater<>{});
  expect(resource.requests() > 0 && resource.idle() > 0, "has been asked, and has it back");
  expect(early == 0, "blocks given back without waiting: " + std::to_string(early));
  if (!cuda_is_pretended) return skip("a capture that is pretended");
  const auto requests = resource.requests();
  const auto captured = reinterpret_cast<gpu::stream_handle>(&captured_stream);
  expect_error(gpu::errc::device_unsupported, "memory for a graph",
               [&] { gpu::stable_sort(gpu::par_nosync.on(captured).with(adapter), view); });
  expect(resource.requests() == requests, "is not asked");
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

TEST_CASE("device failures: what keeps devices away is named, and what helps") {
  struct absence {
    int answer, driver;
    const char *visible, *words;
  };
  constexpr absence all[] = {{insufficient_driver, 0, nullptr, "there is no CUDA driver"},
                             {insufficient_driver, 12040, nullptr, "too old: it serves CUDA 12.4"},
                             {absent_device, 13000, nullptr, "the CUDA driver finds no device"},
                             {absent_device, 13000, "7", "CUDA_VISIBLE_DEVICES=\"7\""},
                             {unknown_error, 13000, nullptr, "cudaErrorUnknown"}};
  const std::string name = "device failures: what keeps devices away is named, and what helps";
  if (!cuda_is_pretended) return skip("answers of CUDA's that are pretended");
  if (!in_child()) {
    for (std::size_t i = 0; i < std::size(all); ++i)
      expect(well_in_program(name, "GPUPAR_TEST_ABSENCE", std::to_string(i)), name + ", " + all[i].words);
    return;
  }
  const absence& one = all[std::atoi(std::getenv("GPUPAR_TEST_ABSENCE"))];
  pretended_driver_version = one.driver;
  if (one.visible)
    setenv("CUDA_VISIBLE_DEVICES", one.visible, 1);
  else
    unsetenv("CUDA_VISIBLE_DEVICES");
  std::vector<std::int32_t> data{3, 1, 2};
  gpu::plan decided;
  {
    const failing_cuda_call failure{0, one.answer};
    decided = gpu::explain(gpu::par, data);
  }
  expect(decided.reason.find(one.words) != decided.reason.npos, std::string{decided.reason});
  expect(decided.remark.starts_with("with a device: "), std::string{decided.remark});
  try {
    gpu::sort(gpu::par.require_device(), data);
    expect(false, "threw nothing");
  } catch (const gpu::error& thrown) {
    expect(std::string{thrown.what()}.find(one.words) != std::string::npos, thrown.what());
  }
}

TEST_CASE("device failures: a device is started only by who uses it") {
  const std::string name = "device failures: a device is started only by who uses it";
  if (!cuda_is_pretended) return skip("devices that are pretended");
  if (!in_child()) return expect(well_in_program(name, "GPUPAR_TEST_DEVICES", "2"), name);
  pretended_devices = 2;
  const auto only_second = [](const std::string& what) {
    expect(pretended_started == 2, what + ": devices started: " + std::to_string(pretended_started));
  };
  set_current_device(1);
  const storage<std::int32_t> data{memory::device, keys(100'000)};
  std::vector<std::uint32_t> large(std::size_t{4} << 20);
  const auto sort = [&] { gpu::sort(gpu::par.require_device(), large); };
  for (int i = 0; i < 50 && (i == 0 || pretended_threads < 2); ++i) sort();
  only_second("host data by a thread of it, and others that copy");
  gpu::sort(gpu::par.require_device().with_memory_limit(4'000'000), large);
  only_second("host data in runs");
  std::thread{[&] {
    gpu::sort(gpu::par, gpu::device_span{data.data(), data.size()});
    expect(current_device() == 0, "of the thread, as before");
  }}.join();
  only_second("its data, by a thread that has set none");
  set_current_device(0);
  gpu::stable_sort(gpu::par, gpu::device_span{data.data(), data.size()}, std::greater<>{});
  expect(current_device() == 0, "of this thread, as before");
}

TEST_CASE("device failures: the first call of a process") {
  const std::string name = "device failures: the first call of a process";
  if (!in_child()) {
    for (const int code : {insufficient_driver, absent_device, unknown_error})
      for (int k = 0; k < (code == unknown_error ? 12 : 1); ++k) {
        const std::string failure = std::to_string(1000 * k + code);
        expect(well_in_program(name, "GPUPAR_TEST_FAILURE", failure), name + ", " + failure);
        ++counted.points;
      }
    return;
  }
  const int failure = std::atoi(std::getenv("GPUPAR_TEST_FAILURE"));
  const auto before = keys(60'000);
  auto data = before;
  const ending end = fail_cuda(static_cast<std::size_t>(failure / 1000), failure % 1000, outage::once,
                               [&] { gpu::sort(gpu::par, data); });
  expect(!end.strange, end.failure);
  if (end.threw) expect_none(difference(before, data), end.failure);
  data = before;
  gpu::sort(gpu::par, data);
  if (!cuda_is_pretended || gpu::device_count() == 0)
    expect_none(sort_problem(before, data, natural_less{}), end.failure + ": the next call");
}
