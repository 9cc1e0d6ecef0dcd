// What the library knows about the machine's devices, and what it keeps per process.
#pragma once

#include <gpu/detail/device/launching/context.hpp>
#include <gpu/memory.hpp>

namespace gpu::inline v1::detail::device {

/// Whether this process was forked from one that uses CUDA: it then has no devices.
[[nodiscard]] bool is_forked() noexcept;

/// The library's pool of a device: stream-ordered, lives as long as the process.
[[nodiscard]] memory_resource& default_resource(int ordinal);

/// Bytes of the current device's memory that the pool could hand out.
[[nodiscard]] std::size_t available_bytes();

/// How many of these bytes a call that wants `wanted` may take.
[[nodiscard]] std::size_t memory_for(const execution_options& options, std::size_t wanted);

/// The part of the current device that kernels on a stream may count on: that of the stream's green context, if it has
/// one. `beside_others`: others' kernels may occupy all multiprocessors but one throughout.
[[nodiscard]] device_properties part_of(const device_properties& device, stream_handle stream,
                                        bool beside_others) noexcept;

/// Whether work on a stream is being captured, or waiting for the stream is not allowed because of another one's
/// capture.
[[nodiscard]] bool is_captured(stream_handle stream) noexcept;

/// Requests that managed memory be moved to the device before kernels touch it page by page. A hint: failures are
/// ignored.
void prefetch(const context& context, const void* data, std::size_t bytes);

}  // namespace gpu::inline v1::detail::device
