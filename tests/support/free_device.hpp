// To the cost model of a program that includes this a device is free, however busy others keep it: host data go there
// if they may.
#pragma once

#include <cstdlib>

namespace testing {

[[maybe_unused]] inline const int free_device = setenv("GPUPAR_COST_MODEL", "0,1000,1000", 0);

}  // namespace testing
