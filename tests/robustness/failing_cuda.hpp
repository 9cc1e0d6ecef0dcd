// CUDA's runtime with failures on request: the program is linked with --wrap for every call of cuda_calls.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "failing_new.hpp"

namespace testing {

/// While it exists, the k-th call (0: the next) of CUDA's runtime, or every call from the k-th on, returns `code` and
/// does nothing, except that calls that free something still free it. The test's own calls count, too: make none.
class failing_cuda_call {
 public:
  failing_cuda_call(std::size_t k, int code, outage how = outage::once);
  failing_cuda_call(const failing_cuda_call&) = delete;
  failing_cuda_call& operator=(const failing_cuda_call&) = delete;
  ~failing_cuda_call();

  /// The number of calls up to the last one that neither frees something nor sets a thread's capture mode.
  [[nodiscard]] std::size_t calls() const;
  /// Whether that last one is the k-th call or, if the k-th merely sets the capture mode, the next that does not.
  [[nodiscard]] bool was_last() const;
  /// Whether there was a k-th call; whether kernels had been launched before it; and its name.
  [[nodiscard]] bool happened() const;
  [[nodiscard]] bool launched() const;
  [[nodiscard]] std::string name() const;
  /// The name of the last call so far that did not merely set a thread's capture mode.
  [[nodiscard]] static std::string latest();
};

/// The number of allocations of device and page-locked memory, pools, streams and events that have not been freed.
[[nodiscard]] std::ptrdiff_t live_cuda_objects();

/// Whether kernels do nothing, because the runtime is a stand-in for machines without a GPU.
extern const bool cuda_is_pretended;
/// The CUDA version that the stand-in for the driver reports.
inline int pretended_driver_version = 13000;
/// The number of its devices, a bit mask of those that have been started, and the number of threads that have used one.
inline int pretended_devices = 1;
inline std::atomic<unsigned> pretended_started = 0;
inline std::atomic<int> pretended_threads = 0;
/// The number of pools that the stand-in has made; only the last one is valid, unless it is forgotten, as by a reset.
inline std::size_t pretended_pools = 0;
inline bool pretended_pool_is_known = false;
/// Its address is the handle of a stream that the stand-in regards as being captured.
inline unsigned char captured_stream = 0;

}  // namespace testing
