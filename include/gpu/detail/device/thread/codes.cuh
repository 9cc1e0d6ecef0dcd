// Keys to codes and back, in the registers of one thread. A codec that changes nothing is asked once, not per item.
#pragma once

#include <type_traits>

#include "../../key.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

template <int Items, class Key, class Codec>
__device__ __forceinline__ void encode_items(Key (&keys)[Items], Codec codec) {
  if constexpr (!std::is_same_v<Codec, identity_codec>) {
    if (codec.changes_nothing()) return;
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[i] = codec.encode(keys[i]);
  }
}

template <int Items, class Key, class Codec>
__device__ __forceinline__ void decode_items(Key (&keys)[Items], Codec codec) {
  if constexpr (!std::is_same_v<Codec, identity_codec>) {
    if (codec.changes_nothing()) return;
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[i] = codec.decode(keys[i]);
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
