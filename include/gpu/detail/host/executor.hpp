// The threads of the host backend. Implemented with oneTBB inside the library; no gpupar header mentions it.
#pragma once

#include <cstddef>

#include "../boundary/function_ref.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail::host {

/// Number of threads that `for_each_index` and `fork_join` may use at once, at least 1.
[[nodiscard]] GPUPAR_EXPORT std::size_t concurrency() noexcept;

/// Calls body(0) … body(count - 1), each once, in any order, possibly at the same time, and waits for all.
/// The first exception thrown by a body reaches the caller after all started bodies have ended; bodies that have not
/// started by then may be skipped.
GPUPAR_EXPORT void for_each_index(std::size_t count, function_ref<void(std::size_t)> body);

/// Wakes sleeping threads ahead of work that follows soon: it takes them about 20 microseconds to start.
GPUPAR_EXPORT void wake_threads() noexcept;

/// Runs both, possibly at the same time, and waits for both; the first exception reaches the caller.
GPUPAR_EXPORT void fork_join(function_ref<void()> left, function_ref<void()> right);

}  // namespace gpu::inline v1::detail::host
