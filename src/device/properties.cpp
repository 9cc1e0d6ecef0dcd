// The properties of devices, queried once.
#include <gpu/detail/device/launching/launch.cuh>

#include <algorithm>
#include <memory>

#include "per_device.hpp"
#include "runtime.hpp"

namespace gpu::inline v1::detail::device {

const device_properties& properties(int ordinal) {
  static auto& known = *new per_device<device_properties>;
  return known.get(ordinal, [&] {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, ordinal));
    return std::make_unique<device_properties>(
        device_properties{ordinal, device.major * 10 + device.minor, device.multiProcessorCount,
                          static_cast<std::size_t>(device.sharedMemPerBlockOptin), device.cooperativeLaunch != 0,
                          device.clusterLaunch != 0, device.canUseHostPointerForRegisteredMem != 0});
  });
}

std::size_t least_shared_bytes() {
  static const std::size_t least = [] {
    std::size_t bytes = 0;
    for (int ordinal = 0; ordinal < device_count(); ++ordinal) {
      const std::size_t own = properties(ordinal).shared_bytes_per_block;
      bytes = ordinal == 0 ? own : std::min(bytes, own);
    }
    return bytes;
  }();
  return least;
}

}  // namespace gpu::inline v1::detail::device
