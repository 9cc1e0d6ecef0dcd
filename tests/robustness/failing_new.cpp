#include "failing_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace testing {
namespace {

constexpr std::ptrdiff_t never = -1;

std::atomic<std::size_t> live_count{0}, failures{0};
std::atomic<std::ptrdiff_t> left{never};  // allocations until the failure; `never`: none will fail
std::atomic<outage> mode{outage::once};

bool fails_now() {
  if (left.load(std::memory_order_relaxed) == never) return false;
  std::ptrdiff_t before = left.load();
  while (before > 0)
    if (left.compare_exchange_weak(before, before - 1)) return false;
  if (before == never) return false;
  if (mode == outage::once && !left.compare_exchange_strong(before, never)) return false;
  ++failures;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails_now()) return nullptr;
  const std::size_t least = alignment > alignof(std::max_align_t) ? alignment : alignof(std::max_align_t);
  if (bytes > ~std::size_t{0} - least) return nullptr;
  void* const memory = std::aligned_alloc(least, (bytes / least + 1) * least);
  if (memory == nullptr) return nullptr;
  ++live_count;
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc{};
}

void deallocate(void* memory) noexcept {
  if (memory == nullptr) return;
  --live_count;
  std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);
constexpr std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

std::size_t live_allocations() { return live_count; }

failing_allocation::failing_allocation(std::size_t k, outage how) {
  failures = 0;
  mode = how;
  left = static_cast<std::ptrdiff_t>(k);
}

failing_allocation::~failing_allocation() { left = never; }

bool failing_allocation::happened() const { return failures > 0; }

}  // namespace testing

using namespace testing;

void* operator new(std::size_t n) { return allocate_or_throw(n, usual); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, usual); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, number(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, number(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, usual); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, usual); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, number(a)); }
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, number(a));
}
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete[](void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { deallocate(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { deallocate(memory); }
