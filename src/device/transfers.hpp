// Copies between host memory of any kind and a device, at the speed of the wires. Page-locked memory and small arrays
// are copied directly; larger arrays in pageable memory go through page-locked buffers that several threads fill or
// empty: arrays of a few MiB as one part per thread, larger ones piece by piece while other pieces are in flight.
#pragma once

#include <gpu/detail/boundary/function_ref.hpp>
#include <gpu/detail/boundary/request.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "../staging_rule.hpp"
#include "handles.hpp"

namespace gpu::inline v1::detail::device {

/// One array to copy. `ready`: the event to wait for before the device's side is read, or null.
struct segment {
  void* device;
  void* host;
  std::size_t bytes;
  cudaEvent_t ready = nullptr;
};

/// Whether the copies of host data can go through staging buffers.
[[nodiscard]] inline bool is_pageable(const void* host) { return locate(host).kind == memory_kind::pageable; }

/// A stream for copies and, as soon as they are needed, staging buffers for them.
class transfers {
 public:
  /// For the current device, on a stream of its own or a given one. Throws gpu::error.
  transfers();
  explicit transfers(cudaStream_t stream);
  transfers(const transfers&) = delete;
  transfers& operator=(const transfers&) = delete;
  /// Waits for the copies.
  ~transfers();

  /// Takes the buffers that copies of these segments will need; otherwise the first copy takes them.
  void make_ready(const std::vector<segment>& segments);
  /// Copies to the device. Pageable memory has been read when this returns; the copies are enqueued on stream().
  /// arrived(i) is called for the segments in order, each as soon as its copies are enqueued, by any thread.
  void upload(const std::vector<segment>& segments, function_ref<void(std::size_t)> arrived = nobody);
  /// Copies to the host. This is complete when the function returns unless the host's memory is page-locked: then after
  /// stream().
  void download(const std::vector<segment>& segments);

  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }
  void wait() const { device::wait(stream()); }

 private:
  class lane;
  class pieces;

  /// What one thread copies at a time, through its own part of a buffer.
  struct part : segment {
    std::byte* buffer;
  };
  static constexpr auto nobody = [](std::size_t) {};

  /// How the pageable ones of some segments are copied.
  enum class way : unsigned char { directly, at_once, in_pieces };
  struct route {
    way how;
    std::vector<part> parts;  ///< if at once
  };
  route route_of(const std::vector<segment>& segments);
  bool open_lanes();
  void take_buffers(std::size_t wanted);
  /// Pageable segments of `all_bytes` bytes in total, cut into parts for as many threads as are worth waking; empty if
  /// there are too few buffers for all.
  std::vector<part> parts_of(const std::vector<segment>& pageable, std::size_t all_bytes);
  static bool wakes_threads(const std::vector<part>& parts);
  void upload_at_once(const std::vector<part>& parts);
  void download_at_once(const std::vector<part>& parts);
  void enqueue(const segment& whole, cudaMemcpyKind direction) const;
  template <class Copy>
  void in_threads(std::size_t count, const Copy& copy);

  int device_ = 0;
  std::optional<own_stream> own_;
  cudaStream_t stream_;
  std::vector<std::byte*> buffers_;
  std::vector<lane> lanes_;
};

}  // namespace gpu::inline v1::detail::device
