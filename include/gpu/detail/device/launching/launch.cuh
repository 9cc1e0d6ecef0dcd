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

/// Enqueues setting device memory[0, bytes) to zero.
inline void set_zero(const context& context, void* memory, std::size_t bytes,
                     const std::source_location& where = std::source_location::current()) {
  ask(context.stream, [&] { return cudaMemsetAsync(memory, 0, bytes, context.stream); }, where);
}

/// Enqueues a copy between ranges that do not overlap.
inline void copy_bytes(stream_handle stream, void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction,
                       const std::source_location& where = std::source_location::current()) {
  ask(stream, [&] { return cudaMemcpyAsync(to, from, bytes, direction, stream); }, where);
}

/// A launch configuration: blocks, threads per block, dynamic shared memory in bytes; the source location of the
/// request; whether all blocks must be resident at once, to wait for each other (`cooperative`); whether they may start
/// before the preceding kernel has ended (`early`); and the number of blocks per cluster, which divides the number of
/// blocks.
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

/// Enqueues a kernel of at least one block, without regard to the signal of the call's end. CUDA reads the arguments,
/// which have the kernel's parameter types, from these addresses.
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

/// Enqueues a kernel that other kernels of the call may follow; does nothing for 0 blocks.
inline void enqueue_before_others(const context& context, const shape& shape, kernel_symbol kernel, void** arguments) {
  if (shape.blocks == 0) return;
  if (context.end != nullptr) context.end->withdraw();
  device::enqueue(context, shape, kernel, arguments);
}

/// Enqueues kernel(arguments...) on the context's stream; does nothing for 0 blocks. At most 2^31 - 1 blocks. Throws
/// std::bad_alloc or gpu::error if the launch is refused twice. Reads the runtime's last error, which may be the
/// caller's, only if the launch is refused.
template <class... Parameters>
void launch(const context& context, const shape& shape, void (*kernel)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  void* addresses[] = {std::addressof(arguments)...};
  device::enqueue_before_others(context, shape, kernel, addresses);
}

/// Launches a kernel of one block, or one cluster, that may be the call's last: its last argument is a signal for
/// raise(). The kernel must call await_predecessors() before all else: it is launched early, which takes the host less
/// time.
template <class... Parameters, class... Arguments>
void launch_last(const context& context, shape shape, void (*kernel)(Parameters...), const Arguments&... arguments) {
  shape.early = true;
  const auto enqueue_with = [&](Parameters... all) {
    void* addresses[] = {std::addressof(all)...};
    device::enqueue(context, shape, kernel, addresses);
  };
  enqueue_with(arguments..., context.end != nullptr ? context.end->take() : signal{});
}

/// Launches early a kernel that calls await_predecessors() before all else, or at least before everything that depends
/// on earlier work: its blocks may take the slots freed by the last blocks of the preceding kernel in the stream, which
/// saves the microsecond or two between the launches.
template <class... Parameters>
void launch_early(const context& context, shape shape, void (*kernel)(Parameters...),
                  std::type_identity_t<Parameters>... arguments) {
  shape.early = true;
  device::launch(context, shape, kernel, arguments...);
}

/// Enqueues a kernel whose blocks must all be resident at once, to wait for each other; returns false if they do not
/// fit.
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

/// Launches a kernel whose blocks must all be resident at once, to wait for each other; returns false if they do not
/// fit: other work may have been given part of the multiprocessors.
template <class... Parameters>
[[nodiscard]] bool launch_cooperative(const context& context, const shape& shape, void (*kernel)(Parameters...),
                                      std::type_identity_t<Parameters>... arguments) {
  void* addresses[] = {std::addressof(arguments)...};
  return device::enqueue_cooperative(context, shape, kernel, addresses);
}

/// Waits until all work before the kernel in its stream has ended and its writes are visible. Called by every thread
/// before it reads what that work writes, and before it writes anything itself. (Programmatic dependent launch.)
__device__ inline void await_predecessors() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets the next kernel, if launched early, begin once all blocks of this one have called this, instead of when all
/// have ended. That kernel still awaits the end of this one: whatever it reads before awaiting, this kernel must not
/// write. Called after await_predecessors(): otherwise a kernel of the caller's could begin before the caller's kernel
/// two launches earlier has ended.
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
