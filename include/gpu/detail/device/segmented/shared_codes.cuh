// Codes of keys, which equivalent ones share, whether they are numbers of floating point or not.
#pragma once

#include "../../keys/key.hpp"

namespace gpu::inline v1::detail::device {

/// There is no way back but to some key of the greatest code, and nobody takes another one.
template <class Bits>
struct shared_codes {
  key_codec<Bits> codec;
  floating_code_less<Bits> order;
  bool floating;

  explicit shared_codes(const key_format& format)
      : codec{detail::make_codec<Bits>(format)}, floating{format.kind == key_class::floating_point} {
    if constexpr (sizeof(Bits) > 1 && sizeof(Bits) <= 8)
      if (floating) order = detail::make_floating_code_less<Bits>(format);
  }
  GPUPAR_HOST_DEVICE Bits encode(Bits key) const {
    const Bits code = codec.encode(key);
    return floating ? order.rank(code) : code;
  }
  GPUPAR_HOST_DEVICE Bits decode(Bits code) const { return codec.decode(code); }
  GPUPAR_HOST_DEVICE bool changes_nothing() const { return !floating && codec.changes_nothing(); }
};

}  // namespace gpu::inline v1::detail::device
