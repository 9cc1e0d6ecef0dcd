// CUDA's return codes as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <new>
#include <stdexcept>
#include <string>

namespace bench {

/// Throws std::bad_alloc if there is too little memory, std::runtime_error for any other failure.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc{};
  throw std::runtime_error{std::string{"CUDA: "} + cudaGetErrorString(status)};
}

}  // namespace bench
