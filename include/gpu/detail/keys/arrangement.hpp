// Unsigned integers of each width, and rearrangements of their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../config.hpp"

namespace gpu::inline v1::detail {

#if defined(__SIZEOF_INT128__)
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;
#endif

/// The unsigned integer type of `Bytes` bytes; void if there is none.
template <std::size_t Bytes>
using bits_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t,
                                          std::conditional_t<Bytes == 8, std::uint64_t,
#if defined(__SIZEOF_INT128__)
                                                             std::conditional_t<Bytes == 16, uint128, void>
#else
                                                             void
#endif
                                                             >>>>;

/// The identity arrangement: nibble i is i.
inline constexpr std::uint64_t bytes_in_place = 0xfedcba9876543210u;
/// The arrangement that exchanges the two halves of a key.
template <class Bits>
inline constexpr std::uint64_t half_turn =
    (bytes_in_place & ((std::uint64_t{1} << 2 * sizeof(Bits)) - 1)) << 2 * sizeof(Bits) |
    (bytes_in_place >> 2 * sizeof(Bits) & ((std::uint64_t{1} << 2 * sizeof(Bits)) - 1));

/// The inverse of an arrangement of `bytes` bytes.
constexpr std::uint64_t inverse_arrangement(std::uint64_t bytes_from, unsigned bytes) {
  std::uint64_t inverse = 0;
  for (unsigned i = 0; i < bytes; ++i) inverse |= std::uint64_t{i} << 4 * (bytes_from >> 4 * i & 15);
  return inverse;
}

/// Byte i of the result is byte (bytes_from >> 4 * i) % 16 of `bits`.
template <class Bits>
GPUPAR_HOST_DEVICE constexpr Bits rearranged(Bits bits, std::uint64_t bytes_from) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Bits) == 16) {
    const auto word = [&](int i) { return static_cast<unsigned>(bits >> 32 * i); };
    uint128 result = 0;
    for (int i = 0; i < 4; ++i) {
      const auto from = static_cast<unsigned>(bytes_from >> 16 * i);
      const unsigned high_bytes = __byte_perm(0xffff0000u, 0, (from & 0x8888u) >> 2);  // 0xff: from the upper half
      const unsigned low = __byte_perm(word(0), word(1), from & 0x7777u);
      const unsigned high = __byte_perm(word(2), word(3), from & 0x7777u);
      result |= static_cast<uint128>((low & ~high_bytes) | (high & high_bytes)) << 32 * i;
    }
    return result;
  } else if constexpr (sizeof(Bits) == 8) {
    const auto low = static_cast<unsigned>(bits), high = static_cast<unsigned>(bits >> 32);
    return static_cast<std::uint64_t>(__byte_perm(low, high, static_cast<unsigned>(bytes_from >> 16))) << 32 |
           __byte_perm(low, high, static_cast<unsigned>(bytes_from));
  } else {
    return static_cast<Bits>(__byte_perm(bits, 0, static_cast<unsigned>(bytes_from)));
  }
#else
  constexpr unsigned width = 8 * sizeof(Bits);
  Bits result = 0;
  if constexpr (sizeof(Bits) > 1)
    if (bytes_from == half_turn<Bits>) return static_cast<Bits>(bits << width / 2 | bits >> width / 2);
  for (unsigned i = 0; i < sizeof(Bits); ++i)
    result = static_cast<Bits>(
        result | static_cast<Bits>(static_cast<Bits>(static_cast<std::uint8_t>(bits >> 8 * (bytes_from >> 4 * i & 15)))
                                   << 8 * i));
  return result;
#endif
}

}  // namespace gpu::inline v1::detail
