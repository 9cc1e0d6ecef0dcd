// Calls that fail because of what precedes them: memory pools and resources, devices that are not found or have yet to
// be started, the first call of a process.
#include <cstdlib>
#include <functional>
#include <new>
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
#include "resources.hpp"
#include "support.hpp"

using namespace testing;

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
