// Threads as ranks: the data that one rank offers are read in place by the others, between two barriers.
#include <gpu/detail/distributed/memory.hpp>
#include <gpu/error.hpp>
#include <gpu/threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gpu::inline v1 {
namespace {

/// An array given to exchange(), as its receivers need it: with the offset of each receiver's bytes.
struct offered_bytes {
  const exchanged_bytes* what;
  std::vector<std::size_t> offsets;
};

}  // namespace

class thread_communicators::group {
 public:
  explicit group(std::size_t count);

  /// Returns when all ranks have called it; throws if one has left. Polls for a while before it sleeps: waking up takes
  /// longer than what ranks do between most meetings.
  void meet() {
    std::unique_lock lock{mutex_};
    require_all();
    if (++arrived_ == offers_.size()) {
      arrived_ = 0;
      ++meetings_;
      lock.unlock();
      return met_.notify_all();
    }
    const std::size_t meeting = meetings_;
    lock.unlock();
    for (int i = 0; i < looks_; ++i) {
      if (meetings_ != meeting) return;
      std::this_thread::yield();
    }
    lock.lock();
    met_.wait(lock, [&] { return meetings_ != meeting || left_; });
    if (meetings_ == meeting) require_all();
  }

  void leave(std::size_t rank) noexcept {
    {
      const std::lock_guard lock{mutex_};
      if (!left_) who_left_ = rank;
      left_ = true;
    }
    met_.notify_all();
  }

  /// Shows the other ranks where `mine` is, calls use() once all have done so, and returns when use() has ended on all.
  template <class Use>
  void share(std::size_t rank, const void* mine, const Use& use) {
    offers_[rank] = mine;
    meet();
    std::exception_ptr failure;
    try {
      use();
    } catch (...) {
      failure = std::current_exception();
    }
    meet();
    if (failure) std::rethrow_exception(failure);
  }

  [[nodiscard]] const void* offer(std::size_t rank) const noexcept { return offers_[rank]; }
  [[nodiscard]] std::size_t size() const noexcept { return offers_.size(); }
  [[nodiscard]] communicator& of(std::size_t rank) noexcept;

 private:
  class member;

  void require_all() const {
    if (left_)
      throw rank_error{who_left_, make_error_code(errc::rank_failed),
                       "gpupar: rank " + std::to_string(who_left_) + " of " + std::to_string(offers_.size()) +
                           ": it has ended, or failed, without the calls that the others make"};
  }

  std::mutex mutex_;
  std::condition_variable met_;
  std::size_t arrived_ = 0;
  std::atomic<std::size_t> meetings_ = 0;
  int looks_;  ///< polls before sleeping; 0 if ranks share cores
  bool left_ = false;
  std::size_t who_left_ = 0;
  std::vector<const void*> offers_;
  std::vector<std::unique_ptr<communicator>> members_;
};

class thread_communicators::group::member final : public communicator {
 public:
  member(group& all, std::size_t rank) noexcept : all_{all}, rank_{rank} {}

  std::size_t rank() const noexcept override { return rank_; }
  std::size_t size() const noexcept override { return all_.size(); }
  bool carries_device_memory() const noexcept override { return true; }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    all_.share(rank_, mine, [&] {
      for (std::size_t r = 0; r < size(); ++r) copy_small(all, r, all_.offer(r), 0, bytes);
    });
  }

  void all_to_all(const void* to, std::size_t bytes, void* from) override {
    all_.share(rank_, to, [&] {
      for (std::size_t r = 0; r < size(); ++r) copy_small(from, r, all_.offer(r), rank_, bytes);
    });
  }

  void exchange(const exchanged_bytes& what) override {
    offered_bytes mine{&what, std::vector<std::size_t>(size())};
    std::size_t offset = 0;
    for (std::size_t r = 0; r < size(); ++r) {
      mine.offsets[r] = offset;
      offset += what.to_bytes[r];
    }
    if (what.on_device) detail::await_device_work(what.stream);
    all_.share(rank_, &mine, [&] {
      std::vector<detail::device_copy> copies;
      for (std::size_t r = 0, received = 0; r < size(); received += what.from_bytes[r++]) {
        const auto& theirs = *static_cast<const offered_bytes*>(all_.offer(r));
        copies.push_back({static_cast<std::byte*>(what.from) + received,
                          static_cast<const std::byte*>(theirs.what->to) + theirs.offsets[rank_], what.from_bytes[r]});
      }
      // Starts with the next rank, so that every rank is read by one other at a time. The own part comes last.
      std::rotate(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>((rank_ + 1) % size()), copies.end());
      if (what.on_device) {
        detail::copy_device_bytes(copies.back(), {copies.data(), copies.size() - 1}, what.stream);
        return detail::await_device_work(what.stream);
      }
      for (const detail::device_copy& copy : copies)
        if (copy.bytes > 0) std::memcpy(copy.to, copy.from, copy.bytes);
    });
  }

 private:
  static void copy_small(void* to, std::size_t to_index, const void* from, std::size_t from_index, std::size_t bytes) {
    std::memcpy(static_cast<std::byte*>(to) + to_index * bytes,
                static_cast<const std::byte*>(from) + from_index * bytes, bytes);
  }

  group& all_;
  std::size_t rank_;
};

thread_communicators::group::group(std::size_t count)
    : looks_{count <= std::thread::hardware_concurrency() ? 200 : 0}, offers_(count) {
  for (std::size_t r = 0; r < count; ++r) members_.push_back(std::make_unique<member>(*this, r));
}

communicator& thread_communicators::group::of(std::size_t rank) noexcept { return *members_[rank]; }

thread_communicators::thread_communicators(std::size_t count) : group_{std::make_unique<group>(count)} {}
thread_communicators::~thread_communicators() = default;
std::size_t thread_communicators::size() const noexcept { return group_->size(); }
communicator& thread_communicators::operator[](std::size_t rank) noexcept { return group_->of(rank); }
void thread_communicators::leave(std::size_t rank) noexcept { group_->leave(rank); }

namespace detail {

void run_on_threads(std::size_t count, function_ref<void(communicator&)> body) {
  thread_communicators ranks{count};
  std::mutex mutex;
  std::exception_ptr first;
  const auto fail = [&](std::exception_ptr failure) {
    const std::lock_guard lock{mutex};
    if (!first) first = std::move(failure);
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (std::size_t r = 0; r < count; ++r)
      threads.emplace_back([&, r] {
        try {
          body(ranks[r]);
        } catch (...) {
          fail(std::current_exception());
        }
        ranks.leave(r);
      });
  } catch (...) {
    fail(std::current_exception());
    ranks.leave(threads.size());
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace detail
}  // namespace gpu::inline v1
