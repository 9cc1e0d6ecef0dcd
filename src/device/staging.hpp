// The process's pool of page-locked buffers, through which pageable memory travels to a device and back.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Bytes of one buffer. Below 2 MiB the driver's work per copy (about 12 microseconds when eight threads call at once)
/// becomes noticeable; far more buffers than fit the last-level cache would send every byte to memory once more.
inline constexpr std::size_t staging_buffer_bytes = std::size_t{4} << 20;

/// Buffers made when first needed and kept for the next call. Taking never waits for another call: a caller that gets
/// fewer buffers than requested works with those, or without any.
class staging_pool {
 public:
  /// The one pool. Lives as long as the process, for static destructors may run after CUDA is gone.
  static staging_pool& instance();

  /// Takes at most `most` buffers, perhaps none. A caller that shares the pool gets no more than its equal share, or
  /// two.
  [[nodiscard]] std::vector<std::byte*> take(std::size_t most);
  /// Takes buffers back, which no copy may still use.
  void give_back(const std::vector<std::byte*>& buffers) noexcept;

  /// Limits the pool to `bytes` bytes in all from now on; surplus buffers are freed as soon as no call holds them.
  void limit(std::size_t bytes) noexcept;
  /// Frees the buffers that no call holds.
  void release() noexcept;
  /// Bytes that the pool has now, lent or idle.
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// Between these, `callers` more callers take buffers at once, as threads of several devices do.
  void begin_sharing(std::size_t callers) noexcept;
  void end_sharing(std::size_t callers) noexcept;

 private:
  staging_pool() = default;
  void free_idle_beyond(std::size_t kept) noexcept;

  mutable std::mutex mutex_;
  std::vector<std::byte*> idle_;
  std::size_t made_ = 0;
  std::size_t sharing_ = 0;  ///< callers that take buffers at once
  std::size_t most_ = (std::size_t{128} << 20) / staging_buffer_bytes;  // two calls at full speed
};

/// Has `callers` callers share the pool during its lifetime.
class shared_staging {
 public:
  explicit shared_staging(std::size_t callers) noexcept : callers_{callers} {
    staging_pool::instance().begin_sharing(callers_);
  }
  shared_staging(const shared_staging&) = delete;
  shared_staging& operator=(const shared_staging&) = delete;
  ~shared_staging() { staging_pool::instance().end_sharing(callers_); }

 private:
  std::size_t callers_;
};

}  // namespace gpu::inline v1::detail::device
