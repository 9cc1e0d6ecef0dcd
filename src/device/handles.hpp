// CUDA's streams and events as values that clean up after themselves.
#pragma once

#include <gpu/detail/device/launching/launch.cuh>
#include <gpu/detail/device/launching/wait.cuh>

#include <utility>

namespace gpu::inline v1::detail::device {

/// Whether a CUDA call succeeded. Clears an error from the runtime's last error, which belongs to the caller.
inline bool granted(cudaError_t answer) noexcept {
  if (answer == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}

/// During its lifetime, this thread may make CUDA calls that are unrelated to the streams being captured, by it or by
/// other threads, but that such captures prohibit.
class beside_captures {
 public:
  beside_captures() noexcept : exchanged_{exchange()} {}
  beside_captures(const beside_captures&) = delete;
  beside_captures& operator=(const beside_captures&) = delete;
  ~beside_captures() {
    if (exchanged_) (void)exchange();
  }

 private:
  bool exchange() noexcept { return granted(cudaThreadExchangeStreamCaptureMode(&mode_)); }

  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool exchanged_;
};

/// Waits for a stream, even while another thread captures in global mode: a refused wait would end that capture.
inline cudaError_t synchronize(cudaStream_t stream) noexcept {
  const beside_captures unhindered;
  return cudaStreamSynchronize(stream);
}

/// A stream of the current device that waits for no other, the legacy default stream included.
class own_stream {
 public:
  own_stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { (void)cudaStreamDestroy(handle_); }
  [[nodiscard]] cudaStream_t get() const noexcept { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// An event of the current device, for ordering only.
class own_event {
 public:
  own_event() { check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming)); }
  own_event(own_event&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  own_event& operator=(own_event&&) = delete;
  ~own_event() {
    if (handle_) (void)cudaEventDestroy(handle_);
  }
  [[nodiscard]] cudaEvent_t get() const noexcept { return handle_; }
  /// Records the event after the work that is on the stream by now.
  void record(cudaStream_t stream) const {
    ask(stream, [&] { return cudaEventRecord(handle_, stream); });
  }
  /// Waits for the work on `stream` before the last record().
  void wait(cudaStream_t stream) const {
    const beside_captures unhindered;
    ask(stream, [&] { return cudaEventSynchronize(handle_); });
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

/// Has a stream wait for an event.
inline void wait_for(cudaEvent_t event, cudaStream_t stream) {
  ask(stream, [&] { return cudaStreamWaitEvent(stream, event); });
}

}  // namespace gpu::inline v1::detail::device
