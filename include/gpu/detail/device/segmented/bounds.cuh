// Bounds of segments where kernels can read them.
#pragma once

#include <cstddef>

#include "../../boundary/request.hpp"
#include "../../calls/segments.hpp"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"

namespace gpu::inline v1::detail::device {

/// Device memory for those bounds that are in host memory.
class bounds_copy {
 public:
  bounds_copy(carver& carve, const segment_bounds& bounds)
      : begins_{carve.take<std::byte>(host_bytes(bounds.begins, begins_bytes(bounds)))},
        ends_{carve.take<std::byte>(bounds.are_neighbours() ? 0
                                                            : host_bytes(bounds.ends, bounds.count * bounds.bytes))} {}

  /// The bounds, copied if need be, on the context's stream. Pageable memory has been read when this returns.
  [[nodiscard]] segment_bounds bring(const context& context, segment_bounds bounds) const {
    const bool neighbours = bounds.are_neighbours();
    bounds.begins = brought(context, begins_, bounds.begins, begins_bytes(bounds));
    bounds.ends = neighbours ? static_cast<const std::byte*>(bounds.begins) + bounds.bytes
                             : brought(context, ends_, bounds.ends, bounds.count * bounds.bytes);
    return bounds;
  }

 private:
  static std::size_t begins_bytes(const segment_bounds& bounds) {
    return (bounds.count + (bounds.are_neighbours() ? 1 : 0)) * bounds.bytes;
  }
  static std::size_t host_bytes(const void* data, std::size_t bytes) { return staging_bytes(locate(data), bytes); }
  static const void* brought(const context& context, std::byte* copy, const void* data, std::size_t bytes) {
    if (host_bytes(data, bytes) == 0) return data;
    device::copy_bytes(context.stream, copy, data, bytes, cudaMemcpyHostToDevice);
    return copy;
  }

  std::byte* begins_;
  std::byte* ends_;
};

}  // namespace gpu::inline v1::detail::device
