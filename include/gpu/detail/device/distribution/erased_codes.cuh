// Codes of keys that lie, and are encoded, in a way that is told at run time: for kernels that look at few of them, so
// that one serves every kind of key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/even_buckets.cuh"
#include "../columns.cuh"

namespace gpu::inline v1::detail::device {

/// Codes of Bits: of keys as wide, or of narrower ones in front of a value, an index, or nothing.
template <class Bits>
class erased_codes {
 public:
  /// Keys or, of a type High, keys in front of what follows, in Bits of which the last ones may be unused.
  template <class High>
  explicit erased_codes(const High* keys, unsigned spare_bits = 0)
      : keys_{keys}, key_bytes_{sizeof(High)}, spare_bits_{spare_bits} {}

  template <class Low>
  erased_codes before(const Low* values) const {
    erased_codes joined = *this;
    joined.values_ = values, joined.value_bytes_ = sizeof(Low);
    return joined;
  }
  erased_codes before_indices(std::uint32_t first) const {
    erased_codes joined = *this;
    joined.indexed_ = true, joined.first_index_ = first;
    return joined;
  }

  erased_codes encoded_by(const identity_codec&) const { return *this; }
  template <class Maker>
  erased_codes encoded_by(const made_codes<Maker>& codec) const {
    erased_codes encoded = *this;
    encoded.codec_ = codec.maker, encoded.made_ = true;
    return encoded;
  }
  template <class High>
  erased_codes encoded_by(const key_codec<High>& codec) const {
    erased_codes encoded = *this;
    encoded.codec_ = {
        in_front(codec.flip), in_front(codec.negative_flip), in_front(codec.bias), in_front(codec.invert), 0, 0};
    if (codec.bytes_from == 0) return encoded;
    constexpr int behind = sizeof(Bits) - sizeof(High);
    for (int i = 0; i < static_cast<int>(sizeof(Bits)); ++i) {
      const std::uint64_t from = i < behind ? i : (codec.bytes_from >> 4 * (i - behind)) % 16 + behind;
      encoded.codec_.bytes_from |= from << 4 * i;
    }
    return encoded;
  }
  template <class High>
  erased_codes encoded_by(const rank_codec<High>& ranks) const {
    erased_codes encoded = encoded_by(ranks.codec);
    encoded.ranked_ = true;
    encoded.order_ = {in_front(ranks.order.negative_zero), in_front(ranks.order.first_nan),
                      in_front(ranks.order.invert)};
    return encoded;
  }
  template <class High, class Low, class Codec>
  erased_codes encoded_by(const joined_codec<Bits, High, Low, Codec>& joined) const {
    return encoded_by(joined.codec);
  }

  /// What says which numbers codes stand for, if they do.
  __device__ key_codec<Bits> maker() const {
    return key_bytes_ == sizeof(Bits) && !ranked_ ? codec_ : key_codec<Bits>{};
  }

  __device__ Bits operator[](std::size_t index) const {
    const std::size_t indices[1] = {index};
    Bits codes[1];
    load(indices, codes);
    return codes[0];
  }

  /// The codes at these indices, which are asked for at once.
  template <int Items>
  __device__ void load(const std::size_t (&indices)[Items], Bits (&codes)[Items]) const {
    const unsigned in_front = 8 * (sizeof(Bits) - key_bytes_);
    read(keys_, key_bytes_, indices, codes);
    Bits values[Items];
    if (value_bytes_ > 0) read(values_, value_bytes_, indices, values);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      codes[i] = static_cast<Bits>(codes[i] << in_front);
      if (!made_) codes[i] = codec_.encode(codes[i]);
      if (ranked_) codes[i] = order_.rank(codes[i], static_cast<Bits>(Bits{1} << in_front));
      if (value_bytes_ > 0) codes[i] |= static_cast<Bits>(values[i] << spare_bits_);
      if (indexed_)
        codes[i] |=
            static_cast<Bits>(static_cast<Bits>(first_index_ + static_cast<std::uint32_t>(indices[i])) << spare_bits_);
    }
  }

 private:
  /// A key's bits where they are in a code.
  template <class High>
  static Bits in_front(High bits) {
    return static_cast<Bits>(static_cast<Bits>(bits) << 8 * (sizeof(Bits) - sizeof(High)));
  }

  template <int Items>
  __device__ static void read(const void* column, unsigned bytes, const std::size_t (&indices)[Items],
                              Bits (&numbers)[Items]) {
    const auto read_as = [&](auto example) {
      using number = decltype(example);
      if constexpr (sizeof(number) <= sizeof(Bits)) {
#pragma unroll
        for (int i = 0; i < Items; ++i) numbers[i] = static_cast<const number*>(column)[indices[i]];
      }
    };
    switch (bytes) {
      case 1:
        return read_as(std::uint8_t{});
      case 2:
        return read_as(std::uint16_t{});
      case 4:
        return read_as(std::uint32_t{});
      case 8:
        return read_as(std::uint64_t{});
      default:
        return read_as(uint128{});
    }
  }

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

/// The codes of a source, of one type for as many as may be: of keys in memory, alone or joined with values there, and
/// of sources that say themselves how they are erased.
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
