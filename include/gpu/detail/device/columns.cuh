// Keys with or without values: one code path for both, by an empty value type. A narrow key and its value may be sorted
// as one integer.
#pragma once

#include <cub/util_namespace.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../config.hpp"
#include "../keys/key.hpp"

namespace gpu::inline v1::detail::device {

namespace cub = CUB_NS_QUALIFIER;  // wherever the program put it: the library's own kernels wrap it

/// The value type of a sort of keys alone: occupies no memory and is never read or written.
struct no_value {};

/// The value type where the sorted elements are codes of type Bits, each joined from a key of type High in front of a
/// value of type Low: kernels see only codes, memory holds two columns.
template <class High, class Low>
struct joined {};

/// The value type where the columns of the sorted codes are known only at run time, see erased_rows.cuh.
struct erased {};

template <class Value>
inline constexpr bool is_joined_v = false;
template <class High, class Low>
inline constexpr bool is_joined_v<joined<High, Low>> = true;

/// Whether values move along with the keys.
template <class Value>
inline constexpr bool has_value_v =
    !std::is_same_v<Value, no_value> && !is_joined_v<Value> && !std::is_same_v<Value, erased>;

/// Bytes that a separate value takes in memory.
template <class Value>
inline constexpr std::size_t value_bytes_v = has_value_v<Value> ? sizeof(Value) : 0;

/// An array of keys and, unless Value is no_value, an array of values; `values` is null otherwise.
template <class Key, class Value>
struct columns {
  using key_type = Key;
  using value_type = Value;
  using pointer = Key*;

  pointer keys = nullptr;
  Value* values = nullptr;

  GPUPAR_HOST_DEVICE columns operator+(std::size_t offset) const {
    if constexpr (has_value_v<Value>)
      return {keys + offset, values + offset};
    else
      return {keys + offset, nullptr};
  }

  /// The value at `index`, or the empty one.
  GPUPAR_HOST_DEVICE Value value(std::size_t index) const {
    if constexpr (has_value_v<Value>)
      return values[index];
    else
      return {};
  }

  GPUPAR_HOST_DEVICE void set(std::size_t index, const Key& key, const Value& value) const {
    keys[index] = key;
    if constexpr (has_value_v<Value>) values[index] = value;
  }
};

/// A pointer to codes whose halves are in separate arrays.
template <class Bits, class High, class Low>
class joined_pointer {
  using pairs = joint<Bits, High, Low>;

 public:
  /// A code in memory.
  class reference {
   public:
    GPUPAR_HOST_DEVICE reference(High& high, Low& low) : high_{high}, low_{low} {}
    reference(const reference&) = default;
    GPUPAR_HOST_DEVICE operator Bits() const { return pairs::join(high_, low_); }
    GPUPAR_HOST_DEVICE const reference& operator=(Bits code) const {
      high_ = pairs::high(code);
      low_ = pairs::low(code);
      return *this;
    }

   private:
    High& high_;
    Low& low_;
  };

  joined_pointer() = default;
  GPUPAR_HOST_DEVICE joined_pointer(High* high, Low* low) : high_{high}, low_{low} {}

  GPUPAR_HOST_DEVICE reference operator[](std::ptrdiff_t index) const { return {high_[index], low_[index]}; }
  GPUPAR_HOST_DEVICE reference operator*() const { return {*high_, *low_}; }
  GPUPAR_HOST_DEVICE joined_pointer operator+(std::size_t offset) const { return {high_ + offset, low_ + offset}; }
  GPUPAR_HOST_DEVICE High* high() const { return high_; }
  GPUPAR_HOST_DEVICE Low* low() const { return low_; }

 private:
  High* high_;
  Low* low_;
};

template <class Bits, class High, class Low>
struct columns<Bits, joined<High, Low>> {
  using key_type = Bits;
  using value_type = joined<High, Low>;
  using pointer = joined_pointer<Bits, High, Low>;

  pointer keys;

  GPUPAR_HOST_DEVICE columns operator+(std::size_t offset) const { return {keys + offset}; }
  GPUPAR_HOST_DEVICE value_type value(std::size_t) const { return {}; }
  GPUPAR_HOST_DEVICE void set(std::size_t index, Bits code, value_type) const { keys[index] = code; }
};

/// Elements without a second column.
template <class Array>
struct stream {
  Array keys;
  GPUPAR_HOST_DEVICE stream operator+(std::size_t offset) const { return {keys + offset}; }
};

/// How functions that are not inlined take an object that locates elements: by reference if it is large, since a copy
/// would go through memory.
template <class Data>
using as_argument = std::conditional_t<(sizeof(Data) > 64), const Data&, const Data>;

/// Calls body with an integer of `bytes` bytes: with_bits() for device code. The width of `Likely` is tested first.
template <class Likely = std::uint32_t, class Body>
__device__ __forceinline__ void with_integer(unsigned bytes, const Body& body) {
  if (__builtin_expect(bytes == sizeof(Likely), 1)) return body(Likely{});
  switch (bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    case 8:
      return body(std::uint64_t{});
    default:
      return body(uint128{});
  }
}

/// What kernels compute with where the width of codes is known only at run time.
template <class Bits>
using widest_code = std::conditional_t<(sizeof(Bits) > sizeof(std::uint64_t)), uint128, std::uint64_t>;

/// codes[i] = data[index(i)], with all loads in flight at once, in whichever way `data` makes codes.
template <class Data, class Key, int Items, class IndexOf>
__device__ __forceinline__ void read_items(const Data& data, Key (&codes)[Items], IndexOf index) {
  if constexpr (requires { data.read_items(codes, index); })
    data.read_items(codes, index);
  else
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = static_cast<Key>(data[index(i)]);
}

/// data[index(i)] = codes[i] for those i of which wanted(i).
template <class Data, class Key, int Items, class IndexOf, class Wanted>
__device__ __forceinline__ void write_items(const Data& data, const Key (&codes)[Items], IndexOf index, Wanted wanted) {
  if constexpr (requires { data.write_items(codes, index, wanted); })
    data.write_items(codes, index, wanted);
  else
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (wanted(i)) data[index(i)] = codes[i];
}

/// An array of indices to write, or none: 32 or 64 bits wide, which is chosen at run time, so that one kernel serves
/// both.
class index_writer {
 public:
  index_writer() = default;
  index_writer(std::uint32_t* indices) : indices_{indices} {}
  index_writer(std::uint64_t* indices) : indices_{indices}, wide_{true} {}
  index_writer(void* indices, std::size_t index_bytes)
      : indices_{indices}, wide_{index_bytes == sizeof(std::uint64_t)} {}

  GPUPAR_HOST_DEVICE explicit operator bool() const { return indices_ != nullptr; }
  GPUPAR_HOST_DEVICE index_writer operator+(std::size_t offset) const {
    index_writer behind = *this;
    behind.indices_ = static_cast<std::byte*>(indices_) + (offset << (wide_ ? 3 : 2));
    return behind;
  }
  GPUPAR_HOST_DEVICE void write(std::size_t i, std::uint64_t index) const {
    if (wide_)
      static_cast<std::uint64_t*>(indices_)[i] = index;
    else
      static_cast<std::uint32_t*>(indices_)[i] = static_cast<std::uint32_t>(index);
  }

 private:
  void* indices_ = nullptr;
  bool wide_ = false;
};

/// An array of indices to read, 32 or 64 bits wide likewise.
class index_reader {
 public:
  index_reader(const std::uint32_t* indices) : indices_{indices} {}
  index_reader(const std::uint64_t* indices) : indices_{indices}, wide_{true} {}
  index_reader(const void* indices, std::size_t index_bytes)
      : indices_{indices}, wide_{index_bytes == sizeof(std::uint64_t)} {}

  __device__ std::uint64_t operator[](std::size_t i) const {
    return wide_ ? static_cast<const std::uint64_t*>(indices_)[i] : static_cast<const std::uint32_t*>(indices_)[i];
  }

 private:
  const void* indices_;
  bool wide_ = false;
};

/// Rounds up.
GPUPAR_HOST_DEVICE constexpr std::size_t divide_up(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

}  // namespace gpu::inline v1::detail::device
