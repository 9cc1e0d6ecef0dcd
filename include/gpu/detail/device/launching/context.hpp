// What a driver passes to everything it calls: the device and stream to work on, and the source of scratch memory.
#pragma once

#include <cstddef>
#include <new>

#include "../../../memory.hpp"
#include "../../boundary/request.hpp"
#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// Properties of a device, or of the part of it that a call may count on.
struct device_properties {
  int ordinal = 0;
  int compute_capability = 0;  ///< 90 for 9.0
  int multiprocessors = 0;
  std::size_t shared_bytes_per_block = 0;  ///< including the opt-in
  bool cooperative = false;                ///< blocks of one grid can wait for each other
  bool clusters = false;                   ///< neighbouring multiprocessors are free together, for clusters
  bool shares_host_words = false;          ///< page-locked host memory has the same address on the device
};

class call_end;

/// The context of one call. Only launch, scratch and error code look inside; drivers pass it on.
struct context {
  stream_handle stream = nullptr;
  memory_resource* resource = nullptr;
  device_properties device;
  call_end* end = nullptr;  ///< signalled by the last kernel; null if the stream is waited for
};

/// Allocates memory on the context's stream. Throws no_device_memory; called before anything is written.
[[nodiscard]] inline void* allocate(const context& work, std::size_t bytes, std::size_t alignment) {
  try {
    if (void* const memory = work.resource->allocate(bytes, alignment, work.stream)) return memory;
  } catch (const std::bad_alloc&) {
  }
  throw no_device_memory{};
}

/// Properties of a device, read once per process.
[[nodiscard]] GPUPAR_EXPORT const device_properties& properties(int ordinal);

/// The smallest shared-memory limit per block among all devices. Read once per process, so that tiles and scratch
/// depend on n alone.
[[nodiscard]] GPUPAR_EXPORT std::size_t least_shared_bytes();

}  // namespace gpu::inline v1::detail::device
