// Keys with or without values: one code path for both, by an empty value type.
#pragma once

#include <cub/util_namespace.cuh>

#include <cstddef>
#include <type_traits>

#include "../config.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

namespace cub = CUB_NS_QUALIFIER;  // wherever the program put it: the library's own kernels wrap it

/// The value type of a sort of keys alone: occupies no memory and is never read or written.
struct no_value {};

template <class Value>
inline constexpr bool has_value_v = !std::is_same_v<Value, no_value>;

/// Bytes that a value takes in memory.
template <class Value>
inline constexpr std::size_t value_bytes_v = has_value_v<Value> ? sizeof(Value) : 0;

/// An array of keys and, unless Value is no_value, an array of values beside it; `values` is null otherwise.
template <class Key, class Value>
struct columns {
  using key_type = Key;
  using value_type = Value;

  Key* keys = nullptr;
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

/// Rounds up.
GPUPAR_HOST_DEVICE constexpr std::size_t divide_up(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
