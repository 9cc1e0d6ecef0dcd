// The executor of the host backend on plain threads, in place of the one on oneTBB (GPUPAR_EXECUTOR): for
// ThreadSanitizer, which understands how threads wait for each other but not a libtbb that was not built for it.
#include <gpu/detail/host/executor.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gpu {
inline namespace v1 {
namespace detail::host {
namespace {

constexpr std::size_t threads = 4;

/// The first exception of several threads.
class first_exception {
 public:
  void keep(std::exception_ptr thrown) {
    const std::lock_guard lock{mutex_};
    if (!thrown_) thrown_ = std::move(thrown);
    any_ = true;
  }
  [[nodiscard]] bool any() const { return any_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::atomic<bool> any_{false};
};

}  // namespace

std::size_t concurrency() noexcept { return threads; }

void for_each_index(std::size_t count, function_ref<void(std::size_t)> body) {
  if (count == 1) return body(0);
  std::atomic<std::size_t> next{0};
  first_exception thrown;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count && !thrown.any(); i = next++) body(i);
    } catch (...) {
      thrown.keep(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(work);
    work();
  }
  thrown.rethrow();
}

void wake_threads() noexcept {}  // threads are started when there is work

void fork_join(function_ref<void()> left, function_ref<void()> right) {
  for_each_index(2, [&](std::size_t index) { index == 0 ? left() : right(); });
}

}  // namespace detail::host
}  // namespace v1
}  // namespace gpu
