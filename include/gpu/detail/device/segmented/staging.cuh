// Copies from global to shared memory that occupy no registers meanwhile, so that a warp can have any number in flight.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <type_traits>

#include "../columns.cuh"

namespace gpu::inline v1::detail::device {

/// Copies an element to shared memory; complete after await_copies().
template <class Code, class Key>
__device__ __forceinline__ void copy_later(Code* to, const Key* from) {
  if constexpr (std::is_same_v<Code, Key> && sizeof(Key) >= sizeof(unsigned))
    __pipeline_memcpy_async(to, from, sizeof(Key));
  else
    *to = *from;
}

/// Copies a code whose halves are in separate arrays to shared memory; complete after await_copies().
template <class Bits, class High, class Low>
__device__ __forceinline__ void copy_later(Bits* to, const joined_pointer<Bits, High, Low>& from) {
  static_assert(sizeof(Bits) == sizeof(High) + sizeof(Low));
  auto* const low = reinterpret_cast<Low*>(to);  // little-endian
  device::copy_later(low, from.low());
  device::copy_later(reinterpret_cast<High*>(low + 1), from.high());
}

/// Waits for the calling thread's copies, which only that thread is then sure to see.
__device__ __forceinline__ void await_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

}  // namespace gpu::inline v1::detail::device
