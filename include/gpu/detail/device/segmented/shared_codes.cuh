// Codes of keys, which equivalent ones share or not, as is told at run time.
#pragma once

#include "../../keys/key.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// There is a way back but from shared codes of floating-point keys.
template <class Bits>
struct shared_codes {
  key_codec<Bits> codec;
  floating_code_less<Bits> order;
  bool ranks;

  explicit shared_codes(const key_format& format, bool shares = true)
      : codec{detail::make_codec<Bits>(format)}, ranks{shares && format.kind == key_class::floating_point} {
    if constexpr (sizeof(Bits) > 1 && sizeof(Bits) <= 8)
      if (ranks) order = detail::make_floating_code_less<Bits>(format);
  }
  GPUPAR_HOST_DEVICE Bits encode(Bits key) const {
    const Bits code = codec.encode(key);
    return ranks ? order.rank(code) : code;
  }
  GPUPAR_HOST_DEVICE Bits decode(Bits code) const { return codec.decode(code); }
  GPUPAR_HOST_DEVICE bool changes_nothing() const { return !ranks && codec.changes_nothing(); }
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
