// Definitions of key_kernels, instantiated once per width in keys_*.cu.
#pragma once

#include <gpu/detail/device/rows.cuh>
#include <gpu/detail/device/sort.cuh>
#include <gpu/detail/device/sorted.cuh>
#include <gpu/detail/device/stable_floats.cuh>

#include "keys.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Calls body with a value of the type that stands for values of so many bytes.
template <class Body>
decltype(auto) with_value(std::size_t bytes, const Body& body) {
  switch (bytes) {
    case 0:
      return body(no_value{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

/// Calls body with the comparator of codes that keeps equivalent keys equivalent: what stable work needs.
template <class Bits, class Body>
decltype(auto) with_exact_less(const key_format& format, const Body& body) {
  if constexpr (has_floating_v<Bits>)
    if (format.kind == key_class::floating_point) return body(make_floating_code_less<Bits>(format));
  return body(code_less{});
}

/// Stable sort of elements of which equivalent ones hardly differ: keys alone, or keys and their places.
template <class Bits, class Value>
void sort_like_stably(const context& context, columns<Bits, Value> data, std::size_t n, const key_format& format,
                      const key_codec<Bits>& codec) {
  if constexpr (has_floating_v<Bits> && !has_value_v<Value>)
    if (format.kind == key_class::floating_point)
      return sort_floats_stably(context, data.keys, n, make_floating_code_less<Bits>(format), codec);
  quicksort_elements(context, data, n, code_less{}, codec);
}

template <class Bits>
void key_kernels<Bits>::sort(const context& context, Bits* keys, const column& values, std::size_t n,
                             const key_format& format, bool stable, algorithm how) {
  const auto codec = make_codec<Bits>(format);
  with_value(values.element_bytes, [&]<class Value>(Value) {
    const columns<Bits, Value> data{keys, static_cast<Value*>(values.data)};
    if (!stable) return device::sort(context, data, n, code_less{}, codec, how);
    if (how == algorithm::quicksort) return sort_like_stably(context, data, n, format, codec);
    with_exact_less<Bits>(format, [&](auto less) { stable_sort(context, data, n, less, codec, how); });
  });
}

template <class Bits>
std::size_t key_kernels<Bits>::sort_scratch_bytes(std::size_t n, std::size_t value_bytes, const key_format& format,
                                                  bool stable, algorithm how) {
  if constexpr (has_floating_v<Bits>)
    if (stable && how == algorithm::quicksort && value_bytes == 0 && format.kind == key_class::floating_point)
      return stable_floats_scratch_bytes<Bits>(n);
  return with_value(value_bytes,
                    [&]<class Value>(Value) { return device::sort_scratch_bytes<Bits, Value, code_less>(n, how); });
}

template <class Bits>
void key_kernels<Bits>::merge(const context& context, const std::vector<key_sequence>& inputs, Bits* keys,
                              const column& values, const key_format& format) {
  const auto codec = make_codec<Bits>(format);
  with_value(values.element_bytes, [&]<class Value>(Value) {
    using input_values = typename const_columns<Bits, Value>::value_type;
    std::vector<sequence<Bits, Value>> sequences;
    for (const key_sequence& input : inputs)
      sequences.push_back(
          {{static_cast<const Bits*>(input.keys), static_cast<input_values*>(const_cast<void*>(input.values))},
           input.count});
    const columns<Bits, Value> output{keys, static_cast<Value*>(values.data)};
    with_exact_less<Bits>(
        format, [&](auto less) { merge_sequences(context, sequences.data(), sequences.size(), output, less, codec); });
  });
}

template <class Bits>
std::size_t key_kernels<Bits>::merge_scratch_bytes(std::size_t n, std::size_t inputs, std::size_t value_bytes) {
  return with_value(value_bytes, [&]<class Value>(Value) {
    return inputs == 2 ? device::merge_scratch_bytes<Bits, Value>(n)
                       : multiway_merge_scratch_bytes<Bits, Value>(n, inputs);
  });
}

template <class Bits>
void key_kernels<Bits>::inplace_merge(const context& context, Bits* keys, const column& values, std::size_t middle,
                                      std::size_t n, const key_format& format) {
  with_value(values.element_bytes, [&]<class Value>(Value) {
    const columns<Bits, Value> data{keys, static_cast<Value*>(values.data)};
    with_exact_less<Bits>(
        format, [&](auto less) { device::inplace_merge(context, data, middle, n, less, make_codec<Bits>(format)); });
  });
}

template <class Bits>
void key_kernels<Bits>::sorted_until(const context& context, const Bits* keys, std::size_t n, const key_format& format,
                                     std::size_t* result) {
  with_exact_less<Bits>(
      format, [&](auto less) { device::sorted_until(context, keys, n, less, make_codec<Bits>(format), result); });
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
