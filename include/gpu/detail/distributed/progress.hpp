// Progress reports, for a policy's listener, of calls that consist of several others.
#pragma once

#include <type_traits>

#include "../../execution.hpp"

namespace gpu::inline v1::detail {

/// Calls work(options), which does the whole work of a call; the listener is called with 0 before, and with 1 after it
/// has returned.
template <class Policy, class Work>
auto with_progress(const Policy& policy, const Work& work) {
  const execution_options options = policy.options();
  options.progress(0);
  if constexpr (std::is_void_v<decltype(work(options))>) {
    work(options);
    options.progress(1);
  } else {
    auto result = work(options);
    options.progress(1);
    return result;
  }
}

}  // namespace gpu::inline v1::detail
