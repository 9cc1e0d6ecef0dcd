// Device memory for tests of both kinds of translation units, without a CUDA header in sight.
#pragma once

#include <cstddef>

namespace testing {

/// Of the current device. Ends the program where there is none: ask gpu::device_count() first.
void* allocate_device(std::size_t bytes);
void deallocate_device(void* pointer) noexcept;
/// Either way, host or device memory; waits for the device.
void copy_any(void* to, const void* from, std::size_t bytes);
/// Waits for all work of the current device.
void synchronize_device();

int current_device();
void set_current_device(int ordinal);
/// Bytes of the current device's memory that are free.
std::size_t free_device_bytes();

}  // namespace testing
