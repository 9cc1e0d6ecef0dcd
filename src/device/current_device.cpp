// A thread that has not used CUDA has no context; the runtime would create one on device 0, or on the device that was
// set. The driver keeps contexts on a stack instead, and the runtime uses the device of the one on top.
#include "current_device.hpp"

#include <gpu/detail/device/launching/launch.cuh>

#include <cuda.h>

namespace gpu::inline v1::detail::device {
namespace {

struct context_functions {
  decltype(&cuDevicePrimaryCtxRetain) retain;
  decltype(&cuDevicePrimaryCtxRelease) release;
  decltype(&cuCtxPushCurrent) push;
  decltype(&cuCtxPopCurrent) pop;
};

template <class Function>
Function find(const char* name) {
  constexpr unsigned version = 12000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found));
  if (entry == nullptr) check(cudaErrorSymbolNotFound);
  return reinterpret_cast<Function>(entry);
}

const context_functions& contexts() {
  static const context_functions found{find<decltype(&cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain"),
                                       find<decltype(&cuDevicePrimaryCtxRelease)>("cuDevicePrimaryCtxRelease"),
                                       find<decltype(&cuCtxPushCurrent)>("cuCtxPushCurrent"),
                                       find<decltype(&cuCtxPopCurrent)>("cuCtxPopCurrent")};
  return found;
}

/// The driver's error codes have the values of the runtime's.
void check_driver(CUresult answer) { check(static_cast<cudaError_t>(answer)); }

}  // namespace

void enter_device(int ordinal) {
  const context_functions& driver = contexts();
  CUcontext context = nullptr;
  check_driver(driver.retain(&context, ordinal));
  const CUresult answer = driver.push(context);
  if (answer != CUDA_SUCCESS) (void)driver.release(ordinal);
  check_driver(answer);
}

void leave_device(int ordinal) noexcept {
  CUcontext left = nullptr;
  (void)contexts().pop(&left);  // enter_device() has looked these up, so this cannot throw
  (void)contexts().release(ordinal);
}

current_device::current_device(int ordinal) : ordinal_{ordinal} {
  check(cudaGetDevice(&former_));
  if (former_ != ordinal_) enter_device(ordinal_);
}

current_device::~current_device() {
  if (former_ != ordinal_) leave_device(ordinal_);
}

}  // namespace gpu::inline v1::detail::device
