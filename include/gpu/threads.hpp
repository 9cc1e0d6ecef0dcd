// Communicators for threads of one process: each thread is a rank. Bytes are copied directly from source to
// destination, device memory from one device to the other.
#pragma once

#include <cstddef>
#include <memory>

#include "communicator.hpp"
#include "detail/boundary/function_ref.hpp"
#include "detail/config.hpp"

namespace gpu::inline v1 {

/// A group of `count` ranks. Threads must have stopped using their communicators before the group is destroyed.
class GPUPAR_EXPORT thread_communicators {
 public:
  /// Throws std::bad_alloc.
  explicit thread_communicators(std::size_t count);
  thread_communicators(const thread_communicators&) = delete;
  thread_communicators& operator=(const thread_communicators&) = delete;
  ~thread_communicators();

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] communicator& operator[](std::size_t rank) noexcept;

  /// Declares that this rank will make no more calls: calls of other ranks that wait for it, now or later, throw
  /// rank_error (errc::rank_failed) instead of waiting forever.
  void leave(std::size_t rank) noexcept;

 private:
  class GPUPAR_HIDDEN group;
  std::unique_ptr<group> group_;
};

namespace detail {

/// Calls body(communicator) in `count` threads.
GPUPAR_EXPORT void run_on_threads(std::size_t count, function_ref<void(communicator&)> body);

}  // namespace detail

/// Calls body(communicator&) in `count` new threads, each of which is a rank of one group, and waits for them. If some
/// throw, the exception of the first one to do so is rethrown; the other ranks do not wait for a rank that has ended.
template <class Body>
void on_threads(std::size_t count, Body&& body) {
  detail::run_on_threads(count, [&](communicator& ranks) { body(ranks); });
}

}  // namespace gpu::inline v1
