// Kernels for keys of 8 bits.
#include "keys.cuh"

template struct gpu::detail::device::key_kernels<std::uint8_t>;
