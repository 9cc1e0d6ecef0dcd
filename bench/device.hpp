// What the benchmarks need from a CUDA device; without the device backend, no_device.cpp reports that there is none.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "measure.hpp"

namespace bench {

[[nodiscard]] bool has_device();

/// Throws std::bad_alloc.
[[nodiscard]] void* allocate_device(std::size_t bytes);
void deallocate_device(void* pointer) noexcept;

/// Bytes of the device's L2 cache.
[[nodiscard]] std::size_t l2_bytes();

/// Time between two events on the default stream, which is empty before and after.
[[nodiscard]] std::unique_ptr<clock> make_event_clock();

/// Facts about the device for the context of the results: GPU, driver, clocks, copy speeds.
[[nodiscard]] std::map<std::string, std::string> device_facts();

}  // namespace bench
