#include "staging.hpp"

#include <gpu/detail/device/launching/launch.cuh>
#include <gpu/memory.hpp>

#include <algorithm>

#include "handles.hpp"

namespace gpu::inline v1 {
namespace detail::device {

namespace {

/// Whether CUDA no longer knows a buffer because a device has been reset since it was made.
bool is_gone(const std::byte* buffer) noexcept {
  cudaPointerAttributes attributes{};
  return granted(cudaPointerGetAttributes(&attributes, buffer)) && attributes.type != cudaMemoryTypeHost;
}

}  // namespace

staging_pool& staging_pool::instance() {
  static auto& pool = *new staging_pool;
  return pool;
}

std::vector<std::byte*> staging_pool::take(std::size_t most) {
  std::vector<std::byte*> taken;
  taken.reserve(most);
  std::size_t missing = 0;
  {
    const std::lock_guard lock{mutex_};
    if (sharing_ > 0) most = std::min(most, std::max<std::size_t>(most_ / sharing_, 2));  // one fills, one travels
    idle_.reserve(made_ + most);  // so that giving back cannot fail
    for (; taken.size() < most && !idle_.empty(); idle_.pop_back())
      if (is_gone(idle_.back()))
        --made_;
      else
        taken.push_back(idle_.back());
    if (made_ < most_) missing = std::min(most - taken.size(), most_ - made_);
    made_ += missing;
  }
  const beside_captures unhindered;
  for (; missing > 0; --missing) {  // a millisecond each, while others go on
    void* buffer = nullptr;
    if (cudaHostAlloc(&buffer, staging_buffer_bytes, cudaHostAllocPortable) != cudaSuccess) break;
    taken.push_back(static_cast<std::byte*>(buffer));
  }
  if (missing > 0) {
    (void)cudaGetLastError();
    const std::lock_guard lock{mutex_};
    made_ -= missing;
  }
  return taken;
}

void staging_pool::give_back(const std::vector<std::byte*>& buffers) noexcept {
  const std::lock_guard lock{mutex_};
  idle_.insert(idle_.end(), buffers.begin(), buffers.end());
  if (made_ > most_) free_idle_beyond(most_);
}

void staging_pool::limit(std::size_t bytes) noexcept {
  const std::lock_guard lock{mutex_};
  most_ = bytes / staging_buffer_bytes;
  if (made_ > most_) free_idle_beyond(most_);
}

void staging_pool::begin_sharing(std::size_t callers) noexcept {
  const std::lock_guard lock{mutex_};
  sharing_ += callers;
}

void staging_pool::end_sharing(std::size_t callers) noexcept {
  const std::lock_guard lock{mutex_};
  sharing_ -= callers;
}

void staging_pool::release() noexcept {
  const std::lock_guard lock{mutex_};
  free_idle_beyond(0);
}

std::size_t staging_pool::bytes() const noexcept {
  const std::lock_guard lock{mutex_};
  return made_ * staging_buffer_bytes;
}

void staging_pool::free_idle_beyond(std::size_t kept) noexcept {
  const beside_captures unhindered;
  for (; made_ > kept && !idle_.empty(); --made_) {
    (void)cudaFreeHost(idle_.back());
    idle_.pop_back();
  }
}

}  // namespace detail::device

void limit_staging(std::size_t bytes) noexcept { detail::device::staging_pool::instance().limit(bytes); }
void release_staging() noexcept { detail::device::staging_pool::instance().release(); }
std::size_t staging_bytes() noexcept { return detail::device::staging_pool::instance().bytes(); }

}  // namespace gpu::inline v1
