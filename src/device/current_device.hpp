// Work on a device that need not be the calling thread's current one.
#pragma once

namespace gpu::inline v1::detail::device {

/// Makes a device current in the calling thread until leave_device(), without initialising any other: to restore the
/// previous device by the runtime would initialise that one, although the thread, or the whole program, may never have
/// used it. Throws std::bad_alloc, gpu::error.
void enter_device(int ordinal);
void leave_device(int ordinal) noexcept;

/// Makes a device current in the calling thread, for a scope.
class current_device {
 public:
  explicit current_device(int ordinal);
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device();

 private:
  int ordinal_;
  int former_ = 0;
};

}  // namespace gpu::inline v1::detail::device
