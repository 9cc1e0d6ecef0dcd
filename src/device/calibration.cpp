// The cost of calls on the device on this machine: a few copies, timed once per process.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <vector>

#include "../cost.hpp"
#include "handles.hpp"

namespace gpu::inline v1::detail {
namespace {

using namespace device;

constexpr std::size_t small_bytes = 4096;
constexpr std::size_t large_bytes = std::size_t{512} << 10;

/// Memory for the copies.
template <cudaError_t (*Allocate)(void**, std::size_t), cudaError_t (*Free)(void*)>
class copied_memory {
 public:
  copied_memory() { check(Allocate(&memory_, large_bytes)); }
  copied_memory(const copied_memory&) = delete;
  copied_memory& operator=(const copied_memory&) = delete;
  ~copied_memory() { (void)Free(memory_); }
  [[nodiscard]] void* get() const noexcept { return memory_; }

 private:
  void* memory_ = nullptr;
};
using device_memory = copied_memory<cudaMalloc, cudaFree>;
using pinned_memory = copied_memory<cudaMallocHost, cudaFreeHost>;

/// Seconds of a copy to the device, some work there and a copy back: the least of several, since disturbances only add.
double round_trip(const own_stream& stream, void* on_device, void* on_host, std::size_t bytes) {
  using clock = std::chrono::steady_clock;
  double least = 1;
  for (int i = 0; i < 5; ++i) {
    const auto start = clock::now();
    check(cudaMemcpyAsync(on_device, on_host, bytes, cudaMemcpyHostToDevice, stream.get()));
    check(cudaMemsetAsync(on_device, 0, small_bytes, stream.get()));  // stands for a launch
    device::wait(stream.get());
    check(cudaMemcpyAsync(on_host, on_device, bytes, cudaMemcpyDeviceToHost, stream.get()));
    device::wait(stream.get());
    least = std::min(least, std::chrono::duration<double>(clock::now() - start).count());
  }
  return least;
}

machine_costs measure() {
  const beside_captures unhindered;
  const device_memory on_device;
  const pinned_memory pinned;
  const own_stream stream;
  std::vector<std::byte> pageable(large_bytes);
  const double latency = round_trip(stream, on_device.get(), pageable.data(), small_bytes);
  const auto speed = [&](void* on_host) {
    const double all = round_trip(stream, on_device.get(), on_host, large_bytes);
    constexpr double least = 1e-6;
    return 2.0 * (large_bytes - small_bytes) / std::max(all - latency, least);
  };
  return {latency, speed(pageable.data()), speed(pinned.get())};
}

machine_costs known_or_measured() {
  machine_costs known{};
  return parse_costs(std::getenv("GPUPAR_COST_MODEL"), known) ? known : measure();
}

/// The costs assumed as long as measuring fails: those of a machine on which no copy pays off.
constexpr machine_costs prohibitive{1, 1, 1};

}  // namespace

const machine_costs& costs_of_machine() {
  try {
    static const machine_costs costs = known_or_measured();  // tried again by the next call if it throws
    return costs;
  } catch (const std::exception&) {
    return prohibitive;
  }
}

}  // namespace gpu::inline v1::detail
