// The one place where kernels are launched and CUDA's answers are checked.
#pragma once

#include <cuda.h>
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

/// Blocks, threads per block, dynamic shared memory in bytes; whether all blocks must be resident at once, to wait for
/// each other; and the line that asked.
struct shape {
  constexpr shape(std::size_t blocks, int threads, std::size_t shared_bytes = 0,
                  const std::source_location& where = std::source_location::current())
      : blocks{blocks}, threads{threads}, shared_bytes{shared_bytes}, where{where} {}
  std::size_t blocks;
  int threads;
  std::size_t shared_bytes;
  std::source_location where;
  bool cooperative = false;
};

/// Lets a kernel have so many bytes of dynamic shared memory. Asks the driver, since cudaFuncSetAttribute clears the
/// runtime's last error, which may be the caller's. Throws gpu::error.
inline void allow_shared(const void* kernel, std::size_t bytes, const std::source_location& where) {
  constexpr std::size_t default_limit = 48 * 1024;  // beyond this a kernel must opt in
  if (bytes <= default_limit) return;
  static const auto set_attribute = [&where] {
    constexpr unsigned version = 12000;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", &entry, version, cudaEnableDefault, &found), where);
    return reinterpret_cast<decltype(&cuFuncSetAttribute)>(entry);
  }();
  cudaFunction_t function{};
  check(cudaGetFuncBySymbol(&function, kernel), where);
  if (set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)) != CUDA_SUCCESS)
    throw_cuda_error(static_cast<int>(cudaErrorInvalidValue), where);
}

/// Enqueues kernel(arguments...) on the context's stream; nothing for 0 blocks. At most 2^31 - 1 blocks.
/// Throws gpu::error if the launch is refused; never reads the runtime's last error, which may be the caller's.
template <class... Parameters, class... Arguments>
void launch(const context& context, const shape& shape, void (*kernel)(Parameters...), Arguments... arguments) {
  if (shape.blocks == 0) return;
  allow_shared(reinterpret_cast<const void*>(kernel), shape.shared_bytes, shape.where);
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3{static_cast<unsigned>(shape.blocks)};
  configuration.blockDim = dim3{static_cast<unsigned>(shape.threads)};
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.stream = context.stream;
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  configuration.attrs = &together;
  configuration.numAttrs = shape.cooperative ? 1 : 0;
  check(cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...), shape.where);
}

/// A kernel's dynamic shared memory.
template <class Storage>
__device__ Storage& dynamic_shared() {
  extern __shared__ __align__(16) unsigned char memory[];
  return *reinterpret_cast<Storage*>(memory);
}

/// Blocks of `kernel` that fill the device once, for kernels that loop over their work.
template <class... Parameters>
std::size_t resident_blocks(const context& context, void (*kernel)(Parameters...), int threads,
                            std::size_t shared_bytes = 0,
                            const std::source_location& where = std::source_location::current()) {
  allow_shared(reinterpret_cast<const void*>(kernel), shared_bytes, where);
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
