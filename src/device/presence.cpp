// Whether this process has devices, and why not.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/plan.hpp>

#include <cuda_runtime_api.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "runtime.hpp"

namespace gpu::inline v1 {
namespace {

/// CUDA cannot be used in the children of a process that has used it: they run without a device. A fork handler sets
/// this, since checking the process ID takes longer than sorting a few elements.
std::atomic<bool> is_child{false};

/// CUDA's answer about its devices, queried once.
struct found_devices {
  int count = 0;
  cudaError_t answer;

  found_devices() noexcept : answer{cudaGetDeviceCount(&count)} {
    if (answer == cudaSuccess && count > 0) {
      (void)pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
      return;
    }
    (void)cudaGetLastError();
    count = 0;
  }
};

const found_devices& devices() noexcept {
  static const found_devices found;
  return found;
}

std::string in_words(int version) {  // 13000 is CUDA 13.0
  return "CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

/// Describes why there is no device, given CUDA's answer.
std::string problem_in_words(cudaError_t answer) {
  if (answer == cudaErrorInsufficientDriver) {
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess) (void)cudaGetLastError();
    if (version == 0) return "there is no CUDA driver: install NVIDIA's for " + in_words(CUDART_VERSION) + " or newer";
    return "the CUDA driver is too old: it serves " + in_words(version) + " and this program has " +
           in_words(CUDART_VERSION) + ", so update the driver";
  }
  if (answer == cudaErrorNoDevice || answer == cudaSuccess) {
    if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
      return std::string{"CUDA_VISIBLE_DEVICES=\""} + visible + "\" leaves no CUDA device: unset it";
    return "the CUDA driver finds no device: see what nvidia-smi lists; a container must be given its devices";
  }
  return std::string{"CUDA cannot use a device: "} + cudaGetErrorString(answer) + " (" + cudaGetErrorName(answer) + ')';
}

}  // namespace

int device_count() noexcept { return detail::device::is_forked() ? 0 : devices().count; }

namespace detail {

bool device::is_forked() noexcept {
  (void)devices();  // from then on the fork handler is installed
  return is_child.load(std::memory_order_relaxed);
}

const char* device_problem() noexcept {
  if (device::is_forked())
    return "this process was forked off one that uses CUDA, which its children cannot: start another program";
  try {
    static const auto& words = *new std::string{problem_in_words(devices().answer)};
    return words.c_str();
  } catch (const std::bad_alloc&) {
    return "CUDA finds no device";
  }
}

}  // namespace detail
}  // namespace gpu::inline v1
