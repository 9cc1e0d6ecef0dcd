// Kernels for keys of 16 bits.
#include "keys.cuh"

template struct gpu::detail::device::key_kernels<std::uint16_t>;
