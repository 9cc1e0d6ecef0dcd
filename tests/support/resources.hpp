// Memory resources that count or fail on purpose, over plain device memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "device_memory.hpp"
#include "gpu/memory.hpp"

namespace testing {

/// Counts requests, the bytes outstanding now, and their peak.
class counting_resource : public gpu::memory_resource {
 public:
  void* allocate(std::size_t bytes, std::size_t, gpu::stream_handle) override {
    const std::lock_guard lock{mutex_};
    now_ += bytes;
    peak_ = std::max(peak_, now_);
    ++requests_;
    return allocate_device(bytes);
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t, gpu::stream_handle) noexcept override {
    const std::lock_guard lock{mutex_};
    synchronize_device();
    deallocate_device(pointer);
    now_ -= bytes;
  }

  /// The peak since the last call.
  std::size_t take_peak() { return std::exchange(peak_, now_); }
  [[nodiscard]] std::size_t outstanding() const { return now_; }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  std::mutex mutex_;
  std::size_t now_ = 0, peak_ = 0, requests_ = 0;
};

/// How a resource reports that there is no memory.
enum class refusal { exception, null };

/// Runs out of memory after `allowed` allocations.
class failing_resource : public counting_resource {
 public:
  explicit failing_resource(std::size_t allowed, refusal how = refusal::exception) : allowed_{allowed}, how_{how} {}
  void* allocate(std::size_t bytes, std::size_t alignment, gpu::stream_handle stream) override {
    if (asked_++ >= allowed_) {
      if (how_ == refusal::null) return nullptr;
      throw std::bad_alloc{};
    }
    return counting_resource::allocate(bytes, alignment, stream);
  }
  [[nodiscard]] std::size_t requests() const { return asked_; }

 private:
  std::size_t allowed_, asked_ = 0;
  refusal how_;
};

/// Knows no streams, like std::pmr: a deallocated block may be handed out again at once. Calls told() before it takes a
/// block back.
template <class Told>
class plain_resource {
 public:
  explicit plain_resource(Told told) : told_{told} {}
  plain_resource(const plain_resource&) = delete;
  plain_resource& operator=(const plain_resource&) = delete;
  ~plain_resource() {
    for (const auto& [bytes, block] : idle_) deallocate_device(block);
  }

  void* allocate(std::size_t bytes, std::size_t) {
    const std::lock_guard lock{mutex_};
    ++requests_;
    const auto found = idle_.find(bytes);
    if (found == idle_.end()) return allocate_device(bytes);
    void* const block = found->second;
    idle_.erase(found);
    return block;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t) {
    told_();
    const std::lock_guard lock{mutex_};
    idle_.emplace(bytes, pointer);
  }

  [[nodiscard]] std::size_t requests() const { return requests_; }
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }

 private:
  Told told_;
  std::mutex mutex_;
  std::multimap<std::size_t, void*> idle_;
  std::size_t requests_ = 0;
};

}  // namespace testing
