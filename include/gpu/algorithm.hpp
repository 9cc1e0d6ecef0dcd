// All of gpupar that both a .cpp and a .cu can use.
#pragma once

#include "error.hpp"
#include "execution.hpp"
#include "explain.hpp"
#include "memory.hpp"
#include "merge.hpp"
#include "plan.hpp"
#include "sort.hpp"
