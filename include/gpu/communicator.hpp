// Communicators: what sorts over several processes, devices or threads need of whoever carries the bytes between them.
// Adapters: threads.hpp for threads of one process, mpi.hpp and nccl.hpp for these libraries. Others derive their own.
#pragma once

#include <cstddef>
#include <string>

#include "detail/config.hpp"
#include "error.hpp"
#include "execution.hpp"

namespace gpu::inline v1 {

/// One array that all ranks exchange: to_bytes[r] bytes go to rank r, from_bytes[r] bytes come from it; both arrays are
/// in the order of ranks without gaps, and do not overlap.
struct exchanged_bytes {
  const void* to = nullptr;
  const std::size_t* to_bytes = nullptr;
  void* from = nullptr;
  const std::size_t* from_bytes = nullptr;
  bool on_device = false;          ///< both are device memory, of the device that is current; else the host's
  stream_handle stream = nullptr;  ///< what wrote `to` and will read `from` is enqueued here
};

/// A group of ranks that call the same functions in the same order, each with a communicator of its own. Every call
/// returns when this rank has what it is to get, and nobody reads what it gave any longer; for device memory: when work
/// on the stream finds it so. Calls throw if the bytes cannot be carried; what ranks are told then is their engine's
/// affair.
class GPUPAR_EXPORT communicator {
 public:
  communicator() = default;
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  virtual ~communicator() = default;

  /// This rank, of [0, size()).
  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;

  /// Every rank gives `bytes` bytes of host memory, and gets those of all in the order of ranks. Few bytes.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// Every rank gives `bytes` bytes of host memory to each, and gets as many of each, in the order of ranks. Few bytes.
  virtual void all_to_all(const void* to, std::size_t bytes, void* from) = 0;
  /// Every rank gives any number of bytes to each; both sides know how many.
  virtual void exchange(const exchanged_bytes& what) = 0;

  /// Whether exchange() takes device memory. If not, it goes through host memory.
  [[nodiscard]] virtual bool carries_device_memory() const noexcept { return false; }
};

/// What all ranks of a call throw, with the same text, when one of them has failed. code() is that rank's: of
/// gpu::error_category() or gpu::cuda_category(), std::errc::not_enough_memory for std::bad_alloc, and
/// errc::rank_failed for any other exception. On the rank itself the exception is nested in this one.
class GPUPAR_EXPORT rank_error : public error {
 public:
  rank_error(std::size_t rank, std::error_code code, const std::string& what) : error{code, what}, rank_{rank} {}
  ~rank_error() override;

  /// The rank that failed, the first one of several.
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

 private:
  std::size_t rank_;
};

}  // namespace gpu::inline v1
