// Remarks on keys in explain() and in the log.
#pragma once

#include "../boundary/request.hpp"

namespace gpu::inline v1::detail {

/// Adds to the plan's remark how a key of several parts is converted.
GPUPAR_EXPORT void tell_of_key(const workload& work, plan& decided);

}  // namespace gpu::inline v1::detail
