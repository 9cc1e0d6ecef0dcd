// Codes of floating-point keys and their places, in the order of stable sorts, from which both can be had back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "key.hpp"

namespace gpu::inline v1::detail {

/// Joins a key's code, in front, with its place, and back. Codes of equivalent keys follow one another: -0 and +0, and
/// all NaNs. Of these the place comes first and then the number among the equivalents, where of others the place comes
/// last. Bits: of twice the key's width or more; pairs as `pairs` joins them.
template <class Bits, class Key>
class stable_codec {
 public:
  using pairs = joint<Bits, Key, std::uint32_t>;

  /// For places below n <= 2^31.
  constexpr stable_codec(const key_codec<Key>& codec, const floating_code_less<Key>& order, std::size_t n)
      : codec_{codec},
        spread_{static_cast<unsigned>(std::countl_zero(static_cast<std::uint32_t>(n + n / 64)))},
        zeros_{static_cast<Key>((order.negative_zero + (order.invert & 1u)) ^ order.invert), 2, 1},
        nans_{order.invert == 0 ? order.first_nan : Key{0}, static_cast<Key>(Key{0} - order.first_nan), 0} {
    nans_.bits = static_cast<unsigned>(std::bit_width(nans_.count));
  }

  GPUPAR_HOST_DEVICE constexpr Bits encode(Bits pair) const {
    const Key code = codec_.encode(pairs::high(pair));
    const Bits place = pairs::low(pair);
    if (zeros_.has(code)) return zeros_.join(code, place << spread_);
    if (nans_.has(code)) return nans_.join(code, place << spread_);
    return pairs::join(code, pairs::low(pair));
  }

  GPUPAR_HOST_DEVICE constexpr Bits decode(Bits joined) const {
    const Key code = pairs::high(joined);
    if (zeros_.has(code)) joined = zeros_.part(joined, spread_);
    if (nans_.has(code)) joined = nans_.part(joined, spread_);
    return pairs::join(codec_.decode(pairs::high(joined)), pairs::low(joined));
  }

 private:
  /// The codes of equivalent keys.
  struct group {
    Key first;
    Key count;
    unsigned bits;  ///< of a number among them

    GPUPAR_HOST_DEVICE constexpr Bits begin() const { return pairs::join(first, 0); }
    GPUPAR_HOST_DEVICE constexpr bool has(Key code) const { return static_cast<Key>(code - first) < count; }
    GPUPAR_HOST_DEVICE constexpr Bits join(Key code, Bits place) const {
      return static_cast<Bits>(begin() + (((place << bits) + static_cast<Key>(code - first)) << pairs::spare_bits));
    }
    /// A joined code as it would be of a key without equivalents.
    GPUPAR_HOST_DEVICE constexpr Bits part(Bits joined, unsigned spread) const {
      const Bits inside = static_cast<Bits>(joined - begin()) >> pairs::spare_bits;
      const Bits number = static_cast<Bits>(inside & ((Bits{1} << bits) - 1));
      const auto place = static_cast<std::uint32_t>(inside >> (bits + spread));
      return pairs::join(static_cast<Key>(first + static_cast<Key>(number)), place);
    }
  };

  key_codec<Key> codec_;
  unsigned spread_;  ///< left shift by which places of equivalents fill 32 bits almost: so their codes do not crowd
  group zeros_;
  group nans_;
};

}  // namespace gpu::inline v1::detail
