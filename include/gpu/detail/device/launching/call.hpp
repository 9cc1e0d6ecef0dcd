// One public call on the device: makes the right device current, stages host data, and determines when the call has
// ended.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "../../boundary/request.hpp"
#include "../../config.hpp"
#include "call_end.hpp"
#include "context.hpp"

namespace gpu::inline v1::detail::device {

enum class access : unsigned char { read, write, read_write };

/// Makes the data's device current for its lifetime and holds the call's context. Host data are copied to the device by
/// reach() and back by finish(); until then the host's originals are unchanged, so an exception in between loses
/// nothing.
class GPUPAR_EXPORT call {
 public:
  /// `at`: a location on the device to use, or in host memory for the current device. Throws gpu::error.
  call(const execution_options& options, const location& at);
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  /// Frees staging memory in stream order and makes the former device current again.
  ~call();

  [[nodiscard]] const context& work() const noexcept { return context_; }

  /// A pointer through which kernels can use the elements: `data` itself, whose location is `at`, or a copy on the
  /// device. Throws std::bad_alloc or gpu::error.
  [[nodiscard]] void* reach(const location& at, const void* data, std::size_t bytes, access how);
  [[nodiscard]] void* reach(const void* data, std::size_t bytes, access how) {
    return reach(locate(data), data, bytes, how);
  }

  template <class T>
    requires(!std::is_void_v<T>)
  [[nodiscard]] T* reach(T* data, std::size_t count, access how) {
    return static_cast<T*>(reach(static_cast<const void*>(data), count * sizeof(T), how));
  }

  /// From this call until finish() only kernels are enqueued on the stream, so that the last one may signal its end.
  void listen() noexcept;

  /// Copies written host data back. Waits for the end of the call, by its signal or by the stream, if the policy is
  /// synchronous, if host data were staged, or if data are in managed memory and the stream is not being captured.
  void finish();

  /// Calls work(context, arguments...), which enqueues kernels, then finish(). Throws no_device_memory if memory runs
  /// out before any result is visible to the caller.
  template <class Work, class... Arguments>
  void carry_out(const Work& work, const Arguments&... arguments) {
    try {
      work(context_, arguments...);
    } catch (const no_device_memory&) {
      throw;
    } catch (const std::bad_alloc&) {
      if (writes_in_place_) throw;
      throw no_device_memory{};
    }
    finish();
  }

 private:
  struct staged {
    void* host;
    void* device;
    std::size_t bytes;
    bool written;
  };

  void bring(void* copy, const void* data, std::size_t bytes);

  context context_;
  int former_device_ = 0;
  bool synchronous_;
  bool device_memory_ = true;     ///< all data reached so far are in device memory
  bool writes_in_place_ = false;  ///< kernels write directly to the caller's data
  bool managed_ = false;          ///< some data are in managed memory, which the host may read right after the call
  std::vector<staged> staged_;
  call_end end_;
};

}  // namespace gpu::inline v1::detail::device
