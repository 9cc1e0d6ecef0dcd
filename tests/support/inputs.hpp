// Inputs of tests and benchmarks: keys of any type from the named distributions, and the seed of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "distributions.hpp"

namespace testing {

/// The value of GPUPAR_SEED, or a fixed number.
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("GPUPAR_SEED");
    return text ? std::strtoull(text, nullptr, 0) : std::uint64_t{20240229};
  }();
  return value;
}

template <class Key>
inline constexpr bool is_wide_integer_v =
    sizeof(Key) == 16 && std::is_convertible_v<Key, std::uint64_t> && !std::is_class_v<Key> &&
    !std::is_floating_point_v<Key> && !std::is_enum_v<Key>;

/// The key at a position of the key range. Monotonic; for integers of up to 64 bits also onto. Floating-point keys lie
/// in [-2^16, 2^16); other types are made by static_cast from such a float, enums from their underlying integers.
template <class Key>
GPUPAR_HOST_DEVICE constexpr Key key_at(std::uint64_t position) {
  if constexpr (std::is_same_v<Key, bool>) {
    return position >> 63 != 0;
  } else if constexpr (std::is_enum_v<Key>) {
    return static_cast<Key>(key_at<std::underlying_type_t<Key>>(position));
  } else if constexpr (is_wide_integer_v<Key>) {
    const Key halves = static_cast<Key>(static_cast<Key>(position) << 64 | static_cast<Key>(position));
    const Key top = static_cast<Key>(Key{1} << 127);
    return static_cast<Key>(top < Key{0} ? halves ^ top : halves);  // of a signed type, the least key first
  } else if constexpr (std::is_integral_v<Key>) {
    using bits = std::make_unsigned_t<Key>;
    constexpr auto sign = static_cast<bits>(std::is_signed_v<Key> ? std::uint64_t{1} << (8 * sizeof(Key) - 1) : 0);
    return static_cast<Key>(static_cast<bits>(position >> (64 - 8 * sizeof(Key))) ^ sign);
  } else {  // float, double and types that convert from float
    const double number = (static_cast<double>(position) * 0x1p-63 - 1) * 0x1p16;
    if constexpr (std::is_same_v<Key, double>)
      return number;
    else
      return static_cast<Key>(static_cast<float>(number));
  }
}

/// `count` positions of a distribution; each `variant` gives another sequence from the same seed.
inline std::vector<std::uint64_t> make_positions(const distribution& chosen, std::size_t count,
                                                 std::uint64_t variant = 0) {
  const std::uint64_t start = seed() + variant * 0x2545f4914f6cdd1du;
  std::vector<std::uint64_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = chosen.position(i, count, start);
  return all;
}

/// `count` keys of a distribution.
template <class Key>
std::vector<Key> make_keys(const distribution& chosen, std::size_t count, std::uint64_t variant = 0) {
  std::vector<Key> keys;
  keys.reserve(count);
  for (const auto position : make_positions(chosen, count, variant)) keys.push_back(key_at<Key>(position));
  return keys;
}

inline const distribution uniform{"uniform", form::uniform};
inline const distribution few_values{"few_distinct_16", form::few_distinct, 16};
inline const distribution zipf{"zipf", form::zipf};

/// `count` uniform keys.
template <class Key>
std::vector<Key> make_keys(std::size_t count, std::uint64_t variant = 0) {
  return make_keys<Key>(uniform, count, variant);
}

}  // namespace testing
