// Every form of operator new and delete of a test program, replaced: allocations are counted, and one of them, or all
// from one on, fail on request. Link failing_new.cpp.
#pragma once

#include <cstddef>

namespace testing {

/// How many allocations of operator new have not been given back.
[[nodiscard]] std::size_t live_allocations();

enum class outage : unsigned char { once, from_then_on };

/// In its scope the k-th allocation from now (0: the next), of whatever thread, finds no memory.
class failing_allocation {
 public:
  explicit failing_allocation(std::size_t k, outage how = outage::once);
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;
  ~failing_allocation();

  /// Whether there was a k-th allocation.
  [[nodiscard]] bool happened() const;
};

}  // namespace testing
