#include "samples.cuh"

namespace gpu::inline v1::detail::device {
GPUPAR_SAMPLES()
}  // namespace gpu::inline v1::detail::device
