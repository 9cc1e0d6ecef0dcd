// Kernels for keys of 64 bits.
#include "keys.cuh"

template struct gpu::detail::device::key_kernels<std::uint64_t>;
