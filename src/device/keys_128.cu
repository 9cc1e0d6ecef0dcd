// Kernels for keys of 128 bits.
#include "keys.cuh"

template struct gpu::detail::device::key_kernels<gpu::detail::uint128>;
