// Memory of a rank: scratch beside its elements, copies, and single elements of arrays on a device.
#pragma once

#include <cstddef>

#include "../../communicator.hpp"
#include "../../execution.hpp"
#include "../boundary/array_view.hpp"
#include "../boundary/request.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail {

/// Elements first, first + distance … of an array, so many.
struct strided_elements {
  std::size_t first = 0;
  std::size_t distance = 1;
  std::size_t count = 0;

  [[nodiscard]] GPUPAR_HOST_DEVICE std::size_t index(std::size_t i) const noexcept { return first + i * distance; }
};

/// Scratch that what works on data at `at` reaches: device memory of the same device by the policy's resource, else
/// host memory, on 64 bytes or as much as is asked for. Throws std::bad_alloc.
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

/// Copies between arrays of which either may be device memory; done when it returns.
GPUPAR_EXPORT void copy_rank_bytes(void* to, const void* from, std::size_t bytes, const execution_options& options);

/// Elements of an array in device memory, one after the other in host memory. Waits for the stream.
GPUPAR_EXPORT void read_device_elements(const void* data, std::size_t element_bytes, array_view<strided_elements> which,
                                        void* to, const execution_options& options);

/// Writes the indices first, first + 1 … as `count` integers of 4 or 8 bytes, wherever their memory is. The shared
/// library keeps this name: docs/compatibility.md.
GPUPAR_EXPORT void write_places(void* to, std::size_t bytes, std::size_t first, std::size_t count,
                                const execution_options& options);
void write_device_indices(void* to, std::size_t bytes, std::size_t first, std::size_t count, stream_handle stream);

/// Waits for the work on a stream.
GPUPAR_EXPORT void await_device_work(stream_handle stream);

/// A copy from device memory to device memory, perhaps of another device.
struct device_copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};
/// Enqueues copies from other devices one after the other, and beside them one within the device that is current, which
/// is done on return. The stream has nothing to do.
void copy_device_bytes(const device_copy& own, array_view<device_copy> others, stream_handle stream);

// Memory of the library's pool of the device that is current, or of the resource.
[[nodiscard]] void* allocate_device_bytes(const location& at, std::size_t bytes, memory_resource* resource,
                                          stream_handle stream);
void deallocate_device_bytes(const location& at, void* data, std::size_t bytes, memory_resource* resource,
                             stream_handle stream) noexcept;
void copy_any_bytes(void* to, const void* from, std::size_t bytes, stream_handle stream);

/// Bytes through a communicator whatever it carries: device memory through host memory if need be.
GPUPAR_EXPORT void exchange_bytes(communicator& ranks, exchanged_bytes what, const execution_options& options);

}  // namespace gpu::inline v1::detail
