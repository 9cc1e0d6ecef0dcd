#include "cuts.cuh"

namespace gpu::inline v1::detail::device {
GPUPAR_CUTS()
}  // namespace gpu::inline v1::detail::device
