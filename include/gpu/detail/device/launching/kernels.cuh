// Kernel attributes, queried from CUDA once and cached, and the kernels' limits of dynamic shared memory. A limit
// applies to the whole process, and one that suits one call could be too low for another thread's call: so it is set
// once, to the maximum.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>

#include "ask.cuh"
#include "context.hpp"

namespace gpu::inline v1::detail::device {

/// A kernel of any parameters.
struct kernel_symbol {
  const void* address;

  template <class... Parameters>
  kernel_symbol(void (*kernel)(Parameters...)) noexcept : address{reinterpret_cast<const void*>(kernel)} {}
};

/// A kernel on one device.
struct known_kernel {
  const void* symbol = nullptr;
  int device = 0;
  int architecture = 0;  ///< the virtual architecture of the code that runs there: 90 for compute_90
  known_kernel* next = nullptr;
  /// The id of the CUDA context in which the kernel's shared-memory limit was last raised; a reset gives a device a new
  /// context.
  mutable std::atomic<unsigned long long> supplied{0};
  mutable std::atomic<std::uint64_t> occupancy{0};  ///< the last query of resident_blocks() and its result
};

/// Driver API functions. They leave the runtime's last error alone, which may be the caller's.
struct driver_functions {
  decltype(&cuCtxGetId) id_of_context;
  decltype(&cuFuncGetAttribute) attribute_of;
  decltype(&cuFuncSetAttribute) set_attribute;
};

template <class Function>
Function driver_function(const context& context, const char* name, const std::source_location& where) {
  constexpr unsigned version = 12000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const auto find = [&] { return cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found); };
  device::ask(context.stream, find, where);
  return reinterpret_cast<Function>(entry);
}

inline const driver_functions& driver(const context& context, const std::source_location& where) {
  static const driver_functions found{
      driver_function<decltype(&cuCtxGetId)>(context, "cuCtxGetId", where),
      driver_function<decltype(&cuFuncGetAttribute)>(context, "cuFuncGetAttribute", where),
      driver_function<decltype(&cuFuncSetAttribute)>(context, "cuFuncSetAttribute", where)};
  return found;
}

/// Like ask(), for a driver function: the driver's error codes equal the runtime's.
template <class Request>
void ask_driver(const context& context, Request request, const std::source_location& where) {
  device::ask(context.stream, [&] { return static_cast<cudaError_t>(request()); }, where);
}

inline cudaFunction_t function_of(const context& context, kernel_symbol kernel, const std::source_location& where) {
  cudaFunction_t function{};
  device::ask(context.stream, [&] { return cudaGetFuncBySymbol(&function, kernel.address); }, where);
  return function;
}

/// The cached attributes of a kernel on the context's device; queried only the first time, unless there is no memory to
/// remember them. Takes no lock. Throws std::bad_alloc or gpu::error.
inline const known_kernel& know(const context& context, kernel_symbol kernel, const std::source_location& where) {
  static std::array<std::atomic<known_kernel*>, 1024> chains{};  // never freed: other threads may be reading
  const void* const symbol = kernel.address;
  const int device = context.device.ordinal;
  auto& chain = chains[reinterpret_cast<std::uintptr_t>(symbol) / 16 % chains.size()];
  for (const known_kernel* known = chain.load(std::memory_order_acquire); known != nullptr; known = known->next)
    if (known->symbol == symbol && known->device == device) return *known;
  const driver_functions& functions = device::driver(context, where);
  const cudaFunction_t function = device::function_of(context, kernel, where);
  int architecture = 0;
  const auto look = [&] { return functions.attribute_of(&architecture, CU_FUNC_ATTRIBUTE_PTX_VERSION, function); };
  device::ask_driver(context, look, where);
  auto* const known = new (std::nothrow) known_kernel{symbol, device, architecture};
  if (known == nullptr) {
    thread_local known_kernel passing;
    passing.symbol = symbol;
    passing.device = device;
    passing.architecture = architecture;
    passing.supplied = 0;
    passing.occupancy = 0;
    return passing;
  }
  known->next = chain.load(std::memory_order_relaxed);
  while (!chain.compare_exchange_weak(known->next, known, std::memory_order_release)) {
  }
  return *known;
}

/// Lets a kernel use `bytes` of dynamic shared memory: if that exceeds the default limit, raises the kernel's limit to
/// the maximum. Throws std::bad_alloc or gpu::error.
inline void allow_shared(const context& context, kernel_symbol kernel, std::size_t bytes,
                         const std::source_location& where) {
  constexpr std::size_t default_limit = 48 * 1024;  // beyond this a kernel must opt in
  if (bytes <= default_limit) return;
  const known_kernel& known = device::know(context, kernel, where);
  const driver_functions& functions = device::driver(context, where);
  unsigned long long id = 0;  // remains 0 before the thread's first use of CUDA
  (void)functions.id_of_context(nullptr, &id);
  if (id != 0 && known.supplied.load(std::memory_order_acquire) == id) return;
  const cudaFunction_t function = device::function_of(context, kernel, where);
  device::ask_driver(context, [&] { return functions.id_of_context(nullptr, &id); }, where);
  int fixed = 0;
  const auto look = [&] { return functions.attribute_of(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function); };
  device::ask_driver(context, look, where);
  const int most = static_cast<int>(context.device.shared_bytes_per_block) - fixed;
  constexpr auto limit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  device::ask_driver(context, [&] { return functions.set_attribute(function, limit, most); }, where);
  known.supplied.store(id, std::memory_order_release);
}

/// Whether the device runs a version of the kernel compiled for compute capability 9.0 or higher, which can await its
/// predecessors and form clusters. The compilation targets alone do not tell: code for 90a runs on no device other than
/// 9.0.
inline bool runs_code_for_90(const context& context, kernel_symbol kernel,
                             const std::source_location& where = std::source_location::current()) {
  return context.device.compute_capability >= 90 && device::know(context, kernel, where).architecture >= 90;
}

/// Whether the kernel's blocks may form clusters on the device. A cluster starts when there is room for all its blocks
/// at once.
inline bool may_cluster(const context& context, kernel_symbol kernel,
                        const std::source_location& where = std::source_location::current()) {
  return context.device.clusters && device::runs_code_for_90(context, kernel, where);
}

/// The number of blocks of `kernel` that fill the device once, for kernels that loop over their work; also allows the
/// kernel the shared memory.
inline std::size_t resident_blocks(const context& context, kernel_symbol kernel, int threads,
                                   std::size_t shared_bytes = 0,
                                   const std::source_location& where = std::source_location::current()) {
  device::allow_shared(context, kernel, shared_bytes, where);
  const known_kernel& known = device::know(context, kernel, where);
  const std::uint64_t question = std::uint64_t{shared_bytes} << 32 | static_cast<std::uint64_t>(threads) << 16;
  std::uint64_t remembered = known.occupancy.load(std::memory_order_relaxed);
  if ((remembered >> 16) != (question >> 16)) {
    int per_multiprocessor = 0;
    const auto count = [&] {
      return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel.address, threads, shared_bytes);
    };
    device::ask(context.stream, count, where);
    remembered = question | static_cast<std::uint64_t>(per_multiprocessor > 0 ? per_multiprocessor : 1);
    known.occupancy.store(remembered, std::memory_order_relaxed);
  }
  return (remembered & 0xffff) * static_cast<std::size_t>(context.device.multiprocessors);
}

}  // namespace gpu::inline v1::detail::device
