// Communicators: the interface through which sorts over several processes, devices or threads transfer bytes between
// them.
// Adapters: threads.hpp for threads of one process, mpi.hpp and nccl.hpp for these libraries. Users may derive their
// own.
#pragma once

#include <cstddef>
#include <string>

#include "detail/config.hpp"
#include "error.hpp"
#include "execution.hpp"

namespace gpu::inline v1 {

/// This rank's side of an exchange of one array: to_bytes[r] bytes go to rank r, from_bytes[r] bytes come from rank r;
/// `to` and `from` hold them in the order of ranks without gaps, and do not overlap.
struct exchanged_bytes {
  const void* to = nullptr;
  const std::size_t* to_bytes = nullptr;
  void* from = nullptr;
  const std::size_t* from_bytes = nullptr;
  bool on_device = false;          ///< both are memory of the current device; otherwise host memory
  stream_handle stream = nullptr;  ///< the work that writes `to` or reads `from` is enqueued here
};

/// A group of ranks that call the same functions in the same order, each with a communicator of its own. A call returns
/// when this rank has received its data and the data it sent are no longer read; for device memory, both hold for work
/// enqueued on the stream afterwards. Calls throw if the bytes cannot be transferred; what the other ranks are told
/// then is up to the transport.
class GPUPAR_EXPORT communicator {
 public:
  communicator() = default;
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  virtual ~communicator() = default;

  /// This rank, of [0, size()).
  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;

  /// Every rank sends `bytes` bytes of host memory to all, and receives those of all ranks in the order of ranks. For
  /// small amounts of data.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// Every rank sends `bytes` bytes of host memory to each rank, and receives as many from each, in the order of ranks.
  /// For small amounts of data.
  virtual void all_to_all(const void* to, std::size_t bytes, void* from) = 0;
  /// Every rank sends any number of bytes to each rank; sender and receiver both know how many.
  virtual void exchange(const exchanged_bytes& what) = 0;

  /// Whether exchange() accepts device memory. If not, such data pass through host memory.
  [[nodiscard]] virtual bool carries_device_memory() const noexcept { return false; }
};

/// Thrown by all ranks of a call, with the same text, when one of them has failed. code() is that of the failed rank's
/// exception: in gpu::error_category() or gpu::cuda_category(), std::errc::not_enough_memory for std::bad_alloc, and
/// errc::rank_failed for any other exception. On the failed rank itself the original exception is nested in this one.
class GPUPAR_EXPORT rank_error : public error {
 public:
  rank_error(std::size_t rank, std::error_code code, const std::string& what) : error{code, what}, rank_{rank} {}
  ~rank_error() override;

  /// The rank that failed; the lowest if several did.
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

 private:
  std::size_t rank_;
};

}  // namespace gpu::inline v1
