// The one place where kernels are launched and CUDA's answers are checked.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <source_location>

#include "../../error.hpp"
#include "context.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Throws std::bad_alloc or gpu::error for a CUDA error, with the place in the message; clears it as the runtime's last
/// error, which was ours.
GPUPAR_EXPORT void throw_cuda_error(int code, const std::source_location& where);

inline void check(cudaError_t code, const std::source_location& where = std::source_location::current()) {
  if (code != cudaSuccess) throw_cuda_error(static_cast<int>(code), where);
}

/// Blocks, threads per block, dynamic shared memory in bytes; and the line that asked.
struct shape {
  constexpr shape(std::size_t blocks, int threads, std::size_t shared_bytes = 0,
                  const std::source_location& where = std::source_location::current())
      : blocks{blocks}, threads{threads}, shared_bytes{shared_bytes}, where{where} {}
  std::size_t blocks;
  int threads;
  std::size_t shared_bytes;
  std::source_location where;
};

/// Enqueues kernel(arguments...) on the context's stream; nothing for 0 blocks. At most 2^31 - 1 blocks.
/// Throws gpu::error if the launch is refused; never reads the runtime's last error, which may be the caller's.
template <class... Parameters, class... Arguments>
void launch(const context& context, const shape& shape, void (*kernel)(Parameters...), Arguments... arguments) {
  if (shape.blocks == 0) return;
  constexpr std::size_t default_shared_limit = 48 * 1024;  // beyond this a kernel must opt in
  if (shape.shared_bytes > default_shared_limit)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.shared_bytes)),
          shape.where);
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3{static_cast<unsigned>(shape.blocks)};
  configuration.blockDim = dim3{static_cast<unsigned>(shape.threads)};
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.stream = context.stream;
  check(cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...), shape.where);
}

/// Blocks of `kernel` that fill the device once, for kernels that loop over their work.
template <class... Parameters>
std::size_t resident_blocks(const context& context, void (*kernel)(Parameters...), int threads,
                            std::size_t shared_bytes = 0,
                            const std::source_location& where = std::source_location::current()) {
  int per_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, reinterpret_cast<const void*>(kernel),
                                                      threads, shared_bytes),
        where);
  return static_cast<std::size_t>(per_multiprocessor > 0 ? per_multiprocessor : 1) *
         static_cast<std::size_t>(context.device.multiprocessors);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
