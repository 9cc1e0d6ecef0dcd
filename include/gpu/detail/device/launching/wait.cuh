// Waiting for a stream.
#pragma once

#include <source_location>

#include "../../config.hpp"
#include "context.hpp"

namespace gpu::inline v1::detail::device {

/// Waits for a stream, even while another thread captures in global mode, whose capture a refused wait would end.
/// Throws std::bad_alloc or gpu::error.
GPUPAR_EXPORT void wait(stream_handle stream, const std::source_location& where = std::source_location::current());

}  // namespace gpu::inline v1::detail::device
