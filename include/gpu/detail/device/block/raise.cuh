// The kernels' side of launching/call_end.hpp.
#pragma once

#include "../cluster/cluster.cuh"
#include "../launching/call_end.hpp"

namespace gpu::inline v1::detail::device {

/// Gives the number, which everything must precede that the host shall see with it.
__device__ inline void give(signal end) { *static_cast<volatile unsigned*>(end.word) = end.number; }

namespace block {

/// Tells the host that all is written. Called by every thread of a kernel's only block, at its end; synchronises.
__device__ inline void raise(signal end) {
  if (end.word == nullptr) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();  // whoever sees the number sees what the block wrote before the barrier, wherever it is
  give(end);
}

}  // namespace block

namespace cluster {

/// Raises the signal at the end of a kernel's only cluster, all of whose barriers are past.
__device__ inline void raise(signal end) {
  if (end.word == nullptr) return;
  __syncthreads();
  if (threadIdx.x == 0) __threadfence_system();  // for its block, before it arrives
  arrive_relaxed();
  wait();
  if (rank() == 0 && threadIdx.x == 0) give(end);
}

}  // namespace cluster
}  // namespace gpu::inline v1::detail::device
