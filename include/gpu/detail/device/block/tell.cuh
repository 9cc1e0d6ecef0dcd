// The kernels' side of call_end.hpp.
#pragma once

#include "../call_end.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Tells the host that all is written. Called by every thread of a kernel's only block, at its end; synchronises.
__device__ inline void tell(signal end) {
  if (end.word == nullptr) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();  // whoever sees the number sees what the block wrote before the barrier, wherever it is
  *static_cast<volatile unsigned*>(end.word) = end.number;
}

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
