// A stream of a test's own, and CUDA errors as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

namespace testing {

inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error{cudaGetErrorString(code)};
}

/// A stream that does not wait for the legacy default stream.
class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { cudaStreamDestroy(handle_); }
  [[nodiscard]] cudaStream_t get() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

}  // namespace testing
