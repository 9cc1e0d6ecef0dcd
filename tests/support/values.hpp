// Values that reveal padding values, wrong comparisons and lossy conversions.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "inputs.hpp"

namespace testing {

/// Bit patterns of a floating-point format: both zeros, both infinities, the least and greatest denormal and normal
/// numbers, one, and quiet and signalling NaNs with several payloads, all of both signs.
template <class Bits>
std::vector<Bits> special_bits(int mantissa_bits) {
  const int width = 8 * static_cast<int>(sizeof(Bits));
  const Bits sign = static_cast<Bits>(Bits{1} << (width - 1));
  const Bits mantissa = static_cast<Bits>((Bits{1} << mantissa_bits) - 1);
  const Bits infinity = static_cast<Bits>(static_cast<Bits>(sign - 1) & static_cast<Bits>(~mantissa));
  const Bits quiet = static_cast<Bits>(Bits{1} << (mantissa_bits - 1));
  std::vector<Bits> all;
  for (const Bits magnitude :
       {Bits{0}, Bits{1}, mantissa, static_cast<Bits>(mantissa + 1), static_cast<Bits>((infinity >> 1) & ~mantissa),
        static_cast<Bits>(infinity - 1), infinity, static_cast<Bits>(infinity | quiet), static_cast<Bits>(infinity | 1),
        static_cast<Bits>(infinity | quiet | 1), static_cast<Bits>(infinity | mantissa)}) {
    all.push_back(magnitude);
    all.push_back(static_cast<Bits>(magnitude | sign));
  }
  return all;
}

/// The least and greatest value, zero, and their neighbours; for float and double the values of special_bits().
template <class Key>
std::vector<Key> special_values() {
  std::vector<Key> all;
  if constexpr (std::is_same_v<Key, float>) {
    for (const auto bits : special_bits<std::uint32_t>(23)) all.push_back(std::bit_cast<float>(bits));
  } else if constexpr (std::is_same_v<Key, double>) {
    for (const auto bits : special_bits<std::uint64_t>(52)) all.push_back(std::bit_cast<double>(bits));
  } else {
    const std::uint64_t middle = std::uint64_t{1} << 63, last = ~std::uint64_t{0}, step = std::uint64_t{1} << 56;
    for (const auto position : {std::uint64_t{0}, std::uint64_t{1}, step, middle - step, middle - 1, middle, middle + 1,
                                middle + step, last - step, last - 1, last})
      all.push_back(key_at<Key>(position));
  }
  return all;
}

/// `count` keys: half of them special values, the rest uniform.
template <class Key>
std::vector<Key> make_special_keys(std::size_t count, std::uint64_t variant = 0) {
  const auto special = special_values<Key>();
  auto keys = make_keys<Key>(count, variant);
  random_source random{seed() ^ 0xabcd ^ variant};
  for (auto& key : keys)
    if (random.below(2) == 0) key = special[random.below(special.size())];
  return keys;
}

}  // namespace testing
