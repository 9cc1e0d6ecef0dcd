// The ranks of an MPI communicator as a gpu::communicator. Needs MPI 3 or newer: link gpupar::mpi (CMake component
// mpi), or compile with mpicxx.
#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "detail/distributed/memory.hpp"

namespace gpu::inline v1 {

/// The ranks are those of `original`, of which this holds a duplicate, so that its messages do not mix with those of
/// the program. Must be constructed and destroyed by all ranks, between MPI_Init and MPI_Finalize. Device memory is
/// passed to MPI if MPI reports that it accepts it, and otherwise passes through host memory. Throws gpu::error
/// (errc::rank_failed) with the error text of MPI.
class mpi_communicator final : public communicator {
 public:
  explicit mpi_communicator(MPI_Comm original) : mpi_communicator{original, takes_device_memory()} {}

  /// The caller states whether MPI accepts device memory.
  mpi_communicator(MPI_Comm original, bool carries_device_memory) : carries_device_memory_{carries_device_memory} {
    check(MPI_Comm_dup(original, &ranks_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int rank = 0, size = 1;
    check(MPI_Comm_rank(ranks_, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(ranks_, &size), "MPI_Comm_size");
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  ~mpi_communicator() override { (void)MPI_Comm_free(&ranks_); }

  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] bool carries_device_memory() const noexcept override { return carries_device_memory_; }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const int count = static_cast<int>(bytes);
    check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, ranks_), "MPI_Allgather");
  }

  void all_to_all(const void* to, std::size_t bytes, void* from) override {
    const int count = static_cast<int>(bytes);
    check(MPI_Alltoall(to, count, MPI_BYTE, from, count, MPI_BYTE, ranks_), "MPI_Alltoall");
  }

  /// Between every two ranks messages of at most 2^30 bytes, all posted at once.
  void exchange(const exchanged_bytes& what) override {
    if (what.on_device) detail::await_device_work(what.stream);
    std::vector<MPI_Request> requests;
    auto* from = static_cast<std::byte*>(what.from);
    for (std::size_t r = 0; r < size_; from += what.from_bytes[r++])
      in_pieces(what.from_bytes[r], [&](std::size_t begin, int bytes) {
        check(MPI_Irecv(from + begin, bytes, MPI_BYTE, static_cast<int>(r), 0, ranks_, &requests.emplace_back()),
              "MPI_Irecv");
      });
    const auto* to = static_cast<const std::byte*>(what.to);
    for (std::size_t r = 0; r < size_; to += what.to_bytes[r++])
      in_pieces(what.to_bytes[r], [&](std::size_t begin, int bytes) {
        check(MPI_Isend(to + begin, bytes, MPI_BYTE, static_cast<int>(r), 0, ranks_, &requests.emplace_back()),
              "MPI_Isend");
      });
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  template <class Send>
  static void in_pieces(std::size_t bytes, const Send& send) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t begin = 0; begin < bytes; begin += most)
      send(begin, static_cast<int>((std::min)(bytes - begin, most)));
  }

  static bool takes_device_memory() noexcept {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
  }

  static void check(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING + 1] = {};
    int count = 0;
    (void)MPI_Error_string(code, words, &count);
    detail::refuse(errc::rank_failed, (std::string{call} + ": " + words).c_str());
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  bool carries_device_memory_;
};

}  // namespace gpu::inline v1
