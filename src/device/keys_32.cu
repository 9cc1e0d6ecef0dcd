// Kernels for keys of 32 bits.
#include "keys.cuh"

template struct gpu::detail::device::key_kernels<std::uint32_t>;
