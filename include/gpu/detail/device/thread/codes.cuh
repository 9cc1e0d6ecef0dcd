// Conversion of keys to codes and back, in the registers of one thread. Whether a codec changes anything is checked
// once, not per item.
#pragma once

#include <type_traits>

#include "../../keys/key.hpp"

namespace gpu::inline v1::detail::device {

/// Whether codes are known to equal the keys.
template <class Codec>
__device__ __forceinline__ bool changes_nothing(const Codec& codec) {
  if constexpr (requires { codec.changes_nothing(); })
    return codec.changes_nothing();
  else
    return std::is_same_v<Codec, identity_codec>;
}

/// Converts each key by one exclusive or if the codec does no more than that; returns whether it did. The general
/// mapping takes seven operations for 64-bit floating-point numbers, the exclusive or two for integers.
template <int Items, class Key, class Codec>
__device__ __forceinline__ bool only_flip_items(Key (&keys)[Items], const Codec& codec) {
  if constexpr (requires { codec.only_flips(); }) {
    if (!codec.only_flips()) return false;
    const Key flips = codec.flips();
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[i] = static_cast<Key>(keys[i] ^ flips);
    return true;
  } else {
    return false;
  }
}

template <int Items, class Key, class Codec>
__device__ __forceinline__ void encode_items(Key (&keys)[Items], Codec codec) {
  if (device::changes_nothing(codec) || device::only_flip_items(keys, codec)) return;
#pragma unroll
  for (int i = 0; i < Items; ++i) keys[i] = codec.encode(keys[i]);
}

template <int Items, class Key, class Codec>
__device__ __forceinline__ void decode_items(Key (&keys)[Items], Codec codec) {
  if (device::changes_nothing(codec) || device::only_flip_items(keys, codec)) return;
#pragma unroll
  for (int i = 0; i < Items; ++i) keys[i] = codec.decode(keys[i]);
}

/// The key with the greatest code.
template <class Key, class Codec>
__device__ __forceinline__ Key last_key(const Codec& codec) {
  return codec.decode(static_cast<Key>(~Key{0}));
}

}  // namespace gpu::inline v1::detail::device
