// The progress of calls that are several in one, for a policy's listener.
#pragma once

#include <type_traits>

#include "../../execution.hpp"

namespace gpu::inline v1::detail {

/// work(options), in which a call does all it does; the listener is called with 0 before, and with 1 when it has
/// returned.
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
