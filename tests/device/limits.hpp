// Sorts of host data within little device memory: places and limits for the tests of sorting in runs.
#pragma once

#include <cstddef>
#include <string>

#include "places.hpp"

namespace testing {

/// Calls body(place, limit) for pageable and pinned memory and limits that make from two to thousands of runs (if
/// reduced, pageable memory and few runs), or reports a skip. The limit is in the place's policy.
template <class Body>
void with_memory_limits(Body body) {
  if (gpu::device_count() == 0) return skip("limits of device memory: no device");
  for (const auto kind : {memory::pageable, memory::pinned})
    for (const std::size_t limit : {1, 150'000, 2'000'000}) {
      if (reduced() && (kind != memory::pageable || limit != 150'000)) continue;
      const auto policy = gpu::par.require_device().with_memory_limit(limit);
      const std::string name = std::string{to_string(kind)} + " memory, limit " + std::to_string(limit);
      body(place<decltype(gpu::par.require_device()), false>{policy, kind, name}, limit);
    }
}

}  // namespace testing
