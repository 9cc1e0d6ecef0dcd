// Every form of operator new and delete of a test program, replaced: allocations are counted, and one of them, or all
// from one on, fail on request. Link failing_new.cpp.
#pragma once

#include <cstddef>

namespace testing {

/// The number of allocations by operator new that have not been freed.
[[nodiscard]] std::size_t live_allocations();

enum class outage : unsigned char { once, from_then_on };

/// While it exists, the k-th allocation from now on (0: the next), or every one from the k-th on, fails in any thread.
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
