// Host memory for a copy of all data: in huge pages where the system has them, because a first touch of every 4 KiB
// would take as long as the transfers.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gpu {
inline namespace v1 {
namespace detail::device {

class large_memory {
 public:
  /// Throws std::bad_alloc.
  explicit large_memory(std::size_t bytes) : data_{static_cast<std::byte*>(::operator new(bytes, page))} {
#if defined(__linux__)
    (void)madvise(data_, bytes, MADV_HUGEPAGE);  // a hint
#endif
  }
  large_memory(large_memory&& other) noexcept : data_{std::exchange(other.data_, nullptr)} {}
  large_memory& operator=(large_memory&&) = delete;
  ~large_memory() { ::operator delete(data_, page); }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  static constexpr std::align_val_t page{std::size_t{2} << 20};
  std::byte* data_;
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
