#include "few_rows.cuh"

namespace gpu::inline v1::detail::device {
GPUPAR_FEW_ROWS()
}  // namespace gpu::inline v1::detail::device
