// The one place where kernels are launched and CUDA's answers are checked.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <source_location>

#include "../../../error.hpp"
#include "call_end.hpp"
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

/// Blocks, threads per block, dynamic shared memory in bytes; whether the kernel has been allowed that much; whether
/// all blocks must be resident at once, to wait for each other; whether they may start early; how many of them, which
/// divide all, form a cluster; and the line that asked.
struct shape {
  constexpr shape(std::size_t blocks, int threads, std::size_t shared_bytes = 0,
                  const std::source_location& where = std::source_location::current())
      : blocks{blocks}, threads{threads}, shared_bytes{shared_bytes}, where{where} {}
  std::size_t blocks;
  int threads;
  std::size_t shared_bytes;
  std::source_location where;
  bool shared_allowed = false;
  bool cooperative = false;
  bool early = false;
  int cluster = 1;
};

/// What a unit's kernels are compiled for, as in nvcc's list: 900 for 9.0. A type, as units of one program may differ.
template <int... Architectures>
struct unit_code {
  /// The compute capability of the code that a device of another one runs: the highest that is not beyond its own.
  static constexpr int on(int compute_capability) {
    int found = 0;
    const auto consider = [&](int capability) {
      if (capability <= compute_capability && capability > found) found = capability;
    };
    (consider(Architectures / 10), ...);
    return found;
  }
};
#if defined(__CUDA_ARCH_LIST__)
using this_unit = unit_code<__CUDA_ARCH_LIST__>;
#else
using this_unit = unit_code<>;
#endif

/// Whether kernels of this unit know how to await their predecessors there, and to form clusters.
template <class Code = this_unit>
bool runs_code_for_90(const context& context) {
  return Code::on(context.device.compute_capability) >= 90;
}

/// Lets a kernel have so many bytes of dynamic shared memory. Asks the driver, since cudaFuncSetAttribute clears the
/// runtime's last error, which may be the caller's. Throws gpu::error.
inline void allow_shared(const context& context, const void* kernel, std::size_t bytes,
                         const std::source_location& where) {
  constexpr std::size_t default_limit = 48 * 1024;  // beyond this a kernel must opt in
  if (bytes <= default_limit) return;
  static const auto set_attribute = [&] {
    constexpr unsigned version = 12000;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const auto find = [&] {
      return cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", &entry, version, cudaEnableDefault, &found);
    };
    ask(context.stream, find, where);
    return reinterpret_cast<decltype(&cuFuncSetAttribute)>(entry);
  }();
  cudaFunction_t function{};
  ask(context.stream, [&] { return cudaGetFuncBySymbol(&function, kernel); }, where);
  const auto set = [&] {
    constexpr auto attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    return set_attribute(function, attribute, static_cast<int>(bytes)) == CUDA_SUCCESS ? cudaSuccess
                                                                                       : cudaErrorInvalidValue;
  };
  ask(context.stream, set, where);
}

/// Enqueues a kernel of one block or more, whatever it means for the end of the call.
template <class... Parameters, class... Arguments>
void enqueue(const context& context, const shape& shape, void (*kernel)(Parameters...), Arguments... arguments) {
  if (!shape.shared_allowed)
    allow_shared(context, reinterpret_cast<const void*>(kernel), shape.shared_bytes, shape.where);
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
  } else if (shape.early && runs_code_for_90(context)) {
    next->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    next++->val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    next->id = cudaLaunchAttributeClusterDimension;
    next++->val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  }
  configuration.attrs = attributes;
  configuration.numAttrs = static_cast<unsigned>(next - attributes);
  const auto request = [&] {
    return cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...);
  };
  ask(context.stream, request, shape.where);
}

/// Enqueues kernel(arguments...) on the context's stream; nothing for 0 blocks. At most 2^31 - 1 blocks.
/// Throws std::bad_alloc or gpu::error if the launch is refused twice; does not read the runtime's last error unless it
/// is refused: it may be the caller's.
template <class... Parameters, class... Arguments>
void launch(const context& context, const shape& shape, void (*kernel)(Parameters...), Arguments... arguments) {
  if (shape.blocks == 0) return;
  if (context.end != nullptr) context.end->withdraw();
  enqueue(context, shape, kernel, arguments...);
}

/// The same for a kernel of one block, or one cluster, that may be the call's last: it gets a signal, as its last
/// argument, for tell(). It calls await_predecessors() before all else: launched early it takes the host less time.
template <class... Parameters, class... Arguments>
void launch_last(const context& context, shape shape, void (*kernel)(Parameters...), Arguments... arguments) {
  shape.early = true;
  enqueue(context, shape, kernel, arguments..., context.end != nullptr ? context.end->take() : signal{});
}

/// The same for a kernel that calls await_predecessors() before all else, or else before all that needs it: its blocks
/// may take the places that the last ones of the kernel before it in the stream leave, which spares the microsecond or
/// two between their launches.
template <class... Parameters, class... Arguments>
void launch_early(const context& context, shape shape, void (*kernel)(Parameters...), Arguments... arguments) {
  shape.early = true;
  launch(context, shape, kernel, arguments...);
}

/// Waits until all that is before the kernel in its stream has ended and can be seen. Called by every thread, before it
/// reads what others write, or writes. (Programmatic dependent launch.)
__device__ inline void await_predecessors() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets a kernel after this one that is launched early begin once all blocks have been here, not when all have ended.
/// It still awaits their end: what it reads before, if anything, this kernel must not write.
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

/// Blocks of `kernel` that fill the device once, for kernels that loop over their work; allows it the shared memory.
template <class... Parameters>
std::size_t resident_blocks(const context& context, void (*kernel)(Parameters...), int threads,
                            std::size_t shared_bytes = 0,
                            const std::source_location& where = std::source_location::current()) {
  const void* const symbol = reinterpret_cast<const void*>(kernel);
  allow_shared(context, symbol, shared_bytes, where);
  int per_multiprocessor = 0;
  const auto count = [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, symbol, threads, shared_bytes);
  };
  ask(context.stream, count, where);
  return static_cast<std::size_t>(per_multiprocessor > 0 ? per_multiprocessor : 1) *
         static_cast<std::size_t>(context.device.multiprocessors);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
