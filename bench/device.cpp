#include "device.hpp"

#include <cuda_runtime.h>
#include <gpu/plan.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iomanip>
#include <new>
#include <sstream>

#include "cuda_check.hpp"
#include "memory.hpp"

namespace bench {
namespace {

class event_clock final : public clock {
 public:
  event_clock() { check(cudaEventCreate(&start_)), check(cudaEventCreate(&stop_)); }
  event_clock(const event_clock&) = delete;
  event_clock& operator=(const event_clock&) = delete;
  ~event_clock() override { (void)cudaEventDestroy(start_), (void)cudaEventDestroy(stop_); }

  double time(const std::function<void()>& call) override {
    check(cudaDeviceSynchronize());
    check(cudaEventRecord(start_));
    call();
    check(cudaEventRecord(stop_));
    check(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds / 1e3;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

std::string text_of(double number) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << number;
  return text.str();
}

/// The speed of the fastest of a few copies, in GB/s.
double copy_speed(place to, place from, std::size_t bytes) {
  const block source{from, bytes}, target{to, bytes};
  check(cudaMemset(from == place::device ? source.data() : target.data(), 1, bytes));
  event_clock watch;
  double best = 1e9;
  for (int i = 0; i < 6; ++i)
    best = std::min(
        best, watch.time([&] { check(cudaMemcpyAsync(target.data(), source.data(), bytes, cudaMemcpyDefault)); }));
  return static_cast<double>(bytes) / best / 1e9;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

/// The output of nvidia-smi about comma-separated properties of this device; empty without nvidia-smi.
std::string ask_driver(const std::string& properties) {
  std::array<char, 32> bus{};
  check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), 0));
  const std::string command =
      "nvidia-smi --format=csv,noheader,nounits --query-gpu=" + properties + " -i " + bus.data() + " 2>/dev/null";
  std::string answer;
  if (auto* const pipe = popen(command.c_str(), "r")) {
    std::array<char, 256> line{};
    if (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) answer = line.data();
    if (pclose(pipe) != 0) answer.clear();
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

}  // namespace

bool has_device() { return gpu::device_count() > 0; }

void* allocate_device(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, std::max<std::size_t>(bytes, 1)));
  return pointer;
}

void deallocate_device(void* pointer) noexcept { (void)cudaFree(pointer); }

std::size_t l2_bytes() { return static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)); }

std::unique_ptr<clock> make_event_clock() { return std::make_unique<event_clock>(); }

std::map<std::string, std::string> device_facts() {
  if (!has_device()) return {};
  constexpr std::size_t gigabyte = std::size_t{1} << 30;
  std::map<std::string, std::string> facts;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  facts["gpu"] = properties.name;
  facts["gpu_count"] = std::to_string(gpu::device_count());
  facts["cuda"] = version_text(runtime);
  facts["copy_gbytes_per_second"] = text_of(2 * copy_speed(place::device, place::device, 2 * gigabyte));
  // The clocks are read just after work, so they are those under load.
  std::istringstream answer{ask_driver("clocks.sm,clocks.mem,driver_version")};
  int sm = 0, memory = 0;
  char comma = 0;
  std::string version;
  if (answer >> sm >> comma >> memory >> comma >> version) {
    facts["driver"] = version;
    facts["sm_clock_mhz"] = std::to_string(sm);
    facts["memory_clock_mhz"] = std::to_string(memory);
  } else {
    facts["driver"] = "for CUDA " + version_text(driver);
    facts["sm_clock_mhz"] = std::to_string(attribute(cudaDevAttrClockRate) / 1000);
    facts["memory_clock_mhz"] = std::to_string(attribute(cudaDevAttrMemoryClockRate) / 1000);
  }
  facts["h2d_gbytes_per_second"] = text_of(copy_speed(place::device, place::pinned, gigabyte / 4));
  facts["d2h_gbytes_per_second"] = text_of(copy_speed(place::pinned, place::device, gigabyte / 4));
  return facts;
}

}  // namespace bench
