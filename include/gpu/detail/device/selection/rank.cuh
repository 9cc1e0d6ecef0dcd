// Ranks of elements in a selection: a key's code, followed by the element's index in the lower bits. No two are equal,
// so that a threshold is the rank of one element only, equivalent keys are ordered by index, and results are the same
// in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../boundary/request.hpp"
#include "../../keys/key.hpp"
#include "../columns.cuh"

namespace gpu::inline v1::detail::device {

/// A rank for 128-bit codes, which leave no room for the index in an integer.
struct wide_rank {
  uint128 code;
  std::uint64_t index;
  std::uint64_t zero = 0;  ///< in place of padding, which would stay uninitialised

  friend GPUPAR_HOST_DEVICE constexpr bool operator<(const wide_rank& a, const wide_rank& b) {
    return a.code != b.code ? a.code < b.code : a.index < b.index;
  }
};

/// How a code and an index make a Rank, one of std::uint64_t, uint128 and wide_rank.
template <class Rank>
struct rank_parts {
  using code = std::conditional_t<sizeof(Rank) == 8, std::uint32_t, std::uint64_t>;
  using index_type = std::conditional_t<sizeof(Rank) == 8, std::uint32_t, std::uint64_t>;
  static constexpr unsigned bits = 4 * sizeof(Rank);

  template <class Bits>
  __device__ static Rank make(Bits code, std::size_t index) {
    return static_cast<Rank>(static_cast<Rank>(code) << bits | static_cast<Rank>(index));
  }
  __device__ static code code_of(Rank rank) { return static_cast<code>(rank >> bits); }
  __device__ static std::size_t index(Rank rank) { return static_cast<index_type>(rank); }
  /// A rank between the two; may be `low`.
  __device__ static Rank middle(Rank low, Rank high) { return static_cast<Rank>(low + (high - low) / 2); }
  /// Byte `digit` from the top.
  __device__ static unsigned digit(Rank rank, int digit) {
    constexpr int each = sizeof(std::uint64_t);
    return static_cast<unsigned>(word(rank, digit / each) >> (8 * (each - 1 - digit % each))) & 0xff;
  }
  __device__ static Rank with_digit(Rank rank, int digit, unsigned value) {
    return static_cast<Rank>(rank | static_cast<Rank>(value)
                                        << (8 * (sizeof(Rank) - 1 - static_cast<unsigned>(digit))));
  }
  __device__ static Rank greatest() { return static_cast<Rank>(~Rank{0}); }
  /// Whether the first `digits` bytes are the same.
  __device__ static bool agree(Rank a, Rank b, int digits) {
    constexpr int each = sizeof(std::uint64_t);
    const auto differ = static_cast<Rank>(a ^ b);
    if (digits == static_cast<int>(sizeof(Rank))) return differ == 0;
    if (digits >= each && word(differ, 0) != 0) return false;
    return digits % each == 0 || word(differ, digits / each) >> (8 * (each - digits % each)) == 0;
  }
  static constexpr int digits = sizeof(Rank);

 private:
  /// The 64-bit word `which`, from the top.
  __device__ static std::uint64_t word(Rank rank, int which) {
    if constexpr (sizeof(Rank) == sizeof(std::uint64_t)) return rank;
    return static_cast<std::uint64_t>(which == 0 ? rank >> (8 * sizeof(Rank) - 64) : rank);
  }
};

template <>
struct rank_parts<wide_rank> {
  using code = uint128;
  using index_type = std::uint64_t;
  using codes = rank_parts<uint128>;  // for the bytes of a code alone
  using indices = rank_parts<std::uint64_t>;

  __device__ static wide_rank make(uint128 code, std::size_t index) { return {code, index}; }
  __device__ static uint128 code_of(const wide_rank& rank) { return rank.code; }
  __device__ static std::size_t index(const wide_rank& rank) { return rank.index; }
  __device__ static wide_rank middle(const wide_rank& low, const wide_rank& high) {
    const uint128 code_distance = high.code - low.code - (high.index < low.index ? 1 : 0);
    const std::uint64_t half_index = (high.index - low.index) >> 1 | static_cast<std::uint64_t>(code_distance) << 63;
    const std::uint64_t index = low.index + half_index;
    return {low.code + (code_distance >> 1) + (index < low.index ? 1 : 0), index};
  }
  __device__ static unsigned digit(const wide_rank& rank, int digit) {
    return digit < 16 ? codes::digit(rank.code, digit) : indices::digit(rank.index, digit - 16);
  }
  __device__ static wide_rank with_digit(const wide_rank& rank, int digit, unsigned value) {
    if (digit < 16) return {codes::with_digit(rank.code, digit, value), rank.index};
    return {rank.code, indices::with_digit(rank.index, digit - 16, value)};
  }
  __device__ static wide_rank greatest() { return {codes::greatest(), indices::greatest()}; }
  __device__ static bool agree(const wide_rank& a, const wide_rank& b, int digits) {
    if (digits <= 16) return codes::agree(a.code, b.code, digits);
    return a.code == b.code && indices::agree(a.index, b.index, digits - 16);
  }
  static constexpr int digits = 24;
};

/// The rank type for keys of type Bits in elements that an Index can number.
template <class Bits, class Index>
using rank_of_keys =
    std::conditional_t<sizeof(Bits) == 16, wide_rank,
                       std::conditional_t<sizeof(Bits) == 8 || sizeof(Index) == 8, uint128, std::uint64_t>>;

/// The code in a rank in memory.
template <class Bits, class Rank>
const Bits* code_in(const Rank* rank) {
  constexpr std::size_t lower = std::is_same_v<Rank, wide_rank> ? 0 : sizeof(Rank) / 2;
  return reinterpret_cast<const Bits*>(reinterpret_cast<const std::byte*>(rank) + lower);
}

/// The indices in an array of ranks of any type.
class rank_indices {
 public:
  template <class Rank>
  rank_indices(const Rank* ranks)
      : first_{reinterpret_cast<const std::byte*>(ranks)},
        rank_bytes_{sizeof(Rank)},
        wide_{sizeof(typename rank_parts<Rank>::index_type) == sizeof(std::uint64_t)} {
    if constexpr (std::is_same_v<Rank, wide_rank>) first_ += offsetof(wide_rank, index);
  }

  __device__ std::size_t operator[](std::size_t i) const {
    const std::byte* const at = first_ + i * rank_bytes_;
    return wide_ ? *reinterpret_cast<const std::uint64_t*>(at) : *reinterpret_cast<const std::uint32_t*>(at);
  }

 private:
  const std::byte* first_;
  unsigned rank_bytes_;
  bool wide_;
};

/// Calls use(codec) with an equivalent codec that takes as few operations as the kind of key allows.
template <class Bits, class Use>
__device__ void with_simple_codec(const key_codec<Bits>& codec, const Use& use) {
  if (codec.only_flips()) return use(integer_codec<Bits>{codec.flips()});
  if (codec.bytes_from != 0) return use(codec);
  key_codec<Bits> whole = codec;
  whole.bytes_from = 0;
  use(whole);
}

/// Elements by their keys, at any offset in the element; at most 2^32 elements if the rank's index has 32 bits.
template <class Bits, class Rank>
struct key_source {
  using rank = Rank;
  using code_type = Bits;
  static constexpr bool has_vectors = true;

  const std::byte* first_key;
  std::size_t element_bytes;
  bool aligned;  ///< words of the key's size may be read there
  bool floating;
  key_codec<Bits> codec;
  floating_code_less<Bits> order;  ///< of floating-point keys

  key_source(const void* elements, const keyed_elements& like)
      : first_key{static_cast<const std::byte*>(elements) + like.key_offset},
        element_bytes{like.element_bytes},
        aligned{(reinterpret_cast<std::uintptr_t>(first_key) | element_bytes) % sizeof(Bits) == 0},
        floating{like.key.kind == key_class::floating_point},
        codec{make_codec<Bits>(like.key)} {
    if (floating) order = make_floating_code_less<Bits>(like.key);
  }

  template <bool Floating>
  __device__ Bits encode(Bits key) const {
    const Bits code = codec.encode(key);
    return Floating ? order.rank(code) : code;
  }
  __device__ Bits code(std::size_t i) const {
    const std::byte* const from = first_key + i * element_bytes;
    Bits key;
    if (aligned) {
      key = *reinterpret_cast<const Bits*>(from);
    } else {
      std::byte bytes[sizeof(Bits)];
#pragma unroll
      for (int b = 0; b < static_cast<int>(sizeof(Bits)); ++b) bytes[b] = from[b];
      std::memcpy(&key, bytes, sizeof(Bits));
    }
    return floating ? encode<true>(key) : encode<false>(key);
  }
  __device__ Rank operator[](std::size_t i) const { return rank_parts<Rank>::make(code(i), i); }
  /// Ranks of several elements, with the loads of all aligned keys in flight at once.
  template <int Items>
  __device__ void load(const std::size_t (&indices)[Items], Rank (&ranks)[Items]) const {
    if (!aligned) {
      for (int i = 0; i < Items; ++i) ranks[i] = (*this)[indices[i]];
      return;
    }
    Bits keys[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[i] = *reinterpret_cast<const Bits*>(first_key + indices[i] * element_bytes);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      ranks[i] = rank_parts<Rank>::make(floating ? encode<true>(keys[i]) : encode<false>(keys[i]), indices[i]);
  }
  /// Widens an interval of codes as compared to the interval of the codec's own codes, a few of which are equivalent to
  /// others.
  __device__ void widen(Bits& low, Bits& high) const {
    if (!floating) return;
    const Bits zero = static_cast<Bits>((order.negative_zero + 1) ^ order.invert);
    const Bits nan = static_cast<Bits>(order.first_nan ^ order.invert);
    if (order.invert == 0) {
      if (low == zero) low = static_cast<Bits>(low - 1);
      if (high == nan) high = static_cast<Bits>(~Bits{0});
    } else {
      if (high == zero) high = static_cast<Bits>(high + 1);
      if (low == nan) low = 0;
    }
  }
  /// Whether keys are contiguous, so that they can be read as vectors.
  [[nodiscard]] GPUPAR_HOST_DEVICE bool is_dense() const { return aligned && element_bytes == sizeof(Bits); }
};

/// Ranks that have been kept.
template <class Rank>
struct rank_source {
  using rank = Rank;
  static constexpr bool has_vectors = false;

  const Rank* ranks;

  __device__ Rank operator[](std::size_t i) const { return ranks[i]; }
  template <int Items>
  __device__ void load(const std::size_t (&indices)[Items], Rank (&loaded)[Items]) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) loaded[i] = ranks[indices[i]];
  }
};

}  // namespace gpu::inline v1::detail::device
