// Keys with or without values: one code path for both, by an empty value type. Narrow ones may be sorted as one
// integer.
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

/// The value type where a code of Bits, joined from a key of type High before a value of type Low, is what is sorted:
/// the kernels see codes alone, memory holds two columns.
template <class High, class Low>
struct joined {};

template <class Value>
inline constexpr bool is_joined_v = false;
template <class High, class Low>
inline constexpr bool is_joined_v<joined<High, Low>> = true;

/// Whether values move beside the keys.
template <class Value>
inline constexpr bool has_value_v = !std::is_same_v<Value, no_value> && !is_joined_v<Value>;

/// Bytes that a value beside its key takes in memory.
template <class Value>
inline constexpr std::size_t value_bytes_v = has_value_v<Value> ? sizeof(Value) : 0;

/// An array of keys and, unless Value is no_value, an array of values beside it; `values` is null otherwise.
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

/// A pointer to codes whose halves lie apart.
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

/// The value type where codes are read in one place and written in another: source[i] makes a code, target[i] takes
/// one.
template <class Source, class Target>
struct out_of_place {};

template <class Value>
inline constexpr bool is_out_of_place_v = false;
template <class Source, class Target>
inline constexpr bool is_out_of_place_v<out_of_place<Source, Target>> = true;

template <class Bits, class Source, class Target>
struct columns<Bits, out_of_place<Source, Target>> {
  struct reference {
    Source source;
    Target target;
    std::ptrdiff_t index;

    GPUPAR_HOST_DEVICE operator Bits() const { return source[index]; }
    GPUPAR_HOST_DEVICE void operator=(Bits code) const { target[index] = code; }
  };
  struct pointer {
    Source source;
    Target target;

    GPUPAR_HOST_DEVICE reference operator[](std::ptrdiff_t i) const { return {source, target, i}; }
    GPUPAR_HOST_DEVICE pointer operator+(std::size_t offset) const { return {source + offset, target + offset}; }
  };

  pointer keys;
};

/// Indices to be written, or none: of 32 or 64 bits, which is told at run time, so that one kernel serves both.
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

/// Rounds up.
GPUPAR_HOST_DEVICE constexpr std::size_t divide_up(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

}  // namespace gpu::inline v1::detail::device
