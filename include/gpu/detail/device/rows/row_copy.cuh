// Copies single rows of one column.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpu::inline v1::detail::device {

/// Rows of one column, and where some of them go.
struct row_copy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t bytes = 0;

  row_copy() = default;
  row_copy(const void* from, void* to, std::size_t bytes)
      : from{static_cast<const std::byte*>(from)}, to{static_cast<std::byte*>(to)}, bytes{bytes} {}

  /// Copies row `source` to row `target`; called by `lanes` threads with different `lane`.
  __device__ void copy(std::size_t source, std::size_t target, unsigned lane = 0, unsigned lanes = 1) const {
    const std::byte* const row = from + source * bytes;
    std::byte* const output = to + target * bytes;
    if ((reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to) | bytes) % 4 == 0)
      for (std::size_t i = lane; i < bytes / 4; i += lanes)
        reinterpret_cast<unsigned*>(output)[i] = reinterpret_cast<const unsigned*>(row)[i];
    else
      for (std::size_t i = lane; i < bytes; i += lanes) output[i] = row[i];
  }
};

}  // namespace gpu::inline v1::detail::device
