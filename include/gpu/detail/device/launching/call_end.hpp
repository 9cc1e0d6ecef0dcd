// The end of a call, signalled by its last kernel, which writes a number to a word of memory that both host and device
// can access. The host sees it a microsecond before it could learn from the stream that the kernel has ended.
#pragma once

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// What a kernel writes, and where. If `word` is null, nobody waits for the signal.
struct signal {
  unsigned* word = nullptr;
  unsigned number = 0;
};

/// One call's claim to one of the process's signal words.
class GPUPAR_EXPORT call_end {
 public:
  call_end() = default;
  call_end(const call_end&) = delete;
  call_end& operator=(const call_end&) = delete;
  /// Gives the word back.
  ~call_end();

  /// The signal for a kernel that may be the call's last. Empty if the device cannot access the signal words at the
  /// host's address, or if all words are taken.
  [[nodiscard]] signal take() noexcept;
  /// The kernel was not the last one.
  void withdraw() noexcept { expected_ = false; }

  /// Waits for about as long as a kernel takes that has few elements and need not queue. Returns whether the signal
  /// came; if not, the caller must query the stream.
  [[nodiscard]] bool was_raised() const noexcept;

 private:
  int slot_ = -1;
  signal signal_;
  bool expected_ = false;
};

}  // namespace gpu::inline v1::detail::device
