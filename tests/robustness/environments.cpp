// Environments that a program may find itself in: hidden devices, a process that was forked, threads that are gone.
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "children.hpp"
#include "gpu/algorithm.hpp"
#include "gpu/detail/sample_key.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace testing;

std::uint64_t passed = 0;

void environment(bool well, const std::string& name) {
  expect(well, name);
  passed += well;
}

/// Whether sorts of several kinds work, some of them large enough for all threads.
bool sorts_work() {
  for (const std::size_t n : {10, 3000, 200'000}) {
    const auto keys = make_keys<std::uint32_t>(n);
    auto sorted = keys;
    gpu::sort(gpu::par, sorted);
    if (!sort_problem(keys, sorted, natural_less{}).empty()) return false;
    std::vector<std::uint32_t> order(n);
    gpu::argsort(gpu::par, keys, order);
    for (std::size_t i = 0; i < n; ++i)
      if (keys[order[i]] != sorted[i]) return false;
  }
  return true;
}

template <template <class> class Allocator>
bool allocator_works() {
  const auto keys = make_keys<std::uint32_t>(10'000);
  std::vector<std::uint32_t, Allocator<std::uint32_t>> data(keys.begin(), keys.end());
  gpu::sort(gpu::par, data);
  return std::is_sorted(data.begin(), data.end());
}

}  // namespace

TEST_CASE("environments: each process draws a key for its samples") {
  const auto& key = gpu::detail::process_sample_key();
  if (!in_child()) {
    const std::string name = "environments: each process draws a key for its samples";
    environment(well_in_program(name, "GPUPAR_SAMPLE_KEY", "0x4d,78"), "GPUPAR_SAMPLE_KEY");
    environment(well_in_program(name, "GPUPAR_TEST_OTHER_KEY", std::to_string(key.second)), "keys of two processes");
    return;
  }
  if (const char* other = std::getenv("GPUPAR_TEST_OTHER_KEY"))
    expect(key.second != std::strtoull(other, nullptr, 0), "another process has another key");
  else
    expect(key.first == 77 && key.second == 78, "the key is the one that was given");
  expect(sorts_work(), "sorts work");
}

TEST_CASE("environments: hidden devices") {
  if (!in_child()) {
    environment(well_in_program("environments: hidden devices", "CUDA_VISIBLE_DEVICES", ""), "CUDA_VISIBLE_DEVICES=");
    return;
  }
  expect(gpu::device_count() == 0, "no device is seen");
  expect(sorts_work(), "sorts work without a device");
  expect(allocator_works<gpu::pinned_allocator>() && allocator_works<gpu::managed_allocator>(), "allocators work");
  std::vector<int> data{3, 1, 2};
  expect_error(gpu::errc::no_device, "a device is required", [&] { gpu::sort(gpu::par.require_device(), data); });
  expect(data == std::vector{3, 1, 2}, "nothing was touched");
}

TEST_CASE("environments: a child after fork, before and after the parent's threads were started") {
  if (in_child()) return;
  environment(well_in_child(sorts_work), "a child of a process that may not have sorted yet");
  expect(sorts_work(), "the parent sorts");
  environment(well_in_child([] { return gpu::device_count() == 0 && sorts_work(); }),
              "a child of a process that sorted");
  environment(well_in_child(
                  [] { return allocator_works<gpu::pinned_allocator>() && allocator_works<gpu::managed_allocator>(); }),
              "allocators in a child");
  environment(well_in_child([] { return well_in_child(sorts_work); }), "a child's child");
  expect(sorts_work(), "the parent still sorts");
}

TEST_CASE("environments: memory of the parent's is given back by a child") {
  if (in_child()) return;
  auto* pinned = new std::vector<int, gpu::pinned_allocator<int>>(1000, 7);
  auto* managed = new std::vector<int, gpu::managed_allocator<int>>(1000, 7);
  // The child cannot reach memory that the driver gave to the parent: it must not touch it, and must not crash.
  environment(well_in_child([&] {
                delete pinned;
                delete managed;
                return true;
              }),
              "deallocation in a child");
  expect(pinned->front() == 7 && managed->front() == 7, "the parent's memory is the parent's");
  delete pinned;
  delete managed;
}

TEST_CASE("environments: figures") {
  if (!in_child()) figure("environments passed", passed);
}
