// What explain() and the log tell of keys.
#pragma once

#include "../boundary/request.hpp"

namespace gpu::inline v1::detail {

/// Adds to the plan's remark what a key of several parts became.
GPUPAR_EXPORT void tell_of_key(const workload& work, plan& decided);

}  // namespace gpu::inline v1::detail
