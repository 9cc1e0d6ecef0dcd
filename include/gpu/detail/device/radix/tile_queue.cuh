// Stages of a launch whose blocks share its work: they take tiles until none is left, and wait for each other before
// the next stage. Only blocks that are running take tiles, so any number of them may run at once.
#pragma once

#include <cuda/atomic>

namespace gpu::inline v1::detail::device {

/// A block's part in all stages. A tile may wait for those of its stage with lower numbers.
class tile_queue {
 public:
  /// number: of the tile that the block has, taken: how many of a stage it has taken; both in shared memory.
  /// next[stages], done[stages]: zero before the first stage.
  __device__ tile_queue(unsigned& number, unsigned& taken, unsigned* next, unsigned* done)
      : number_{number}, taken_{taken}, next_{next}, done_{done} {}

  /// Calls act() for each tile that the block gets, and then, if it got any, finally(); waits until all blocks have
  /// done so. Called by all threads. Synchronises before and after each of these calls.
  template <class Act, class Finally>
  __device__ void for_each(unsigned stage, unsigned tiles, Act act, Finally finally) const {
    if (threadIdx.x == 0) {
      taken_ = 0;
      take(stage);
    }
    __syncthreads();
    while (number_ < tiles) {
      act();
      __syncthreads();
      if (threadIdx.x == 0) {
        ++taken_;
        take(stage);
      }
      __syncthreads();
    }
    if (taken_ > 0) finally();
    __syncthreads();
    if (threadIdx.x == 0) {
      word done{done_[stage]};
      if (taken_ > 0) done.fetch_add(taken_, ::cuda::memory_order_release);
      while (done.load(::cuda::memory_order_acquire) < tiles) __nanosleep(64);
    }
    __syncthreads();
  }
  template <class Act>
  __device__ void for_each(unsigned stage, unsigned tiles, Act act) const {
    for_each(stage, tiles, act, [] {});
  }

 private:
  using word = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  __device__ void take(unsigned stage) const { number_ = atomicAdd(&next_[stage], 1u); }

  unsigned& number_;
  unsigned& taken_;
  unsigned* next_;
  unsigned* done_;
};

}  // namespace gpu::inline v1::detail::device
