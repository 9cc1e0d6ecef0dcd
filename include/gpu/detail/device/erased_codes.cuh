// Codes of keys whose place and encoding are known only at run time, so that one kernel serves every kind of key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../keys/key.hpp"
#include "../keys/shared_codes.hpp"
#include "block/even_buckets.cuh"
#include "columns.cuh"
#include "thread/codes.cuh"

namespace gpu::inline v1::detail::device {

/// Integers of half the bytes of Bits: mostly the width of keys and values that are sorted together.
template <class Bits>
using half_of = bits_of_size<sizeof(Bits) == 1 ? 1 : sizeof(Bits) / 2>;

/// The bits of a number in the high bits of Bits.
template <class Bits, class High>
constexpr Bits in_front(High bits) {
  return static_cast<Bits>(static_cast<Bits>(bits) << 8 * (sizeof(Bits) - sizeof(High)));
}

/// in_front() of a byte arrangement, of a codec, and of an order.
template <class Bits, class High>
constexpr std::uint64_t bytes_in_front(std::uint64_t arrangement) {
  constexpr int behind = sizeof(Bits) - sizeof(High);
  std::uint64_t all = 0;
  for (int i = 0; i < static_cast<int>(sizeof(Bits)); ++i) {
    const std::uint64_t from = i < behind ? i : (arrangement >> 4 * (i - behind)) % 16 + behind;
    all |= from << 4 * i;
  }
  return all;
}
template <class Bits, class High>
constexpr key_codec<Bits> codec_in_front(const key_codec<High>& codec) {
  const bool arranged = codec.bytes_from != 0;
  return {device::in_front<Bits>(codec.flip),
          device::in_front<Bits>(codec.negative_flip),
          device::in_front<Bits>(codec.bias),
          device::in_front<Bits>(codec.invert),
          arranged ? device::bytes_in_front<Bits, High>(codec.bytes_from) : 0,
          arranged ? device::bytes_in_front<Bits, High>(codec.bytes_back) : 0};
}

template <class Bits, class High>
constexpr floating_code_less<Bits> order_in_front(const floating_code_less<High>& order) {
  return {device::in_front<Bits>(order.negative_zero), device::in_front<Bits>(order.first_nan),
          device::in_front<Bits>(order.invert)};
}

/// Reads the numbers of `bytes` bytes at these indices of a column, with all loads in flight at once.
template <class Number, int Items>
__device__ __forceinline__ void read_numbers(const void* column, unsigned bytes, const std::size_t (&indices)[Items],
                                             Number (&numbers)[Items]) {
  device::with_integer<Number>(bytes, [&]<class Narrow>(Narrow) {
    if constexpr (sizeof(Narrow) <= sizeof(Number)) {
#pragma unroll
      for (int i = 0; i < Items; ++i) numbers[i] = static_cast<const Narrow*>(column)[indices[i]];
    }
  });
}

/// Codes of type Bits: of keys of the same width, or of narrower ones in front of a value, an index, or nothing.
template <class Bits>
class erased_codes {
 public:
  /// Keys of type High, in front of what follows if High is narrower than Bits. The last `spare_bits` bits of the codes
  /// are unused.
  template <class High>
  explicit erased_codes(const High* keys, unsigned spare_bits = 0)
      : keys_{keys}, key_bytes_{sizeof(High)}, spare_bits_{spare_bits} {}

  template <class Low>
  erased_codes before(const Low* values) const {
    erased_codes joined = *this;
    joined.values_ = values, joined.value_bytes_ = sizeof(Low);
    return joined;
  }

  erased_codes encoded_by(const identity_codec&) const { return *this; }
  template <class Maker>
  erased_codes encoded_by(const round_codec<Maker>& codec) const {
    erased_codes encoded = encoded_by(codec.maker);
    if (codec.made) encoded.made_ = true, encoded.ranked_ = false;
    return encoded;
  }
  template <class High>
  erased_codes encoded_by(const key_codec<High>& codec) const {
    erased_codes encoded = *this;
    encoded.codec_ = device::codec_in_front<Bits>(codec);
    return encoded;
  }
  template <class High>
  erased_codes encoded_by(const shared_codes<High>& codes) const {
    erased_codes encoded = encoded_by(codes.codec);
    encoded.ranked_ = codes.floating, encoded.order_ = device::order_in_front<Bits>(codes.order);
    return encoded;
  }
  template <class High, class Low, class Codec>
  erased_codes encoded_by(const joined_codec<Bits, High, Low, Codec>& joined) const {
    return encoded_by(joined.codec);
  }

  /// The codec that tells which numbers codes stand for, if they stand for numbers.
  __device__ key_codec<Bits> maker() const {
    return key_bytes_ == sizeof(Bits) && !ranked_ ? codec_ : key_codec<Bits>{};
  }

  __device__ Bits operator[](std::size_t index) const {
    const std::size_t indices[1] = {index};
    Bits codes[1];
    load(indices, codes);
    return codes[0];
  }

  /// Loads the codes at these indices, with all loads in flight at once.
  template <int Items>
  __device__ __forceinline__ void load(const std::size_t (&indices)[Items], Bits (&codes)[Items]) const {
    const unsigned in_front = 8 * (sizeof(Bits) - key_bytes_);
    device::read_numbers(keys_, key_bytes_, indices, codes);
    half_of<Bits> values[Items];
    if (value_bytes_ > 0) device::read_numbers(values_, value_bytes_, indices, values);
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = static_cast<Bits>(codes[i] << in_front);
    if (!made_) device::encode_items(codes, codec_);
    if (ranked_)
#pragma unroll
      for (int i = 0; i < Items; ++i) codes[i] = order_.rank(codes[i], static_cast<Bits>(Bits{1} << in_front));
    if (indexed_)
#pragma unroll
      for (int i = 0; i < Items; ++i)
        codes[i] |=
            static_cast<Bits>(static_cast<Bits>(first_index_ + static_cast<std::uint32_t>(indices[i])) << spare_bits_);
    else if (value_bytes_ > 0)
#pragma unroll
      for (int i = 0; i < Items; ++i) codes[i] |= static_cast<Bits>(static_cast<Bits>(values[i]) << spare_bits_);
  }

 private:
  const void* keys_;
  unsigned key_bytes_;
  unsigned spare_bits_;
  const void* values_ = nullptr;
  unsigned value_bytes_ = 0;
  bool indexed_ = false;
  std::uint32_t first_index_ = 0;
  bool made_ = false;  ///< whether keys are codes, made by the codec
  bool ranked_ = false;
  key_codec<Bits> codec_{};
  floating_code_less<Bits> order_{};
};

/// Codes of any other source.
template <class Key, class Source, class Codec>
struct source_codes {
  Source keys;
  Codec codec;

  __device__ key_codec<Key> maker() const { return block::maker_of<Key>(codec); }
  __device__ Key operator[](std::size_t index) const { return codec.encode(keys[index]); }
  template <int Items>
  __device__ void load(const std::size_t (&indices)[Items], Key (&codes)[Items]) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = (*this)[indices[i]];
  }
};

/// The codes of a source, of one type for as many sources as possible: keys in memory, alone or joined with values
/// there, and sources that provide erased().
template <class Key, class Source, class Codec>
auto codes_of(const Source& keys, const Codec& codec) {
  if constexpr (std::is_pointer_v<Source> && std::is_same_v<Key, bits_of_size<sizeof(Key)>>)
    return erased_codes<Key>{keys}.encoded_by(codec);
  else if constexpr (requires { keys.erased(); })
    return keys.erased().encoded_by(codec);
  else
    return source_codes<Key, Source, Codec>{keys, codec};
}
template <class Key, class High, class Low, class Codec>
auto codes_of(const joined_pointer<Key, High, Low>& pairs, const Codec& codec) {
  const erased_codes<Key> keys{pairs.high(), joint<Key, High, Low>::spare_bits};
  return keys.before(pairs.low()).encoded_by(codec);
}

}  // namespace gpu::inline v1::detail::device
