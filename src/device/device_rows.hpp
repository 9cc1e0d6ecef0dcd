// Rows of host data on the device: device columns for them, and the segments that copy parts of them.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/context.hpp>

#include <cstddef>
#include <vector>

#include "transfers.hpp"

namespace gpu::inline v1::detail::device {

[[nodiscard]] inline std::size_t row_bytes(const std::vector<column>& columns) {
  std::size_t bytes = 0;
  for (const column& each : columns) bytes += each.element_bytes;
  return bytes;
}

/// The columns from row `begin` on.
[[nodiscard]] inline std::vector<column> rows_from(std::vector<column> columns, std::size_t begin) {
  for (column& each : columns) each.data = static_cast<std::byte*>(each.data) + begin * each.element_bytes;
  return columns;
}

/// Adds the segments that copy n rows between columns on the device and on the host.
inline void add_segments(std::vector<segment>& all, const std::vector<column>& on_device,
                         const std::vector<column>& on_host, std::size_t n, cudaEvent_t ready = nullptr) {
  for (std::size_t c = 0; c < on_device.size() && n > 0; ++c)
    all.push_back({on_device[c].data, on_host[c].data, n * on_device[c].element_bytes, ready});
}

/// Device memory for n rows of columns with the same element sizes as `like`, freed in stream order.
class device_rows {
 public:
  /// Throws no_device_memory.
  device_rows(const context& context, const std::vector<column>& like, std::size_t n)
      : context_{context}, columns_{like}, bytes_{bytes_for(like, n)} {
    memory_ = allocate(context, bytes_, alignment);
    auto* next = static_cast<std::byte*>(memory_);
    for (column& each : columns_) {
      each.data = next;
      next += padded(n * each.element_bytes);
    }
  }
  device_rows(const device_rows&) = delete;
  device_rows& operator=(const device_rows&) = delete;
  ~device_rows() { context_.resource->deallocate(memory_, bytes_, alignment, context_.stream); }

  [[nodiscard]] const std::vector<column>& columns() const noexcept { return columns_; }

  [[nodiscard]] static std::size_t bytes_for(const std::vector<column>& columns, std::size_t n) {
    std::size_t bytes = 0;
    for (const column& each : columns) bytes += padded(n * each.element_bytes);
    return bytes;
  }

 private:
  static constexpr std::size_t alignment = 256;
  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  const context& context_;
  std::vector<column> columns_;
  std::size_t bytes_;
  void* memory_;
};

}  // namespace gpu::inline v1::detail::device
