// What the library knows of the machine's devices and keeps per process.
#pragma once

#include <gpu/detail/device/launching/context.hpp>
#include <gpu/memory.hpp>

namespace gpu::inline v1::detail::device {

/// Whether this process was forked off one that uses CUDA: it has no devices.
[[nodiscard]] bool is_forked() noexcept;

/// The library's pool of a device: stream-ordered, lives as long as the process.
[[nodiscard]] memory_resource& default_resource(int ordinal);

/// Bytes of the current device's memory that the pool could hand out.
[[nodiscard]] std::size_t available_bytes();

/// What a call may take of it that would like so many bytes.
[[nodiscard]] std::size_t memory_for(const execution_options& options, std::size_t wanted);

/// The part of the current device that kernels on a stream may count on: that of the stream's green context, if it has
/// one. `beside_others`: kernels of others may stay on all multiprocessors but one.
[[nodiscard]] device_properties part_of(const device_properties& device, stream_handle stream,
                                        bool beside_others) noexcept;

/// Whether work on a stream is being captured, or the stream may not be waited for because of what another one
/// captures.
[[nodiscard]] bool is_captured(stream_handle stream) noexcept;

/// Has managed memory move to the device before kernels touch it page by page. A hint: what cannot be done is left out.
void prefetch(const context& context, const void* data, std::size_t bytes);

}  // namespace gpu::inline v1::detail::device
