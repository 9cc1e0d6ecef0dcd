// Waiting for streams, what may be done while one is captured, and CUDA's errors as exceptions.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/plan.hpp>

#include <new>
#include <string>

#include "handles.hpp"
#include "runtime.hpp"

namespace gpu::inline v1::detail {
namespace device {

bool is_captured(stream_handle stream) noexcept {
  cudaStreamCaptureStatus capturing{};
  return !granted(cudaStreamIsCapturing(stream, &capturing)) || capturing != cudaStreamCaptureStatusNone;
}

void wait(stream_handle stream, const std::source_location& where) { check(synchronize(stream), where); }

bool drained_after_refusal(stream_handle stream) {
  (void)cudaGetLastError();
  return !is_captured(stream) && granted(synchronize(stream));
}

void throw_cuda_error(int code, const std::source_location& where) {
  (void)cudaGetLastError();
  if (code == cudaErrorMemoryAllocation) throw std::bad_alloc{};
  throw error{{code, cuda_category()},
              std::string{"gpupar: "} + where.file_name() + ':' + std::to_string(where.line()) + ": CUDA refused"};
}

}  // namespace device

void await_stream(const location& at, const execution_options& options) noexcept {
  if (at.kind == memory_kind::pageable && options.stream == nullptr) return;
  if (device_count() == 0 || device::is_captured(options.stream)) return;
  (void)device::synchronize(options.stream);  // errors there are the caller's, and stay visible to the caller
}

void refuse_capture(stream_handle stream) {
  if (device_count() > 0 && device::is_captured(stream))
    refuse(errc::device_unsupported,
           "a resource without streams cannot serve a stream that is being captured: a graph uses its memory at every "
           "launch. Leave .with() out, or pass a resource whose deallocation takes a stream");
}

bool wait_for_work(stream_handle stream) noexcept {
  if (device_count() == 0) return true;
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  const cudaError_t answer = cudaStreamIsCapturing(stream, &capturing);
  if (capturing != cudaStreamCaptureStatusNone) return false;
  if (answer == cudaSuccess && device::synchronize(stream) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return answer != cudaErrorStreamCaptureImplicit;  // on a lost device, no work is running any more
}

}  // namespace gpu::inline v1::detail
