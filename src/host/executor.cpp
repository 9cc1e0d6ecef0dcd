// The thread executor of the host backend, on oneTBB.
#include <gpu/detail/host/executor.hpp>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>

namespace gpu::inline v1::detail::host {

std::size_t concurrency() noexcept {
  return static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
}

// Contexts are isolated: otherwise an exception in one task cancels the loops that other tasks have started, and these
// return half done without an error.

void for_each_index(std::size_t count, function_ref<void(std::size_t)> body) {
  if (count == 1) return body(0);
  tbb::task_group_context own{tbb::task_group_context::isolated};
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t index) { body(index); }, own);
}

void wake_threads() noexcept {
  using tbb::global_control;
  if (global_control::active_value(global_control::max_allowed_parallelism) < 2) return;  // else TBB would create one
  GPUPAR_TRY {
    tbb::task_arena(tbb::task_arena::attach{}).enqueue([] {});
  }
  GPUPAR_CATCH(...) {}  // they wake up later, when there is work
}

void fork_join(function_ref<void()> left, function_ref<void()> right) {
  tbb::task_group_context own{tbb::task_group_context::isolated};
  tbb::parallel_invoke([&] { left(); }, [&] { right(); }, own);
}

}  // namespace gpu::inline v1::detail::host
