// Requests of the host backend to the operating system about memory.
#include "memory.hpp"

#include <gpu/detail/host/buffer.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gpu::inline v1::detail::host {

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  (void)madvise(data, bytes, MADV_HUGEPAGE);
#endif
}

void make_present([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)
  (void)madvise(data, bytes, MADV_POPULATE_WRITE);
#endif
}

}  // namespace gpu::inline v1::detail::host
