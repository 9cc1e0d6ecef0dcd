// The part of a device that the kernels of a call may count on: the multiprocessors of a green context, or no more than
// are free at any time.
#include <cuda.h>

#include "handles.hpp"
#include "runtime.hpp"

namespace gpu::inline v1::detail::device {
namespace {

/// A function of the driver, or null if the driver has none of that name.
template <class Function>
Function driver_function(const char* name) noexcept {
  constexpr unsigned version = 13000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const bool known = granted(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found));
  return known ? reinterpret_cast<Function>(entry) : nullptr;
}

/// Multiprocessors of the green context that a stream belongs to, or that is current and has the stream as its default
/// one; 0 if there is none. Allowed while the stream is captured.
int green_multiprocessors(stream_handle stream) noexcept {
  static const auto context_of = driver_function<decltype(&cuStreamGetGreenCtx)>("cuStreamGetGreenCtx");
  static const auto resource_of = driver_function<decltype(&cuGreenCtxGetDevResource)>("cuGreenCtxGetDevResource");
  if (context_of == nullptr || resource_of == nullptr) return 0;
  CUgreenCtx green = nullptr;
  if (context_of(stream, &green) != CUDA_SUCCESS || green == nullptr) return 0;
  CUdevResource resource{};
  if (resource_of(green, &resource, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) return 0;
  return static_cast<int>(resource.sm.smCount);
}

}  // namespace

device_properties part_of(const device_properties& device, stream_handle stream, bool beside_others) noexcept {
  device_properties part = device;
  const int own = green_multiprocessors(stream);
  const bool is_green = own > 0 && own < device.multiprocessors;
  if (is_green) {
    part.multiprocessors = own;
    part.clusters = false;  // its multiprocessors need not be adjacent
  }
  if (beside_others) part.cooperative = part.clusters = false;
  return part;
}

}  // namespace gpu::inline v1::detail::device
