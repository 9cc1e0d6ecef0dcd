// Devices in trouble, each case in a process of its own: a sticky error, a reset, a stale error.
#include <cuda.h>
#include <cuda_runtime.h>

#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "children.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "resources.hpp"
#include "support.hpp"

namespace {

using namespace testing;

std::uint64_t passed = 0;

__global__ void trap_kernel() { __trap(); }

/// Host data must be sorted, or unchanged if there is an exception.
void check_host_sort(const std::string& what) {
  const auto keys = make_keys<std::uint32_t>(500'000);
  auto data = keys;
  try {
    gpu::sort(gpu::par, data);
    expect_none(sort_problem(keys, data, natural_less{}), what);
  } catch (const gpu::error&) {
    expect(data == keys, what + ": data changed");
  } catch (const std::bad_alloc&) {
    expect(data == keys, what + ": data changed");
  }
}

/// Runs the test case once more in a process of its own if there is a device. Returns true in that process.
bool as_child(const std::string& name) {
  if (in_child()) return true;
  if (gpu::device_count() == 0) {
    skip("devices in trouble: no device");
    return false;
  }
  const bool well = well_in_program(name, "GPUPAR_TEST_CHILD", "1");
  expect(well, name);
  passed += well;
  return false;
}

}  // namespace

// Querying the number of devices first does no harm to the children, which are programs of their own.
TEST_CASE("device environments: an error that sticks") {
  if (!as_child("device environments: an error that sticks")) return;
  check_host_sort("before the error");
  auto* pinned = new std::vector<int, gpu::pinned_allocator<int>>(1000, 7);
  auto* managed = new std::vector<int, gpu::managed_allocator<int>>(1000, 7);
  std::uint32_t* device_data = nullptr;
  expect(cudaMalloc(&device_data, 4000) == cudaSuccess, "device memory");
  trap_kernel<<<1, 1>>>();
  expect(cudaDeviceSynchronize() != cudaSuccess, "the device is lost");
  check_host_sort("after the error");
  expect_throw<gpu::error>("data of the lost device", [&] { gpu::sort(gpu::par, device_data, device_data + 1000); });
  delete pinned;  // must not fail, even if the driver cannot free it
  delete managed;
  auto keys = make_keys<std::uint32_t>(1000);
  gpu::sort(gpu::par.require_host(), keys);
  expect_none(order_problem(keys, natural_less{}), "the host serves");
  expect(cudaDeviceSynchronize() != cudaSuccess, "the error is still to be seen");
}

TEST_CASE("device environments: a device that is reset") {
  if (!as_child("device environments: a device that is reset")) return;
  check_host_sort("before the reset");
  expect(cudaDeviceReset() == cudaSuccess, "reset");
  check_host_sort("after the reset");
  for (const std::size_t n : {10, 4000, 100'000, 3'000'000})
    for (int round = 0; round < 2; ++round) {
      const auto keys = make_keys<std::uint32_t>(n);
      const storage<std::uint32_t> data{memory::device, keys};
      gpu::sort(gpu::par, gpu::device_span{data.data(), n});
      expect_none(sort_problem(keys, data.fetch(), natural_less{}),
                  "device data after the reset, " + std::to_string(n));
      gpu::stable_sort(gpu::par, gpu::device_span{data.data(), n},
                       [] __device__(std::uint32_t a, std::uint32_t b) { return a > b; });
      expect_none(sort_problem(keys, data.fetch(), natural_greater{}), "and by a comparator, " + std::to_string(n));
    }
  auto large = make_keys<std::uint32_t>(30'000'000);
  gpu::sort(gpu::par.require_device(), large);
  expect_none(order_problem(large, natural_less{}), "staged after the reset");
  auto keys = make_keys<std::uint32_t>(1000);
  gpu::sort(gpu::par.require_host(), keys);
  expect_none(order_problem(keys, natural_less{}), "the host serves");
}

TEST_CASE("device environments: a stale error in front of every call") {
  if (!as_child("device environments: a stale error in front of every call")) return;
  const auto keys = make_keys<std::uint32_t>(300'000);
  const storage<std::uint32_t> data{memory::device, keys}, other{memory::device, keys};
  const gpu::device_span view{data.data(), keys.size()};
  const auto check = [&](const std::string& what, auto call) {
    expect(cudaSetDevice(100'000) == cudaErrorInvalidDevice, "an error of the caller's");
    call();
    expect(cudaGetLastError() == cudaErrorInvalidDevice, what + ": the caller's error is still there");
  };
  std::vector<std::uint32_t> host = keys, order(keys.size());
  check("sort", [&] { gpu::sort(gpu::par, view); });
  check("stable_sort", [&] { gpu::stable_sort(gpu::par, view); });
  check("merge", [&] { gpu::merge(gpu::par, view, view.first(0), other.data()); });
  check("is_sorted", [&] { expect(gpu::is_sorted(gpu::par, view), "sorted"); });
  check("sort of host data", [&] { gpu::sort(gpu::par.require_device(), host); });
  check("argsort of host data", [&] { gpu::argsort(gpu::par.require_device(), keys, order); });
  expect_none(sort_problem(keys, host, natural_less{}), "sorted");
}

TEST_CASE("device environments: a capture is the first to ask for the library's memory") {
  if (!as_child("device environments: a capture is the first to ask for the library's memory")) return;
  const auto keys = make_keys<std::uint32_t>(300'000);
  storage<std::uint32_t> data{memory::device, keys};
  const gpu::device_span view{data.data(), keys.size()};
  counting_resource others;
  gpu::sort(gpu::par.with(others), view);  // loads the kernels
  data.refill(keys);
  cudaStream_t order = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  bool well = cudaStreamCreateWithFlags(&order, cudaStreamNonBlocking) == cudaSuccess &&
              cudaStreamBeginCapture(order, cudaStreamCaptureModeGlobal) == cudaSuccess;
  gpu::sort(gpu::par_nosync.on(order), view);
  well = well && cudaStreamEndCapture(order, &graph) == cudaSuccess &&
         cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess &&
         cudaGraphLaunch(executable, order) == cudaSuccess && cudaStreamSynchronize(order) == cudaSuccess;
  expect(well, "captured and launched");
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "sorted");
}

TEST_CASE("device environments: a child after fork has no device") {
  if (!as_child("device environments: a child after fork has no device")) return;
  check_host_sort("the parent");
  const bool well = well_in_child([] {
    auto keys = make_keys<std::uint32_t>(500'000);
    gpu::sort(gpu::par, keys);
    return gpu::device_count() == 0 && std::is_sorted(keys.begin(), keys.end());
  });
  expect(well, "the child sorts on the host");
  check_host_sort("the parent, afterwards");
}

TEST_CASE("device environments: a program that uses the second device starts no other") {
  if (gpu::device_count() == 1) return skip("two devices: there are fewer");
  if (!as_child("device environments: a program that uses the second device starts no other")) return;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  expect(cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &entry, 12000, cudaEnableDefault, &found) ==
             cudaSuccess,
         "the driver's function");
  const auto expect_first_unused = [&](const std::string& what) {
    unsigned flags = 0;
    int active = 1;
    reinterpret_cast<decltype(&cuDevicePrimaryCtxGetState)>(entry)(0, &flags, &active);
    expect(active == 0, what + ": the first device is not started");
  };
  set_current_device(1);
  const auto keys = make_keys<std::uint32_t>(std::size_t{8} << 20);
  const storage<std::uint32_t> data{memory::device, keys};
  auto on_host = keys;
  gpu::sort(gpu::par.require_device(), on_host);
  expect_first_unused("host data");
  on_host = keys;
  gpu::sort(gpu::par.require_device().with_memory_limit(std::size_t{4} << 20), on_host);
  expect_none(sort_problem(keys, on_host, natural_less{}), "host data in runs");
  expect_first_unused("host data in runs");
  std::thread{[&] {
    gpu::sort(gpu::par, gpu::device_span{data.data(), data.size()});
    expect(current_device() == 0, "the thread's own device, as before");
  }}.join();
  expect_first_unused("a thread that has set no device");
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "device data");
}

TEST_CASE("device environments: figures") {
  if (!in_child() && gpu::device_count() > 0) figure("device environments passed", passed);
}
