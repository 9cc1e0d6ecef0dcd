// Codes of keys in which equivalent keys share one code, including floating-point keys.
#pragma once

#include "key.hpp"

namespace gpu::inline v1::detail {

/// Original keys cannot be recovered from codes: decode() is only used for the greatest code, for which it returns some
/// key with that code.
template <class Bits>
struct shared_codes {
  key_codec<Bits> codec;
  floating_code_less<Bits> order{};
  bool floating = false;

  GPUPAR_HOST_DEVICE constexpr Bits encode(Bits key) const {
    const Bits code = codec.encode(key);
    return floating ? order.rank(code) : code;
  }
  GPUPAR_HOST_DEVICE constexpr Bits decode(Bits code) const { return codec.decode(code); }
  GPUPAR_HOST_DEVICE constexpr bool changes_nothing() const { return !floating && codec.changes_nothing(); }
  GPUPAR_HOST_DEVICE constexpr bool only_flips() const { return !floating && codec.only_flips(); }
  GPUPAR_HOST_DEVICE constexpr Bits flips() const { return codec.flips(); }
};

template <class Bits>
constexpr shared_codes<Bits> make_shared_codes(const key_format& format) {
  if constexpr (sizeof(Bits) > 1 && sizeof(Bits) <= 8)
    if (format.kind == key_class::floating_point)
      return {detail::make_codec<Bits>(format), detail::make_floating_code_less<Bits>(format), true};
  return {detail::make_codec<Bits>(format)};
}

}  // namespace gpu::inline v1::detail
