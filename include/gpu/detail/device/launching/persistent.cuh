// Grids for kernels that loop over their work: no more blocks than the device holds at once, and no more than there are
// pieces of work.
#pragma once

#include <cstddef>
#include <source_location>

#include "launch.cuh"

namespace gpu::inline v1::detail::device {

/// `blocks` per multiprocessor, or fewer if the architecture being compiled for lacks the threads for them.
constexpr int blocks_allowed(int blocks, int threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  constexpr int most_threads = 1024;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
  constexpr int most_threads = 2048;
#else
  constexpr int most_threads = 1536;
#endif
  return blocks * threads < most_threads ? blocks : most_threads / threads;
}

/// The shape of a grid for at most `limit` pieces of work, of which a block takes one at a time.
inline shape persistent_shape(const context& context, kernel_symbol kernel, std::size_t limit, int threads,
                              std::size_t shared_bytes = 0,
                              const std::source_location& where = std::source_location::current()) {
  const std::size_t resident = device::resident_blocks(context, kernel, threads, shared_bytes, where);
  return {limit < resident ? limit : resident, threads, shared_bytes, where};
}

/// Launches early, as launch_early() does, a kernel whose blocks loop over at most most.blocks pieces of work.
template <class... Parameters>
void launch_persistent(const context& context, const shape& most, void (*kernel)(Parameters...),
                       std::type_identity_t<Parameters>... arguments) {
  device::launch_early(
      context, device::persistent_shape(context, kernel, most.blocks, most.threads, most.shared_bytes, most.where),
      kernel, arguments...);
}

}  // namespace gpu::inline v1::detail::device
