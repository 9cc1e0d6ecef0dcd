// The ranks of an NCCL communicator as a gpu::communicator. Needs NCCL 2.7 or newer, because of its point-to-point
// sends and receives, and the CUDA runtime: link gpupar::nccl (CMake component nccl).
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "detail/config.hpp"

namespace gpu::inline v1 {
namespace detail {

inline void check_nccl(ncclResult_t code, const char* call) {
  if (code == ncclSuccess) return;
  const std::string words = std::string{"gpupar: "} + call + ": " + ncclGetErrorString(code);
  GPUPAR_THROW(error{make_error_code(errc::rank_failed), words});
}

inline void check_cuda_of_nccl(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  GPUPAR_THROW(error{{static_cast<int>(code), cuda_category()}, std::string{"gpupar: "} + call});
}

/// A device buffer that grows on demand; growing does not preserve its contents.
class nccl_memory {
 public:
  nccl_memory() = default;
  nccl_memory(const nccl_memory&) = delete;
  nccl_memory& operator=(const nccl_memory&) = delete;
  ~nccl_memory() { (void)cudaFree(data_); }

  [[nodiscard]] std::byte* of(std::size_t bytes) {
    if (bytes > bytes_) {
      (void)cudaFree(data_);
      data_ = nullptr;
      bytes_ = 0;
      check_cuda_of_nccl(cudaMalloc(&data_, bytes), "cudaMalloc");
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace detail

/// The ranks are those of `ranks`, which must outlive this and must not be used by anyone else during a call. Device
/// memory is sent directly; host memory, and the few bytes by which ranks agree, pass through the communicator's
/// device, which must be current when the calls are made. If several ranks are in one process, elements must not lie in
/// memory from pools (cudaMallocAsync), which NCCL would let other devices read. Throws gpu::error: errc::rank_failed
/// with the error text of NCCL, or a CUDA error.
class nccl_communicator final : public communicator {
 public:
  explicit nccl_communicator(ncclComm_t ranks) : ranks_{ranks} {
    int rank = 0, size = 1;
    detail::check_nccl(ncclCommUserRank(ranks_, &rank), "ncclCommUserRank");
    detail::check_nccl(ncclCommCount(ranks_, &size), "ncclCommCount");
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
    detail::check_cuda_of_nccl(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~nccl_communicator() override { (void)cudaStreamDestroy(stream_); }

  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] bool carries_device_memory() const noexcept override { return true; }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    std::byte* const to = memory_.of(padded(bytes) + size_ * bytes);
    std::byte* const from = to + padded(bytes);
    copy(to, mine, bytes, cudaMemcpyHostToDevice);
    detail::check_nccl(ncclAllGather(to, from, bytes, ncclInt8, ranks_, stream_), "ncclAllGather");
    copy(all, from, size_ * bytes, cudaMemcpyDeviceToHost);
    wait(stream_);
  }

  void all_to_all(const void* to, std::size_t bytes, void* from) override {
    const std::vector<std::size_t> each(size_, bytes);
    exchange_through_device({to, each.data(), from, each.data()});
  }

  void exchange(const exchanged_bytes& what) override {
    if (!what.on_device) return exchange_host_memory(what);
    send_and_receive(what, what.stream);
    wait(what.stream);
  }

 private:
  /// Bytes that one rank sends to another in one round when it exchanges host memory.
  static constexpr std::size_t piece = std::size_t{8} << 20;

  static constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 255) / 256 * 256; }

  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction) {
    detail::check_cuda_of_nccl(cudaMemcpyAsync(to, from, bytes, direction, stream_), "cudaMemcpyAsync");
  }

  void wait(cudaStream_t stream) {
    detail::check_cuda_of_nccl(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    ncclResult_t state = ncclSuccess;
    detail::check_nccl(ncclCommGetAsyncError(ranks_, &state), "ncclCommGetAsyncError");
    detail::check_nccl(state, "a rank");
  }

  void send_and_receive(const exchanged_bytes& what, cudaStream_t stream) {
    const auto* to = static_cast<const std::byte*>(what.to);
    auto* from = static_cast<std::byte*>(what.from);
    detail::check_nccl(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t first = ncclSuccess;
    const auto note = [&](ncclResult_t code) {
      if (first == ncclSuccess) first = code;
    };
    for (std::size_t r = 0; r < size_; to += what.to_bytes[r], from += what.from_bytes[r], ++r) {
      const int peer = static_cast<int>(r);
      if (what.to_bytes[r] > 0) note(ncclSend(to, what.to_bytes[r], ncclInt8, peer, ranks_, stream));
      if (what.from_bytes[r] > 0) note(ncclRecv(from, what.from_bytes[r], ncclInt8, peer, ranks_, stream));
    }
    note(ncclGroupEnd());
    detail::check_nccl(first, "ncclSend or ncclRecv");
  }

  /// Exchanges host memory in a single round.
  void exchange_through_device(const exchanged_bytes& what) {
    std::size_t sent = 0, got = 0;
    for (std::size_t r = 0; r < size_; ++r) sent += what.to_bytes[r], got += what.from_bytes[r];
    std::byte* const to = memory_.of(padded(sent) + got);
    std::byte* const from = to + padded(sent);
    if (sent > 0) copy(to, what.to, sent, cudaMemcpyHostToDevice);
    send_and_receive({to, what.to_bytes, from, what.from_bytes}, stream_);
    if (got > 0) copy(what.from, from, got, cudaMemcpyDeviceToHost);
    wait(stream_);
  }

  /// Exchanges host memory of any size; the number of rounds is that needed for the largest message between any two
  /// ranks.
  void exchange_host_memory(const exchanged_bytes& what) {
    std::uint64_t rounds = 0;
    for (std::size_t r = 0; r < size_; ++r)
      rounds = (std::max)({rounds, rounds_for(what.to_bytes[r]), rounds_for(what.from_bytes[r])});
    std::vector<std::uint64_t> all(size_);
    all_gather(&rounds, sizeof(rounds), all.data());
    rounds = *std::max_element(all.begin(), all.end());
    if (rounds <= 1) return exchange_through_device(what);

    std::vector<std::byte> to, from;
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto sent = piece_sizes(what.to_bytes, round), got = piece_sizes(what.from_bytes, round);
      to.clear();
      for_each_piece(what.to_bytes, sent, round, [&](std::size_t begin, std::size_t bytes) {
        const auto* const first = static_cast<const std::byte*>(what.to) + begin;
        to.insert(to.end(), first, first + bytes);
      });
      std::size_t all_got = 0;
      for (const std::size_t bytes : got) all_got += bytes;
      from.resize(all_got);
      exchange_through_device({to.data(), sent.data(), from.data(), got.data()});
      const std::byte* next = from.data();
      for_each_piece(what.from_bytes, got, round, [&](std::size_t begin, std::size_t bytes) {
        std::copy_n(next, bytes, static_cast<std::byte*>(what.from) + begin);
        next += bytes;
      });
    }
  }

  static constexpr std::uint64_t rounds_for(std::size_t bytes) noexcept { return (bytes + piece - 1) / piece; }

  /// How many bytes of each rank's message are in a round.
  [[nodiscard]] std::vector<std::size_t> piece_sizes(const std::size_t* bytes, std::size_t round) const {
    std::vector<std::size_t> sizes(size_);
    for (std::size_t r = 0; r < size_; ++r)
      sizes[r] = (std::min)(piece, bytes[r] - (std::min)(bytes[r], round * piece));
    return sizes;
  }

  /// Calls body(offset in the whole array, bytes) for each rank's piece of a round.
  template <class Body>
  void for_each_piece(const std::size_t* bytes, const std::vector<std::size_t>& sizes, std::size_t round,
                      const Body& body) const {
    for (std::size_t r = 0, begin = 0; r < size_; begin += bytes[r++])
      if (sizes[r] > 0) body(begin + round * piece, sizes[r]);
  }

  ncclComm_t ranks_;
  cudaStream_t stream_ = nullptr;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  detail::nccl_memory memory_;
};

}  // namespace gpu::inline v1
