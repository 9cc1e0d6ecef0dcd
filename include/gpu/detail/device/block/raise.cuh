// The device side of launching/call_end.hpp.
#pragma once

#include "../cluster/cluster.cuh"
#include "../launching/call_end.hpp"

namespace gpu::inline v1::detail::device {

/// Writes the signal's number; everything that the host must see along with it must be written and fenced before.
__device__ inline void give(signal end) { *static_cast<volatile unsigned*>(end.word) = end.number; }

namespace block {

/// Signals to the host that all results are written. Called by every thread of a kernel's only block, at its end;
/// synchronises.
__device__ inline void raise(signal end) {
  if (end.word == nullptr) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();  // whoever sees the number sees what the block wrote before the barrier, in any memory
  give(end);
}

}  // namespace block

namespace cluster {

/// Like block::raise(), for a kernel's only cluster, after all its other barriers.
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
