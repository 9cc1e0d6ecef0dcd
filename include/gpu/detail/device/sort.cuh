// The device's sorts by name. What the plan chose is called here and nowhere else.
#pragma once

#include <bit>
#include <new>
#include <type_traits>

#include "../../execution.hpp"
#include "bitonic_sort.cuh"
#include "counting_sort.cuh"
#include "guessed_sort.cuh"
#include "merge_sort.cuh"
#include "order.cuh"
#include "quicksort.cuh"
#include "radix_choice.cuh"
#include "radix_sort.cuh"
#include "sample_sort.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// What radix distribution takes digits of to sort as `less` does.
inline code_rank rank_of(code_less) { return {}; }
template <class Bits>
floating_rank<Bits> rank_of(floating_code_less<Bits> less) {
  return {less};
}

/// Codes of one or two bytes without values may be counted.
template <class Key, class Value, class Less>
inline constexpr bool counted_v = sizeof(Key) <= 2 && !has_value_v<Value> && std::is_same_v<Less, code_less>;

/// Keys and values that quicksort sorts as one integer, the key in front.
template <class Key, class Value, class Less>
inline constexpr bool joins_v =
    are_codes_v<Key, Less> && std::is_unsigned_v<Value> && sizeof(Key) + value_bytes_v<Value> <= sizeof(uint128);

template <class Key, class Value>
using joined_bits = bits_of_size<std::bit_ceil(sizeof(Key) + sizeof(Value))>;

/// Whether a sort looks if the comparator is the natural order of the keys.
template <class Key, class Value, class Less>
[[nodiscard]] bool guesses_order(std::size_t n, algorithm how) {
  return may_be_natural_v<Key, Value, Less> && how == algorithm::quicksort && n >= enough_to_guess;
}

/// Memory of a sort of joined keys and values.
template <class Key, class Value, class Less>
using joined_choice_scratch =
    choice_scratch<quicksort_scratch<joined_bits<Key, Value>, joined<Key, Value>, Less>, Key, Value>;

/// Quicksort of joined columns, or passes by digits, which are stable, if a sample says that these take less time.
template <class Rows, class Key, class Value, class Less, class RowCodec>
void quicksort_or_digits(const context& context, Rows rows, columns<Key, Value> data, std::size_t n, Less less,
                         RowCodec row_codec, const key_codec<Key>& codec) {
  const scratch<joined_choice_scratch<Key, Value, Less>> memory{context, n, false};
  const condition wanted = device::sort_by_digits_or_not(context, memory->choice, memory->passes,
                                                         radix_ends<Key, Value>{data.keys, data.values, data, true}, n,
                                                         digits_by_key(sizeof(Key), sizeof(Value), n), codec);
  device::quicksort(context, memory->rounds, rows, less, row_codec, wanted.word);
}

template <class Key, class Value, class Less, class Codec>
void quicksort_elements(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  if constexpr (joins_v<Key, Value, Less>) {
    const columns<joined_bits<Key, Value>, joined<Key, Value>> rows{{data.keys, data.values}};
    const joined_codec<joined_bits<Key, Value>, Key, Value, Codec> row_codec{codec};
    if constexpr (std::is_same_v<Codec, key_codec<Key>>)
      if (device::worth_judging<Key, Value>(n))
        return device::quicksort_or_digits(context, rows, data, n, less, row_codec, codec);
    return device::quicksort(context, rows, n, less, row_codec);
  }
  if constexpr (may_be_natural_v<Key, Value, Less>)
    if (device::guesses_order<Key, Value, Less>(n, algorithm::quicksort))
      return device::guessed_sort(context, data.keys, n, less);
  device::quicksort(context, data, n, less, codec);
}

/// Stable sort of device memory on the context's stream; `how`: sample_sort, radix (codes only), else merge sort.
template <class Key, class Value, class Less, class Codec>
void stable_sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec,
                 algorithm how) {
  if constexpr (counted_v<Key, Value, Less>)
    if (how == algorithm::radix && device::worth_counting<Key>(n))
      return device::counting_sort(context, data.keys, n, codec);
  if constexpr (strict_weak_order_v<Less>)
    if (how == algorithm::radix) return device::radix_sort(context, data, n, device::rank_of(less), codec);
  if (how == algorithm::sample_sort) return device::sample_sort(context, data, n, less, codec);
  device::merge_sort(context, data, n, less, codec);
}

/// Sort of device memory on the context's stream by any algorithm. Where there is no memory for scratch the bitonic
/// network, which needs none, takes over.
template <class Key, class Value, class Less, class Codec>
void sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec, algorithm how) {
  if (how != algorithm::bitonic) {
    try {
      if (how == algorithm::quicksort) return device::quicksort_elements(context, data, n, less, codec);
      return device::stable_sort(context, data, n, less, codec, how);
    } catch (const no_device_memory&) {
    }
  }
  device::bitonic_sort(context, data, n, less, codec);
}

/// Bytes of scratch that sort or stable_sort take for n elements.
template <class Key, class Value, class Less>
std::size_t sort_scratch_bytes(std::size_t n, algorithm how) {
  switch (how) {
    case algorithm::bitonic:
      return 0;
    case algorithm::quicksort:
      if constexpr (joins_v<Key, Value, Less>)
        return device::worth_judging<Key, Value>(n)
                   ? device::scratch_bytes<joined_choice_scratch<Key, Value, Less>>(n, false)
                   : device::quicksort_scratch_bytes<joined_bits<Key, Value>, joined<Key, Value>, Less>(n);
      if constexpr (may_be_natural_v<Key, Value, Less>)
        if (device::guesses_order<Key, Value, Less>(n, how)) return device::guessed_sort_scratch_bytes<Key, Less>(n);
      return device::quicksort_scratch_bytes<Key, Value, Less>(n);
    case algorithm::sample_sort:
      return device::sample_sort_scratch_bytes<Key, Value, Less>(n);
    case algorithm::radix:
      if constexpr (counted_v<Key, Value, Less>)
        if (device::worth_counting<Key>(n)) return device::scratch_bytes<counting_scratch<Key>>();
      if constexpr (!std::is_void_v<bits_of_size<sizeof(Key)>>)
        if constexpr (std::is_same_v<Key, bits_of_size<sizeof(Key)>>)
          return device::radix_sort_scratch_bytes<Key, Value>(n);
      [[fallthrough]];
    default:
      return device::merge_sort_scratch_bytes<Key, Value>(n);
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
