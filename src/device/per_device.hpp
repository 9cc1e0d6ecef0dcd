// Values kept per device for the lifetime of the process.
#pragma once

#include <gpu/plan.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace gpu::inline v1::detail::device {

/// A value per device, made on first use. Never destroyed: static destructors may run after CUDA is gone.
template <class T>
class per_device {
 public:
  template <class Make>
  T& get(int ordinal, const Make& make) {
    auto& slot = values_.at(static_cast<std::size_t>(ordinal));
    if (T* const known = slot.load(std::memory_order_acquire)) return *known;
    const std::lock_guard lock{mutex_};
    if (slot.load(std::memory_order_relaxed) == nullptr) slot.store(make().release(), std::memory_order_release);
    return *slot.load(std::memory_order_relaxed);
  }

  /// Calls use(value) for every value made so far.
  template <class Use>
  void for_each(const Use& use) {
    for (const auto& slot : values_)
      if (T* const known = slot.load(std::memory_order_acquire)) use(*known);
  }

 private:
  std::mutex mutex_;
  std::vector<std::atomic<T*>> values_{static_cast<std::size_t>(device_count())};
};

}  // namespace gpu::inline v1::detail::device
