// Rows that are sorted as codes. Where their columns lie, and how they are encoded, is known only at run time, so that
// the kernels that sort a few rows serve every kind of key and value, and can write to another place than they read
// from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../keys/equivalent_indices.hpp"
#include "../keys/key.hpp"
#include "columns.cuh"
#include "erased_codes.cuh"
#include "thread/codes.cuh"

namespace gpu::inline v1::detail::device {

/// A pointer to rows that are read as codes of type Bits, and to where the rows of codes are written. A code has a key
/// in the high bits of its upper half, and a value or an index in the high bits of its lower half, so that both take
/// shifts and a codec of half the width.
template <class Bits>
class erased_rows {
  using half = half_of<Bits>;
  static constexpr unsigned half_bits = 8 * sizeof(half);

 public:
  /// A row where it is read, or where it is written.
  class reference {
   public:
    __device__ reference(const erased_rows& rows, std::ptrdiff_t index) : rows_{rows}, index_{index} {}
    __device__ operator Bits() const {
      Bits code[1];
      rows_.read_items(code, [this](int) { return index_; });
      return code[0];
    }
    __device__ void operator=(Bits code) const {
      const Bits codes[1] = {code};
      rows_.write_items(
          codes, [this](int) { return index_; }, [](int) { return true; });
    }

   private:
    const erased_rows& rows_;
    std::ptrdiff_t index_;
  };

  /// Keys of at most half the bytes of Bits, followed by nothing, or by what before() adds.
  template <class High>
  erased_rows(const High* keys, const key_codec<High>& codec)
      : keys_{keys}, key_bytes_{sizeof(High)}, codec_{device::codec_in_front<half>(codec)} {}

  template <class Low>
  erased_rows before(const Low* values) const {
    erased_rows joined = *this;
    joined.values_ = values, joined.value_bytes_ = sizeof(Low);
    return joined;
  }
  /// The same keys, followed by the indices of their rows.
  erased_rows before_indices() const {
    erased_rows joined = *this;
    joined.value_bytes_ = sizeof(std::uint32_t);
    return joined;
  }
  /// The same rows, in the order of a stable sort.
  erased_rows stable_by(const equivalent_indices<Bits>& equivalents) const {
    erased_rows stable = *this;
    stable.equivalents_ = equivalents;
    return stable;
  }
  /// The same rows, with their keys written to `keys`, unless null, and what follows them to `values`, unless null, in
  /// value_bytes each.
  erased_rows written_to(void* keys, void* values, std::size_t value_bytes) const {
    erased_rows written = *this;
    written.written_keys_ = keys, written.written_values_ = values;
    written.written_value_bytes_ = static_cast<unsigned>(value_bytes);
    return written;
  }

  __device__ reference operator[](std::ptrdiff_t index) const { return {*this, index}; }
  __device__ erased_rows operator+(std::size_t offset) const {
    erased_rows behind = *this;
    behind.first_ += offset;
    return behind;
  }

  /// See device::read_items().
  template <int Items, class IndexOf>
  __device__ __forceinline__ void read_items(Bits (&codes)[Items], IndexOf index) const {
    std::size_t indices[Items];
    half keys[Items], values[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) indices[i] = first_ + index(i);
    device::read_numbers(keys_, key_bytes_, indices, keys);
    if (values_ != nullptr)
      device::read_numbers(values_, value_bytes_, indices, values);
    else
#pragma unroll
      for (int i = 0; i < Items; ++i) values[i] = static_cast<half>(indices[i]);
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[i] = static_cast<half>(keys[i] << unused(key_bytes_));
    device::encode_items(keys, codec_);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      codes[i] = static_cast<Bits>(Bits{keys[i]} << half_bits | static_cast<half>(values[i] << unused(value_bytes_)));
    if (equivalents_.any())
#pragma unroll
      for (int i = 0; i < Items; ++i) codes[i] = equivalents_.spread(codes[i]);
  }

  /// See device::write_items().
  template <int Items, class IndexOf, class Wanted>
  __device__ __forceinline__ void write_items(const Bits (&codes)[Items], IndexOf index, Wanted wanted) const {
    Bits rows[Items];
    half keys[Items], values[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) rows[i] = codes[i];
    if (equivalents_.any())
#pragma unroll
      for (int i = 0; i < Items; ++i) rows[i] = equivalents_.gather(rows[i]);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      keys[i] = static_cast<half>(rows[i] >> half_bits);
      values[i] = static_cast<half>(static_cast<half>(rows[i]) >> unused(value_bytes_));
    }
    if (written_values_ != nullptr) write(written_values_, written_value_bytes_, values, index, wanted);
    if (written_keys_ == nullptr) return;
    device::decode_items(keys, codec_);
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[i] = static_cast<half>(keys[i] >> unused(key_bytes_));
    write(written_keys_, key_bytes_, keys, index, wanted);
  }

 private:
  /// Bits of a half that a number of `bytes` bytes leaves unused.
  __device__ static unsigned unused(unsigned bytes) { return half_bits - 8 * bytes; }

  template <int Items, class IndexOf, class Wanted>
  __device__ __forceinline__ void write(void* column, unsigned bytes, const half (&numbers)[Items], IndexOf index,
                                        Wanted wanted) const {
    device::with_integer<half>(bytes, [&]<class Number>(Number) {
      if constexpr (sizeof(Number) <= sizeof(std::uint64_t))
#pragma unroll
        for (int i = 0; i < Items; ++i)
          if (wanted(i)) static_cast<Number*>(column)[first_ + index(i)] = static_cast<Number>(numbers[i]);
    });
  }

  const void* keys_;
  unsigned key_bytes_;
  unsigned value_bytes_ = sizeof(half);
  const void* values_ = nullptr;
  void* written_keys_ = nullptr;
  void* written_values_ = nullptr;
  unsigned written_value_bytes_ = 0;
  std::size_t first_ = 0;
  key_codec<half> codec_;
  equivalent_indices<Bits> equivalents_{};
};

template <class Bits>
struct columns<Bits, erased> {
  using key_type = Bits;
  using value_type = erased;
  using pointer = erased_rows<Bits>;

  pointer keys;
};

/// The codec of the keys of joined columns.
template <class High, class Bits, class Low, class Codec>
const Codec& codec_of_keys(const joined_codec<Bits, High, Low, Codec>& joined) {
  return joined.codec;
}
template <class High>
key_codec<High> codec_of_keys(const identity_codec&) {
  return {};
}

/// Joined columns as erased ones that are sorted in place.
template <class Bits, class High, class Low, class Codec>
columns<Bits, erased> erase(const columns<Bits, joined<High, Low>>& data, const Codec& codec) {
  High* const keys = data.keys.high();
  Low* const values = data.keys.low();
  const erased_rows<Bits> rows{keys, device::codec_of_keys<High>(codec)};
  return {rows.before(values).written_to(keys, values, sizeof(Low))};
}

}  // namespace gpu::inline v1::detail::device
