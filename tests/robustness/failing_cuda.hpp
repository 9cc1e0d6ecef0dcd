// CUDA's runtime with failures on request: the program is linked with --wrap for every call of cuda_calls.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "failing_new.hpp"

namespace testing {

/// In its scope the k-th call (0: the next) of CUDA's runtime, or every one from it on, answers `code` and does
/// nothing; one that gives something back does that all the same. Calls made by the test itself count, too: make none.
class failing_cuda_call {
 public:
  failing_cuda_call(std::size_t k, int code, outage how = outage::once);
  failing_cuda_call(const failing_cuda_call&) = delete;
  failing_cuda_call& operator=(const failing_cuda_call&) = delete;
  ~failing_cuda_call();

  /// Calls so far, without those at the end that give something back or set a thread's capture mode back.
  [[nodiscard]] std::size_t calls() const;
  /// Whether the k-th call, or the one that follows where the k-th merely sets the capture mode, is the last of those.
  [[nodiscard]] bool was_last() const;
  /// Whether there was a k-th call; whether kernels had been launched by then; and its name.
  [[nodiscard]] bool happened() const;
  [[nodiscard]] bool launched() const;
  [[nodiscard]] std::string name() const;
  /// The name of the last call so far that did not merely set a thread's capture mode.
  [[nodiscard]] static std::string latest();
};

/// Allocations of device and page-locked memory that have not been given back; streams and events.
[[nodiscard]] std::ptrdiff_t live_cuda_objects();

/// Whether kernels do nothing, because the runtime is a stand-in for machines without a GPU.
extern const bool cuda_is_pretended;
/// What the stand-in for the driver serves.
inline int pretended_driver_version = 13000;
/// Its devices, those that have been started, as bits, and the threads that have had work done there.
inline int pretended_devices = 1;
inline std::atomic<unsigned> pretended_started = 0;
inline std::atomic<int> pretended_threads = 0;
/// Pools that the stand-in has made; only the last one is known, unless it has been forgotten, as by a reset.
inline std::size_t pretended_pools = 0;
inline bool pretended_pool_is_known = false;
/// The address of a stream that the stand-in takes for one that is being captured.
inline unsigned char captured_stream = 0;

}  // namespace testing
