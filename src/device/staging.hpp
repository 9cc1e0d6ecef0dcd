// The process's pool of page-locked buffers, through which pageable memory travels to a device and back.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Bytes of one buffer. Below 2 MiB the driver's work per copy (about 12 microseconds when eight threads ask at once)
/// shows; far more buffers than the last-level cache holds would send every byte to memory once more.
inline constexpr std::size_t staging_buffer_bytes = std::size_t{4} << 20;

/// Buffers made when first needed and kept for the next call. Taking never waits for another call: whoever gets fewer
/// than it asked for works with those, or without any.
class staging_pool {
 public:
  /// The one pool. Lives as long as the process, for static destructors may run after CUDA is gone.
  static staging_pool& instance();

  /// At most `most` buffers, perhaps none; to each of several callers that share the pool no more than to any other.
  [[nodiscard]] std::vector<std::byte*> take(std::size_t most);
  /// Takes buffers back, with which no copy may be at work.
  void give_back(const std::vector<std::byte*>& buffers) noexcept;

  /// At most so many bytes in all from now on; surplus goes as soon as no call holds it.
  void limit(std::size_t bytes) noexcept;
  /// Frees the buffers that no call holds.
  void release() noexcept;
  /// Bytes that the pool has now, lent or idle.
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// So many callers take buffers at once, as threads of several devices do; or they do no more.
  void begin_sharing(std::size_t callers) noexcept;
  void end_sharing(std::size_t callers) noexcept;

 private:
  staging_pool() = default;
  void free_idle_beyond(std::size_t kept) noexcept;

  mutable std::mutex mutex_;
  std::vector<std::byte*> idle_;
  std::size_t made_ = 0;
  std::size_t sharing_ = 0;  ///< callers, if several are known of
  std::size_t most_ = (std::size_t{128} << 20) / staging_buffer_bytes;  // two calls at full speed
};

/// Has so many callers share the pool for as long as it lives.
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
