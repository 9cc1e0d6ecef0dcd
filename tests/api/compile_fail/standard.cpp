// expect: gpupar needs C++20
// A standard before C++20.
// flags: -std=c++17
#ifdef RIGHT
#define GPUPAR_TEST_NOTHING
#else
#include "gpu/algorithm.hpp"
#endif
