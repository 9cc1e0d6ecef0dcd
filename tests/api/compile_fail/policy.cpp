// expect: the_first_argument_must_be_a_policy_such_as_gpu_par
// A first argument that is not one of gpupar's policies.
#include <execution>
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v);
#else
  gpu::sort(std::execution::par, v);
#endif
}
