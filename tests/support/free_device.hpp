// Makes the device free of cost in the cost model of a program that includes this, even if others keep it busy: host
// data go there if allowed.
#pragma once

#include <cstdlib>

namespace testing {

[[maybe_unused]] inline const int free_device = setenv("GPUPAR_COST_MODEL", "0,1000,1000", 0);

}  // namespace testing
