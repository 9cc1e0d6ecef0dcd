// Memory of a rank: scratch in addition to its elements, copies, and reads of individual elements of arrays on a
// device.
#pragma once

#include <cstddef>

#include "../../communicator.hpp"
#include "../../execution.hpp"
#include "../boundary/array_view.hpp"
#include "../boundary/request.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail {

/// The `count` elements first, first + distance … of an array.
struct strided_elements {
  std::size_t first = 0;
  std::size_t distance = 1;
  std::size_t count = 0;

  [[nodiscard]] GPUPAR_HOST_DEVICE std::size_t index(std::size_t i) const noexcept { return first + i * distance; }
};

/// Scratch for work on data at `at`: memory of the same device from the policy's resource if the data are in device
/// memory, otherwise host memory; aligned to 64 bytes or to `alignment` if that is more. Throws std::bad_alloc.
class GPUPAR_EXPORT rank_memory {
 public:
  rank_memory(const location& at, std::size_t bytes, std::size_t alignment, const execution_options& options);
  rank_memory(const rank_memory&) = delete;
  rank_memory& operator=(const rank_memory&) = delete;
  ~rank_memory();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] bool on_device() const noexcept { return at_.kind == memory_kind::device; }

 private:
  location at_;
  std::size_t bytes_;
  std::size_t alignment_;
  stream_handle stream_;
  memory_resource* resource_;
  std::byte* data_ = nullptr;
};

/// Copies between arrays, each in host or device memory; the copy is complete on return.
GPUPAR_EXPORT void copy_rank_bytes(void* to, const void* from, std::size_t bytes, const execution_options& options);

/// Copies elements of an array in device memory to consecutive places in host memory. Synchronises with the stream.
GPUPAR_EXPORT void read_device_elements(const void* data, std::size_t element_bytes, array_view<strided_elements> which,
                                        void* to, const execution_options& options);

/// Writes the indices first, first + 1 … as `count` integers of 4 or 8 bytes, to host or device memory. The shared
/// library keeps this name: docs/compatibility.md.
GPUPAR_EXPORT void write_places(void* to, std::size_t bytes, std::size_t first, std::size_t count,
                                const execution_options& options);
void write_device_indices(void* to, std::size_t bytes, std::size_t first, std::size_t count, stream_handle stream);

/// Waits for the work on a stream.
GPUPAR_EXPORT void await_device_work(stream_handle stream);

/// A copy from device memory to device memory, possibly of another device.
struct device_copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};
/// Enqueues copies from other devices one after the other, and one within the current device: if that is large, it runs
/// concurrently with the others and is complete on return. The stream must be idle.
void copy_device_bytes(const device_copy& own, array_view<device_copy> others, stream_handle stream);

// Memory from the library's pool of the current device, or from the resource.
[[nodiscard]] void* allocate_device_bytes(const location& at, std::size_t bytes, memory_resource* resource,
                                          stream_handle stream);
void deallocate_device_bytes(const location& at, void* data, std::size_t bytes, memory_resource* resource,
                             stream_handle stream) noexcept;
void copy_any_bytes(void* to, const void* from, std::size_t bytes, stream_handle stream);

/// Exchanges bytes through any communicator: device memory passes through host memory if the communicator does not
/// support it.
GPUPAR_EXPORT void exchange_bytes(communicator& ranks, exchanged_bytes what, const execution_options& options);

}  // namespace gpu::inline v1::detail
