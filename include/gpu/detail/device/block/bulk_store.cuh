// Stores of a tile from shared memory without using threads: from compute capability 9.0 on, one instruction copies the
// whole part that is aligned to sixteen bytes in both memories, so that its reads and stores do not alternate with
// those of threads.
#pragma once

#include <cstdint>

#include "load_store.cuh"

namespace gpu::inline v1::detail::device::block {

/// For elements of 4 or 8 bytes; Tile: the most elements in a tile.
template <class T, unsigned Threads, unsigned Tile>
struct bulk_store {
  static constexpr unsigned vector = 16 / sizeof(T);  ///< elements per sixteen bytes

  /// The offset of the target within sixteen bytes, in elements; the source must begin at the same offset.
  __device__ static unsigned begin_for(const T* target) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target) / sizeof(T) % vector);
  }

  /// Called by every thread that has written part of the source, before the barrier.
  __device__ __forceinline__ static void announce() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

  /// Copies source[begin, begin + n) to target[0, n), where begin is begin_for(target); source is aligned to sixteen
  /// bytes. Called by every thread of the block after a barrier; writing to the source again needs another one.
  __device__ __forceinline__ static void store(const T* source, T* target, unsigned n) {
    const unsigned begin = begin_for(target), end = begin + n;
    target -= begin;
    const unsigned head = begin == 0 ? 0 : vector, tail = max(head, end / vector * vector);
    const unsigned early = threadIdx.x, late = tail + threadIdx.x;
    if (early >= begin && early < min(head, end)) target[early] = source[early];
    if (late < end) target[late] = source[late];
    if (head < tail) store_vectors(source + head, target + head, tail - head);
  }

 private:
  __device__ __forceinline__ static void store_vectors(const T* source, T* target, unsigned n) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x > 0) return;
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(source));
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(target)),
                 "r"(from), "r"(n * static_cast<unsigned>(sizeof(T)))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");  // shared memory must outlive the reads
#else
#pragma unroll
    for (unsigned i = 0; i * Threads * vector < Tile; ++i) {
      const unsigned first = (i * Threads + threadIdx.x) * vector;
      if (first < n) block::store_quad(target + first, *reinterpret_cast<const uint4*>(source + first));
    }
#endif
  }
};

}  // namespace gpu::inline v1::detail::device::block
