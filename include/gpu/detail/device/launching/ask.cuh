// Where CUDA's answers are checked.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

#include "../../../error.hpp"
#include "../../config.hpp"
#include "context.hpp"

namespace gpu::inline v1::detail::device {

/// Throws std::bad_alloc or gpu::error for a CUDA error, with the source location in the message; clears it as the
/// runtime's last error, which was ours.
GPUPAR_EXPORT void throw_cuda_error(int code, const std::source_location& where);

inline void check(cudaError_t code, const std::source_location& where = std::source_location::current()) {
  if (code != cudaSuccess) throw_cuda_error(static_cast<int>(code), where);
}

/// After CUDA has refused something on a stream: forgets that, waits for the stream, and tells whether asking again is
/// worth while. It is not if the stream is being captured, and must not be waited for, or if waiting fails.
[[nodiscard]] GPUPAR_EXPORT bool drained_after_refusal(stream_handle stream);

/// Asks CUDA by request(), and once more if it refuses, when the stream has drained. Between two launches of a sort the
/// elements are on their way: there a refusal that is final costs what a moment's wait may save. For launches, copies
/// and questions are refused for want of memory or of room in a queue too, which the work under way gives back.
/// Throws std::bad_alloc or gpu::error for the second refusal.
template <class Request>
void ask(stream_handle stream, Request request, const std::source_location& where = std::source_location::current()) {
  cudaError_t answer = request();
  if (answer != cudaSuccess && drained_after_refusal(stream)) answer = request();
  check(answer, where);
}

}  // namespace gpu::inline v1::detail::device
