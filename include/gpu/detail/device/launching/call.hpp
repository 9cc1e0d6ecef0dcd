// One public call on the device: whose device is current, what host data were brought there, and when it is over.
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

/// Makes the data's device current for its lifetime and holds the call's context. Host data are copied to the device
/// by reach() and back by finish(); until then they are as they were, so an exception in between loses nothing.
class GPUPAR_EXPORT call {
 public:
  /// `at`: a location that names the device, or host memory for the device that is current.
  /// Throws gpu::error.
  call(const execution_options& options, const location& at);
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  /// Gives staging memory back in stream order and makes the former device current again.
  ~call();

  [[nodiscard]] const context& work() const noexcept { return context_; }

  /// A pointer to the same elements that kernels can use: `data`, which are at `at`, or a copy. Throws std::bad_alloc,
  /// gpu::error.
  [[nodiscard]] void* reach(const location& at, const void* data, std::size_t bytes, access how);
  [[nodiscard]] void* reach(const void* data, std::size_t bytes, access how) {
    return reach(locate(data), data, bytes, how);
  }

  template <class T>
    requires(!std::is_void_v<T>)
  [[nodiscard]] T* reach(T* data, std::size_t count, access how) {
    return static_cast<T*>(reach(static_cast<const void*>(data), count * sizeof(T), how));
  }

  /// From now on until finish() kernels alone are enqueued on the stream: the last one may signal that it is done.
  void listen() noexcept;

  /// Copies written host data back; waits for the stream, or for the signal of its end, if the policy or data that the
  /// host reaches ask for it.
  void finish();

  /// Calls work(context, arguments...), which enqueues kernels, and finishes. Throws no_device_memory if there was too
  /// little memory at any time before results could be seen.
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
  bool device_memory_ = true;     ///< all that has been reached
  bool writes_in_place_ = false;  ///< kernels write what the caller sees
  bool managed_ = false;          ///< some of it is managed memory, which the host may look at as soon as this returns
  std::vector<staged> staged_;
  call_end end_;
};

}  // namespace gpu::inline v1::detail::device
