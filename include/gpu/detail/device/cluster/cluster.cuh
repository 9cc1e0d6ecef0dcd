// Clusters of blocks, which can access each other's shared memory. Requires compute capability 9.0 or higher; code
// compiled for less may contain these calls, but is never launched.
#pragma once

namespace gpu::inline v1::detail::device::cluster {

/// Blocks that may form a cluster on every device that has clusters.
inline constexpr int most_blocks = 8;

/// The calling block's number in its cluster.
__device__ __forceinline__ int rank() {
#if __CUDA_ARCH__ >= 900
  return static_cast<int>(__clusterRelativeBlockRank());
#else
  return 0;
#endif
}

/// The address, in another block's shared memory, of the object that the calling block has at `own`.
template <class T>
__device__ __forceinline__ T* of_block(int rank, T* own) {
#if __CUDA_ARCH__ >= 900
  return static_cast<T*>(__cluster_map_shared_rank(own, static_cast<unsigned>(rank)));
#else
  return own;
#endif
}

/// A barrier of all threads of the cluster, in two halves: what threads write before arrive(), including to each
/// other's shared memory, is visible to those that have returned from wait().
__device__ __forceinline__ void arrive() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
#endif
}
/// Arrives without making the thread's writes visible.
__device__ __forceinline__ void arrive_relaxed() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive_relaxed();
#endif
}
__device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_wait();
#endif
}

}  // namespace gpu::inline v1::detail::device::cluster
