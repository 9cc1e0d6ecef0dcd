// The end of a call, signalled by the last of its kernels: a word of memory that host and device both reach gets a
// number. The host sees it a microsecond before it could learn from the stream that the kernel has ended.
#pragma once

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// What a kernel writes, and where; a null word: nobody waits for it.
struct signal {
  unsigned* word = nullptr;
  unsigned number = 0;
};

/// One call's claim to a word of the process.
class GPUPAR_EXPORT call_end {
 public:
  call_end() = default;
  call_end(const call_end&) = delete;
  call_end& operator=(const call_end&) = delete;
  /// Gives the word back.
  ~call_end();

  /// For a kernel that may be the last one. Of a device that cannot reach the host's memory as the host does, or when
  /// all words are taken, an empty signal.
  [[nodiscard]] signal take() noexcept;
  /// The kernel was not the last one.
  void withdraw() noexcept { expected_ = false; }

  /// Waits for as long as a kernel takes that has few elements and does not have to wait. Whether the signal came; if
  /// not, the stream knows more.
  [[nodiscard]] bool was_raised() const noexcept;

 private:
  int slot_ = -1;
  signal signal_;
  bool expected_ = false;
};

}  // namespace gpu::inline v1::detail::device
