// What CUDA says of kernels. Each is asked once in each of CUDA's contexts, and then has all the shared memory that
// there is: its limit is the whole process's, where what suits one call would be too little for another thread's.
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

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A kernel in one of CUDA's contexts: other devices, and a device after its reset, have others.
struct kernel_facts {
  const void* symbol = nullptr;
  unsigned long long cuda_context = 0;
  int architecture = 0;  ///< that the code is compiled for which runs there: 90 for compute_90
};

struct known_kernel {
  kernel_facts facts;
  known_kernel* next = nullptr;
  mutable std::atomic<std::uint64_t> occupancy{0};  ///< what resident_blocks() was asked last, and its answer
};

/// Functions of the driver. They leave the runtime's last error alone, which may be the caller's.
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

/// Asks about a kernel, and lets its blocks have all shared memory. Throws std::bad_alloc or gpu::error.
inline kernel_facts introduce(const context& context, const void* symbol, const std::source_location& where) {
  const driver_functions& functions = driver(context, where);
  const auto ask_driver = [&](auto request) {  // its codes are the runtime's
    device::ask(context.stream, [&] { return static_cast<cudaError_t>(request()); }, where);
  };
  cudaFunction_t function{};
  ask(context.stream, [&] { return cudaGetFuncBySymbol(&function, symbol); }, where);
  kernel_facts facts{symbol};
  int fixed = 0;
  ask_driver([&] { return functions.id_of_context(nullptr, &facts.cuda_context); });
  ask_driver([&] { return functions.attribute_of(&facts.architecture, CU_FUNC_ATTRIBUTE_PTX_VERSION, function); });
  ask_driver([&] { return functions.attribute_of(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function); });
  const int most = static_cast<int>(context.device.shared_bytes_per_block) - fixed;
  constexpr auto limit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  ask_driver([&] { return functions.set_attribute(function, limit, most); });
  return facts;
}

/// What is known of a kernel in the current context. From the second time on there is no lock, and no question that the
/// driver has to think about. Without memory to remember it, it is asked again. Throws std::bad_alloc or gpu::error.
inline const known_kernel& know(const context& context, const void* symbol, const std::source_location& where) {
  static std::array<std::atomic<known_kernel*>, 1024> chains{};  // never given back: other threads may be reading
  unsigned long long id = 0;                                     // none's, before the thread's first use of CUDA
  (void)driver(context, where).id_of_context(nullptr, &id);
  auto& chain = chains[reinterpret_cast<std::uintptr_t>(symbol) / 16 % chains.size()];
  for (const known_kernel* known = chain.load(std::memory_order_acquire); known != nullptr; known = known->next)
    if (known->facts.symbol == symbol && known->facts.cuda_context == id) return *known;
  const kernel_facts facts = introduce(context, symbol, where);
  auto* const known = new (std::nothrow) known_kernel{facts};
  if (known == nullptr) {
    thread_local known_kernel passing;
    passing.facts = facts;
    passing.occupancy = 0;
    return passing;
  }
  known->next = chain.load(std::memory_order_relaxed);
  while (!chain.compare_exchange_weak(known->next, known, std::memory_order_release)) {
  }
  return *known;
}

/// Whether the device runs code of the kernel that knows how to await its predecessors, and to form clusters: what a
/// unit was compiled for says little, as 90a is for no other device than one of 9.0.
template <class... Parameters>
bool runs_code_for_90(const context& context, void (*kernel)(Parameters...),
                      const std::source_location& where = std::source_location::current()) {
  return context.device.compute_capability >= 90 &&
         know(context, reinterpret_cast<const void*>(kernel), where).facts.architecture >= 90;
}

/// Blocks of `kernel` that fill the device once, for kernels that loop over their work.
template <class... Parameters>
std::size_t resident_blocks(const context& context, void (*kernel)(Parameters...), int threads,
                            std::size_t shared_bytes = 0,
                            const std::source_location& where = std::source_location::current()) {
  const void* const symbol = reinterpret_cast<const void*>(kernel);
  const known_kernel& known = know(context, symbol, where);
  const std::uint64_t question = std::uint64_t{shared_bytes} << 32 | static_cast<std::uint64_t>(threads) << 16;
  std::uint64_t remembered = known.occupancy.load(std::memory_order_relaxed);
  if ((remembered >> 16) != (question >> 16)) {
    int per_multiprocessor = 0;
    const auto count = [&] {
      return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, symbol, threads, shared_bytes);
    };
    device::ask(context.stream, count, where);
    remembered = question | static_cast<std::uint64_t>(per_multiprocessor > 0 ? per_multiprocessor : 1);
    known.occupancy.store(remembered, std::memory_order_relaxed);
  }
  return (remembered & 0xffff) * static_cast<std::size_t>(context.device.multiprocessors);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
