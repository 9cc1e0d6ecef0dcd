// Definitions of key_kernels, instantiated once per width in keys_*.cu.
#pragma once

#include <gpu/detail/device/pairs/pair_sort.cuh>
#include <gpu/detail/device/pairs/place_sort.cuh>
#include <gpu/detail/device/rows/rows.cuh>
#include <gpu/detail/device/rows/sorted.cuh>
#include <gpu/detail/device/sort.cuh>
#include <gpu/detail/device/stable_floats.cuh>
#include <gpu/detail/index.hpp>

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

/// Whether blocks of all devices have the shared memory that pairs take.
inline bool devices_hold_pairs() { return least_shared_bytes() >= pair_shared_bytes; }

/// Sorts keys and values as pairs. Where there is no memory for that, and stability is not asked for, the bitonic
/// network, which needs none, takes over.
template <class Bits, class Value>
void sort_as_pairs(const context& context, columns<Bits, Value> data, std::size_t n, const key_codec<Bits>& codec,
                   bool stable) {
  if (stable) return sort_by_pairs<true>(context, data, n, codec);
  try {
    sort_by_pairs<false>(context, data, n, codec);
  } catch (const no_device_memory&) {
    device::sort(context, data, n, code_less{}, codec, algorithm::bitonic);
  }
}

template <class Bits>
bool key_kernels<Bits>::sorts_pairs(const Bits* keys, const column& values, std::size_t n, const key_format& format,
                                    bool stable) {
  return with_value(values.element_bytes, [&]<class Value>(Value) {
    if constexpr (pairs_in_place_v<Bits, Value>) {
      const bool exact = !stable || format.kind != key_class::floating_point;  // codes of equivalent keys may differ
      return exact && enough_to_pair(n, sizeof(Bits)) && devices_hold_pairs() &&
             aligned_to_pairs(const_columns<Bits, Value>{keys, static_cast<const Value*>(values.data)});
    }
    return false;
  });
}

template <class Bits>
void key_kernels<Bits>::sort(const context& context, Bits* keys, const column& values, std::size_t n,
                             const key_format& format, bool stable, algorithm how) {
  const auto codec = make_codec<Bits>(format);
  with_value(values.element_bytes, [&]<class Value>(Value) {
    const columns<Bits, Value> data{keys, static_cast<Value*>(values.data)};
    if constexpr (pairs_in_place_v<Bits, Value>)
      if (how == algorithm::quicksort && sorts_pairs(keys, values, n, format, stable))
        return sort_as_pairs(context, data, n, codec, stable);
    if (!stable) return device::sort(context, data, n, code_less{}, codec, how);
    if (how != algorithm::quicksort)
      return with_exact_less<Bits>(format,
                                   [&](auto less, auto) { device::sort<true>(context, data, n, less, codec, how); });
    // Of keys alone, or with their places, equivalent ones hardly differ: equal integers look alike.
    if constexpr (has_floating_v<Bits> && !has_value_v<Value>)
      if (format.kind == key_class::floating_point)
        return sort_floats_stably(context, data.keys, n, make_floating_code_less<Bits>(format), codec);
    device::sort(context, data, n, code_less{}, codec, how, !has_value_v<Value>);
  });
}

template <class Bits>
void key_kernels<Bits>::sort_unless(const context& context, const unsigned* unwanted, Bits* keys, std::size_t n,
                                    const key_format& format, void* memory) {
  carver carve{memory};
  quicksort(context, quicksort_scratch<Bits, no_value, code_less>{carve, n}, columns<Bits, no_value>{keys, nullptr},
            code_less{}, make_codec<Bits>(format), unwanted);
}

template <class Bits>
std::size_t key_kernels<Bits>::code_sort_bytes(std::size_t n) {
  return scratch_bytes<quicksort_scratch<Bits, no_value, code_less>>(n);
}

/// Memory of segments that are given; begin_segments() and sort_segments() carve it alike.
template <class Key, class Value>
quicksort_scratch<Key, Value, code_less> given_subproblems(carver& carve, std::size_t n) {
  return {carve, n, 0, longest_group<Key> + 1};
}
template <class Key, class Value>
std::size_t given_lists_bytes(std::size_t n) {
  constexpr std::size_t longest = longest_base_case<Key, Value, code_less>();
  return scratch_bytes<partitions<by_itself<Key>, Value, code_less>>(n, longest, std::size_t{0},
                                                                     std::size_t{longest_group<Key> + 1});
}

/// Calls body with the types that stand for keys alone, or for keys joined with values as wide.
template <class Bits, class Body>
decltype(auto) with_pairs(bool paired, const Body& body) {
  if constexpr (is_segment_pair_v<Bits>)
    if (paired) return body.template operator()<joined_bits<Bits, Bits>, joined<Bits, Bits>>();
  (void)paired;
  return body.template operator()<Bits, no_value>();
}

template <class Bits>
rounds_bytes key_kernels<Bits>::segment_rounds_bytes(std::size_t n, bool paired) {
  return with_pairs<Bits>(paired, [&]<class Key, class Value>() {
    carver measure;
    (void)given_subproblems<Key, Value>(measure, n);
    return rounds_bytes{given_lists_bytes<Key, Value>(n), measure.bytes()};
  });
}

template <class Bits>
long_lists key_kernels<Bits>::begin_segments(const context& context, std::size_t n, bool paired, void* memory) {
  return with_pairs<Bits>(paired, [&]<class Key, class Value>() -> long_lists {
    carver carve{memory};
    const auto rounds = given_subproblems<Key, Value>(carve, n);
    const auto& parts = rounds.rounds.parts;
    begin_distribution(context, parts);
    return {parts.subproblems[0], parts.totals, parts.base_cases, parts.base_case_count, parts.plan.longest_base_case};
  });
}

template <class Bits>
void key_kernels<Bits>::sort_segments(const context& context, Bits* keys, Bits* values, std::size_t n,
                                      const key_format& format, void* memory, bool coded) {
  const auto codec = make_codec<Bits>(format);
  with_pairs<Bits>(values != nullptr, [&]<class Key, class Value>() {
    carver carve{memory};
    const auto rounds = given_subproblems<Key, Value>(carve, n);
    if constexpr (is_joined_v<Value>)
      sort_given_subproblems(context, rounds, columns<Key, Value>{{keys, values}},
                             joined_codec<Key, Bits, Bits, key_codec<Bits>>{codec}, coded);
    else
      sort_given_subproblems(context, rounds, columns<Key, Value>{keys, nullptr}, codec, coded);
  });
}

template <class Bits>
std::size_t key_kernels<Bits>::sort_scratch_bytes(std::size_t n, std::size_t value_bytes, const key_format& format,
                                                  bool stable, algorithm how) {
  if constexpr (has_floating_v<Bits>)
    if (stable && how == algorithm::quicksort && value_bytes == 0 && format.kind == key_class::floating_point)
      return stable_floats_scratch_bytes<Bits>(n);
  return with_value(value_bytes, [&]<class Value>(Value) {
    const std::size_t bytes = device::sort_scratch_bytes<Bits, Value, code_less>(n, how);
    if constexpr (pairs_in_place_v<Bits, Value>)
      if (how == algorithm::quicksort && enough_to_pair(n, sizeof(Bits)))
        return std::max(
            bytes, stable ? sort_by_pairs_scratch_bytes<true, Bits>(n) : sort_by_pairs_scratch_bytes<false, Bits>(n));
    return bytes;
  });
}

template <class Bits>
bool key_kernels<Bits>::sorts_places(std::size_t n, algorithm how) {
  if (sizeof(Bits) > 8) return false;
  if (how == algorithm::radix) return true;
  return how == algorithm::quicksort && worth_sorting_places(n) && (sizeof(Bits) <= 4 || devices_hold_pairs());
}

template <class Bits>
void key_kernels<Bits>::sort_places(const context& context, const Bits* keys, const column& places, std::size_t n,
                                    const key_format& format, algorithm how) {
  if constexpr (sizeof(Bits) <= 8) {
    if (n == 0) return;
    const auto sort = [&](auto codec) {
      detail::with_index_of_bytes(places.element_bytes, [&]<class Index>(Index) {
        auto* const indices = static_cast<Index*>(places.data);
        if (how == algorithm::radix) return sort_places_by_digits(context, keys, indices, n, codec);
        sort_places_of(context, keys, indices, n, codec);
      });
    };
    if constexpr (has_floating_v<Bits>)
      if (format.kind == key_class::floating_point) return sort(make_rank_codec<Bits>(format));
    sort(make_codec<Bits>(format));
  }
}

template <class Bits>
std::size_t key_kernels<Bits>::sort_places_scratch_bytes(std::size_t n, std::size_t place_bytes, algorithm how) {
  if constexpr (sizeof(Bits) <= 8) {
    if (how == algorithm::quicksort) return device::sort_places_scratch_bytes<Bits>(n);
    return detail::with_index_of_bytes(place_bytes,
                                       [n]<class Index>(Index) { return sort_places_by_digits_bytes<Bits, Index>(n); });
  }
  return 0;
}

template <class Bits>
void key_kernels<Bits>::merge(const context& context, const std::vector<key_sequence>& inputs, Bits* keys,
                              const column& values, const key_format& format) {
  with_value(values.element_bytes, [&]<class Value>(Value) {
    using input_values = typename const_columns<Bits, Value>::value_type;
    std::vector<sequence<Bits, Value>> sequences;
    sequences.reserve(inputs.size());
    for (const key_sequence& input : inputs)
      sequences.push_back(
          {{static_cast<const Bits*>(input.keys), static_cast<input_values*>(const_cast<void*>(input.values))},
           input.count});
    const columns<Bits, Value> output{keys, static_cast<Value*>(values.data)};
    with_exact_less<Bits>(format, [&](auto less, auto codec) {
      merge_sequences(context, sequences.data(), sequences.size(), output, less, codec);
    });
  });
}

template <class Bits>
std::size_t key_kernels<Bits>::merge_scratch_bytes(std::size_t n, std::size_t inputs, std::size_t value_bytes) {
  return with_value(value_bytes, [&]<class Value>(Value) {
    return inputs == 2 ? device::merge_scratch_bytes<Bits, Value, code_less>(n)
                       : multiway_merge_scratch_bytes<Bits, Value>(n, inputs);
  });
}

template <class Bits>
void key_kernels<Bits>::inplace_merge(const context& context, Bits* keys, const column& values, std::size_t middle,
                                      std::size_t n, const key_format& format) {
  with_value(values.element_bytes, [&]<class Value>(Value) {
    const columns<Bits, Value> data{keys, static_cast<Value*>(values.data)};
    with_exact_less<Bits>(format,
                          [&](auto less, auto codec) { device::inplace_merge(context, data, middle, n, less, codec); });
  });
}

template <class Bits>
void key_kernels<Bits>::sorted_until(const context& context, const Bits* keys, std::size_t n, const key_format& format,
                                     std::size_t* result) {
  with_exact_less<Bits>(format,
                        [&](auto less, auto codec) { device::sorted_until(context, keys, n, less, codec, result); });
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
