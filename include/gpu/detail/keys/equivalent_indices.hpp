// Codes of floating-point keys joined with their indices, in the order of a stable sort; key and index can be
// recovered.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "key.hpp"

namespace gpu::inline v1::detail {

/// Rearranges codes that join a key's code, in the upper bits, with its index, so that their order is stable for
/// equivalent keys with different codes: -0 and +0, and all NaNs. The codes of equivalent keys are consecutive. For
/// these the index comes before the number of the key among the equivalents; for other keys the index comes last. A
/// default-constructed object changes nothing.
template <class Bits>
class equivalent_indices {
 public:
  constexpr equivalent_indices() = default;

  /// For keys of at most half as many bits, joined as joint<Bits, Key, std::uint32_t> does, and at most 2^31 indices.
  template <class Key>
  constexpr equivalent_indices(const floating_code_less<Key>& order, std::size_t n)
      : any_{true},
        key_from_{8 * (sizeof(Bits) - sizeof(Key))},
        index_from_{joint<Bits, Key, std::uint32_t>::spare_bits},
        spread_{static_cast<unsigned>(std::countl_zero(static_cast<std::uint32_t>(n + n / 64)))} {
    const auto in_front = [this](Key code) { return static_cast<Bits>(static_cast<Bits>(code) << key_from_); };
    const auto nans = static_cast<Key>(Key{0} - order.first_nan);
    zeros_ = {in_front(static_cast<Key>((order.negative_zero + (order.invert & 1u)) ^ order.invert)), in_front(2), 1};
    nans_ = {in_front(order.invert == 0 ? order.first_nan : Key{0}), in_front(nans),
             static_cast<unsigned>(std::bit_width(nans))};
  }

  GPUPAR_HOST_DEVICE constexpr bool any() const { return any_; }

  /// Converts a joined code whose index comes last to the code of the stable order.
  GPUPAR_HOST_DEVICE constexpr Bits spread(Bits code) const {
    if (zeros_.has(code)) return spread(zeros_, code);
    if (nans_.has(code)) return spread(nans_, code);
    return code;
  }
  /// The inverse of spread().
  GPUPAR_HOST_DEVICE constexpr Bits gather(Bits code) const {
    if (zeros_.has(code)) return gather(zeros_, code);
    if (nans_.has(code)) return gather(nans_, code);
    return code;
  }

 private:
  /// The codes of equivalent keys.
  struct group {
    Bits first = 0;
    Bits count = 0;
    unsigned bits = 0;  ///< bits of the number of a key among its equivalents

    GPUPAR_HOST_DEVICE constexpr bool has(Bits code) const { return static_cast<Bits>(code - first) < count; }
  };

  GPUPAR_HOST_DEVICE constexpr Bits spread(const group& all, Bits code) const {
    const Bits number = static_cast<Bits>(code - all.first) >> key_from_;
    const Bits index = static_cast<std::uint32_t>(code >> index_from_);
    return static_cast<Bits>(all.first + (((index << spread_ << all.bits) + number) << index_from_));
  }
  GPUPAR_HOST_DEVICE constexpr Bits gather(const group& all, Bits code) const {
    const Bits inside = static_cast<Bits>(code - all.first) >> index_from_;
    const Bits number = static_cast<Bits>(inside & ((Bits{1} << all.bits) - 1));
    const Bits index = static_cast<std::uint32_t>(inside >> (all.bits + spread_));
    return static_cast<Bits>(all.first + (number << key_from_) + (index << index_from_));
  }

  bool any_ = false;
  unsigned key_from_ = 0;    ///< lowest bit of the key
  unsigned index_from_ = 0;  ///< lowest bit of its index
  unsigned spread_ = 0;      ///< left shift by which indices of equivalents fill almost 32 bits: spreads the codes
  group zeros_{};
  group nans_{};
};

}  // namespace gpu::inline v1::detail
