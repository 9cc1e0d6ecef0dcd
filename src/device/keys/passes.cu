#include "passes.cuh"

namespace gpu::inline v1::detail::device {
GPUPAR_PASSES()
}  // namespace gpu::inline v1::detail::device
