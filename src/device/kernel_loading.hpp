// Loads the kernels that a first call on host data needs while its memory is allocated and its data are copied: CUDA
// loads a unit's kernels when the first of them is requested, which takes as long as all of that.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <thread>

#include "current_device.hpp"
#include "handles.hpp"

namespace gpu::inline v1::detail::device {

/// A thread that loads kernels of the current device, unless `begun` says that this has been begun before. The
/// destructor waits for it; errors are left to the call that needs the kernels.
class kernel_loading {
 public:
  kernel_loading() = default;
  kernel_loading(const kernel_loading&) = delete;
  kernel_loading& operator=(const kernel_loading&) = delete;
  ~kernel_loading() {
    if (thread_.joinable()) thread_.join();
  }

  template <class Load>
  void begin(std::atomic<bool>& begun, const Load& load) noexcept {
    if (begun.load(std::memory_order_relaxed) || begun.exchange(true)) return;
    try {
      int device = 0;
      if (cudaGetDevice(&device) == cudaSuccess) thread_ = std::thread{&kernel_loading::run<Load>, device, load};
    } catch (...) {  // no thread, or no memory for one
    }
  }

 private:
  template <class Load>
  static void run(int device, Load load) noexcept {
    try {
      const current_device its_own{device};
      const beside_captures unhindered;
      load(device);
    } catch (...) {  // the call will load them itself
    }
  }

  std::thread thread_;
};

}  // namespace gpu::inline v1::detail::device
