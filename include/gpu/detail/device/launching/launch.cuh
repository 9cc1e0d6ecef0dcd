// The one place where kernels are launched.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <source_location>
#include <type_traits>

#include "ask.cuh"
#include "call_end.hpp"
#include "context.hpp"
#include "kernels.cuh"

namespace gpu::inline v1::detail::device {

/// Enqueues zeros for memory[0, bytes) of the device.
inline void set_zero(const context& context, void* memory, std::size_t bytes,
                     const std::source_location& where = std::source_location::current()) {
  ask(context.stream, [&] { return cudaMemsetAsync(memory, 0, bytes, context.stream); }, where);
}

/// Enqueues a copy of bytes that do not overlap.
inline void copy_bytes(stream_handle stream, void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction,
                       const std::source_location& where = std::source_location::current()) {
  ask(stream, [&] { return cudaMemcpyAsync(to, from, bytes, direction, stream); }, where);
}

/// Blocks, threads per block, dynamic shared memory in bytes; whether all blocks must be resident at once, to wait for
/// each other; whether they may start early; how many of them, which divide all, form a cluster; and the line that
/// asked.
struct shape {
  constexpr shape(std::size_t blocks, int threads, std::size_t shared_bytes = 0,
                  const std::source_location& where = std::source_location::current())
      : blocks{blocks}, threads{threads}, shared_bytes{shared_bytes}, where{where} {}
  std::size_t blocks;
  int threads;
  std::size_t shared_bytes;
  std::source_location where;
  bool cooperative = false;
  bool early = false;
  int cluster = 1;
};

/// Enqueues a kernel of one block or more, whatever it means for the end of the call. CUDA reads the arguments, of the
/// kernel's own types, from these addresses.
inline void enqueue(const context& context, const shape& shape, kernel_symbol kernel, void** arguments) {
  device::allow_shared(context, kernel, shape.shared_bytes, shape.where);
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3{static_cast<unsigned>(shape.blocks)};
  configuration.blockDim = dim3{static_cast<unsigned>(shape.threads)};
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.stream = context.stream;
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchAttribute* next = attributes;
  if (shape.cooperative) {
    next->id = cudaLaunchAttributeCooperative;
    next++->val.cooperative = 1;
  } else if (shape.early && device::runs_code_for_90(context, kernel, shape.where)) {
    next->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    next++->val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    next->id = cudaLaunchAttributeClusterDimension;
    next++->val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  }
  configuration.attrs = attributes;
  configuration.numAttrs = static_cast<unsigned>(next - attributes);
  device::ask(
      context.stream, [&] { return cudaLaunchKernelExC(&configuration, kernel.address, arguments); }, shape.where);
}

/// Enqueues a kernel that others of the call may follow; nothing for 0 blocks.
inline void enqueue_before_others(const context& context, const shape& shape, kernel_symbol kernel, void** arguments) {
  if (shape.blocks == 0) return;
  if (context.end != nullptr) context.end->withdraw();
  device::enqueue(context, shape, kernel, arguments);
}

/// Enqueues kernel(arguments...) on the context's stream; nothing for 0 blocks. At most 2^31 - 1 blocks.
/// Throws std::bad_alloc or gpu::error if the launch is refused twice; does not read the runtime's last error unless it
/// is refused: it may be the caller's.
template <class... Parameters>
void launch(const context& context, const shape& shape, void (*kernel)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  void* addresses[] = {std::addressof(arguments)...};
  device::enqueue_before_others(context, shape, kernel, addresses);
}

/// Launches a kernel of one block, or one cluster, that may be the call's last: it gets a signal, as its last
/// argument, for raise(). It calls await_predecessors() before all else: launched early it takes the host less time.
template <class... Parameters, class... Arguments>
void launch_last(const context& context, shape shape, void (*kernel)(Parameters...), const Arguments&... arguments) {
  shape.early = true;
  const auto enqueue_with = [&](Parameters... all) {
    void* addresses[] = {std::addressof(all)...};
    device::enqueue(context, shape, kernel, addresses);
  };
  enqueue_with(arguments..., context.end != nullptr ? context.end->take() : signal{});
}

/// Launches early a kernel that calls await_predecessors() before all else, or else before all that needs it: its
/// blocks may take the slots that the last ones of the kernel before it in the stream leave, which spares the
/// microsecond or two between their launches.
template <class... Parameters>
void launch_early(const context& context, shape shape, void (*kernel)(Parameters...),
                  std::type_identity_t<Parameters>... arguments) {
  shape.early = true;
  device::launch(context, shape, kernel, arguments...);
}

/// Enqueues a kernel whose blocks all run at once, to wait for each other; says whether.
[[nodiscard]] inline bool enqueue_cooperative(const context& context, shape shape, kernel_symbol kernel,
                                              void** arguments) {
  shape.cooperative = true;
  try {
    device::enqueue_before_others(context, shape, kernel, arguments);
  } catch (const error& refused) {
    if (refused.code().value() != cudaErrorCooperativeLaunchTooLarge) throw;
    return false;
  }
  return true;
}

/// Launches a kernel whose blocks all run at once, to wait for each other; says whether: other work may have been given
/// part of the multiprocessors.
template <class... Parameters>
[[nodiscard]] bool launch_cooperative(const context& context, const shape& shape, void (*kernel)(Parameters...),
                                      std::type_identity_t<Parameters>... arguments) {
  void* addresses[] = {std::addressof(arguments)...};
  return device::enqueue_cooperative(context, shape, kernel, addresses);
}

/// Waits until all that is before the kernel in its stream has ended and can be seen. Called by every thread, before it
/// reads what others write, or writes. (Programmatic dependent launch.)
__device__ inline void await_predecessors() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets a kernel after this one that is launched early begin once all blocks have been here, not when all have ended.
/// It still awaits their end: what it reads before, if anything, this kernel must not write. Called after
/// await_predecessors(): else a kernel of the caller's could begin before one of his ends that is two launches earlier.
__device__ inline void admit_successors() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// A kernel's dynamic shared memory.
template <class Storage>
__device__ Storage& dynamic_shared() {
  extern __shared__ __align__(16) unsigned char memory[];
  return *reinterpret_cast<Storage*>(memory);
}

}  // namespace gpu::inline v1::detail::device
