// All of gpupar that both a .cpp and a .cu can use.
#pragma once

#include "detail/config.hpp"

#if __cplusplus >= 202002L  // otherwise config.hpp has reported the error
#include "argsort.hpp"
#include "by.hpp"
#include "error.hpp"
#include "execution.hpp"
#include "explain.hpp"
#include "gather.hpp"
#include "memory.hpp"
#include "merge.hpp"
#include "plan.hpp"
#include "segmented_sort.hpp"
#include "selection.hpp"
#include "sort.hpp"
#endif
