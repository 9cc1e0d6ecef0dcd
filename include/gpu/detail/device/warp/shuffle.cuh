// Exchanging elements between the threads of a warp.
#pragma once

#include <cstring>
#include <type_traits>

#include "../../config.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device::warp {

/// Elements of up to so many bytes go by shuffles; for larger ones shared memory takes fewer instructions.
inline constexpr std::size_t shuffle_bytes = 16;

/// The other thread's `element`, where the other thread's lane is ours exclusive-or `mask`. All 32 threads call.
template <class T>
__device__ __forceinline__ T shuffle_xor(const T& element, int mask) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int words = static_cast<int>((sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned));
  unsigned buffer[words] = {};
  std::memcpy(buffer, &element, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) buffer[i] = __shfl_xor_sync(0xffffffffu, buffer[i], mask);
  T other;
  std::memcpy(&other, buffer, sizeof(T));
  return other;
}

}  // namespace detail::device::warp
}  // namespace v1
}  // namespace gpu
