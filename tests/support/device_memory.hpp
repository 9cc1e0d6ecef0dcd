// Device memory for tests in both kinds of translation units, without including CUDA headers.
#pragma once

#include <cstddef>

namespace testing {

/// Allocates memory of the current device. Ends the program if there is no device: check gpu::device_count() first.
void* allocate_device(std::size_t bytes);
void deallocate_device(void* pointer) noexcept;
/// Copies between any host or device memory; synchronises with the device.
void copy_any(void* to, const void* from, std::size_t bytes);
/// Waits for all work of the current device.
void synchronize_device();

int current_device();
void set_current_device(int ordinal);
/// Free memory of the current device in bytes.
std::size_t free_device_bytes();

}  // namespace testing
