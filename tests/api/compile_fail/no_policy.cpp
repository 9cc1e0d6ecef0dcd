// expect: the_first_argument_must_be_a_policy_such_as_gpu_par
// The namespace changed, the policy forgotten.
#include <vector>

#include "gpu/algorithm.hpp"

void call(std::vector<int>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v.begin(), v.end());
#else
  gpu::sort(v.begin(), v.end());
#endif
}
