// Copies between host memory of any kind and a device, at the speed of the wires. Page-locked memory and small arrays
// go as they are; large arrays in pageable memory go through page-locked buffers that several threads fill or empty
// while others are under way.
#pragma once

#include <gpu/detail/function_ref.hpp>
#include <gpu/detail/request.hpp>

#include <cstddef>
#include <vector>

#include "../staging_rule.hpp"
#include "handles.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// One array to copy. `ready`: what the device's side waits for before it is read, or null.
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
  /// For the current device. Throws gpu::error.
  transfers();
  transfers(const transfers&) = delete;
  transfers& operator=(const transfers&) = delete;
  /// Waits for the copies.
  ~transfers();

  /// Takes the buffers that copies of these will need, which else the first of them does.
  void make_ready(const std::vector<segment>& segments);
  /// Copies to the device. Pageable memory has been read when this returns; the copies are enqueued on stream().
  /// arrived(i) is called for one segment after the other as soon as its copies are enqueued, by any thread.
  void upload(const std::vector<segment>& segments, function_ref<void(std::size_t)> arrived = nobody);
  /// Copies to the host, which is done when this returns unless the host's memory is page-locked: then after stream().
  void download(const std::vector<segment>& segments);

  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_.get(); }
  void wait() const { check(cudaStreamSynchronize(stream())); }

 private:
  class lane;
  class pieces;
  static constexpr auto nobody = [](std::size_t) {};

  bool open_lanes();
  /// Whether the pageable ones of these segments go through buffers.
  bool stages(const std::vector<segment>& segments, bool (*worth)(std::size_t bytes));
  void enqueue(const segment& whole, cudaMemcpyKind direction) const;
  template <class Copy>
  void in_lanes(const Copy& copy);

  int device_ = 0;
  own_stream stream_;
  std::vector<std::byte*> buffers_;
  std::vector<lane> lanes_;
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
