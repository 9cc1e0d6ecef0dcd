#include "rows.cuh"

namespace gpu::inline v1::detail::device {
GPUPAR_ROWS()
}  // namespace gpu::inline v1::detail::device
