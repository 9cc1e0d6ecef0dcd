// Words through which kernels signal to the host that a call has ended: a page of the process's own memory, page-locked
// for all devices. The page remains when a device is reset, which unlocks it; from then on calls wait for the stream.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/call_end.hpp>
#include <gpu/detail/device/launching/launch.cuh>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <new>

#include "handles.hpp"

namespace gpu::inline v1::detail::device {
namespace {

/// A word in a cache line of its own. `given` is the number of its last signal: a kernel that was never waited for may
/// still raise an earlier one.
struct alignas(64) slot {
  unsigned word = 0;
  unsigned given = 0;
};

constexpr int slots = 64;
struct alignas(4096) shared_page {
  std::array<slot, slots> all;
};
static_assert(sizeof(shared_page) == 4096);

std::atomic<std::uint64_t> taken{0};

/// The page, or null unless kernels can use it at the host's address. It is allocated and locked on first use, and
/// never freed: a kernel may still write to it when the library is unloaded.
shared_page* locked_page() noexcept {
  static shared_page* const page = []() -> shared_page* {
    auto* const made = new (std::nothrow) shared_page;
    if (made == nullptr) return nullptr;
    const beside_captures unhindered;
    constexpr unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
    if (granted(cudaHostRegister(made, sizeof(*made), flags))) return made;
    delete made;
    return nullptr;
  }();
  return page != nullptr && locate(page).kind == memory_kind::pinned ? page : nullptr;
}

/// The number of a free slot, now claimed; -1 if there is none.
int claim_slot() noexcept {
  std::uint64_t before = taken.load(std::memory_order_relaxed);
  while (~before != 0) {
    const int free = std::countr_one(before);
    if (taken.compare_exchange_weak(before, before | std::uint64_t{1} << free, std::memory_order_acquire)) return free;
  }
  return -1;
}

}  // namespace

call_end::~call_end() {
  if (slot_ >= 0) taken.fetch_and(~(std::uint64_t{1} << slot_), std::memory_order_release);
}

signal call_end::take() noexcept {
  shared_page* const page = locked_page();
  if (page == nullptr) return {};
  if (slot_ < 0) slot_ = claim_slot();
  if (slot_ < 0) return {};
  slot& own = page->all[static_cast<std::size_t>(slot_)];
  signal_ = {&own.word, ++own.given};
  expected_ = true;
  return signal_;
}

bool call_end::was_raised() const noexcept {
  constexpr auto patience = std::chrono::microseconds{30};
  constexpr int looks_at_once = 64;  // these take as long as reading the clock
  if (!expected_) return false;
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int look = 0; look < looks_at_once; ++look)
      if (std::atomic_ref{*signal_.word}.load(std::memory_order_acquire) == signal_.number) return true;
  } while (std::chrono::steady_clock::now() - begin < patience);
  return false;
}

}  // namespace gpu::inline v1::detail::device
