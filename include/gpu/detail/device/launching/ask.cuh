// Checking of the CUDA API's return codes.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

#include "../../../error.hpp"
#include "../../config.hpp"
#include "context.hpp"

namespace gpu::inline v1::detail::device {

/// Throws std::bad_alloc or gpu::error for a CUDA error, with the source location in the message; clears the runtime's
/// last error, which this call has set.
GPUPAR_EXPORT void throw_cuda_error(int code, const std::source_location& where);

inline void check(cudaError_t code, const std::source_location& where = std::source_location::current()) {
  if (code != cudaSuccess) throw_cuda_error(static_cast<int>(code), where);
}

/// Called after CUDA has refused a request on a stream: clears the error, waits for the stream, and returns whether
/// retrying is worth while. It is not if the stream is being captured, and so must not be waited for, or if waiting
/// fails.
[[nodiscard]] GPUPAR_EXPORT bool drained_after_refusal(stream_handle stream);

/// Makes a CUDA request by request(), and retries once if it is refused and the stream can be drained. Between two
/// launches of a sort the elements are in an intermediate state: giving up there would lose what a moment's wait may
/// save. Launches, copies and queries can also be refused for want of memory or of room in a queue, which the work
/// under way gives back. Throws std::bad_alloc or gpu::error for the second refusal.
template <class Request>
void ask(stream_handle stream, Request request, const std::source_location& where = std::source_location::current()) {
  cudaError_t answer = request();
  if (answer != cudaSuccess && drained_after_refusal(stream)) answer = request();
  check(answer, where);
}

}  // namespace gpu::inline v1::detail::device
