// The device's sorts by name. What the plan chose is called here and nowhere else.
#pragma once

#include <algorithm>
#include <bit>
#include <new>
#include <type_traits>

#include "../../execution.hpp"
#include "bitonic_sort.cuh"
#include "counting_sort.cuh"
#include "guessed_sort.cuh"
#include "merge_sort.cuh"
#include "one_launch_sort.cuh"
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

/// Memory of a sort of joined keys and values, and of one of keys alone.
template <class Key, class Value, class Less>
using joined_choice_scratch =
    choice_scratch<quicksort_scratch<joined_bits<Key, Value>, joined<Key, Value>, Less>, Key, Value>;
template <class Key, class Less>
using lone_choice_scratch = choice_scratch<quicksort_scratch<Key, no_value, Less>, Key, no_value>;

/// Whether a sample of codes alone may say that passes by digits take less time than quicksort.
template <class Key, class Value, class Less>
inline constexpr bool may_judge_lone_codes_v =
    std::is_same_v<Less, code_less> && !has_value_v<Value> && (sizeof(Key) == 4 || sizeof(Key) == 8);

/// What a sort of n elements becomes, by their types and their number: what sort() does, and sort_scratch_bytes() says
/// the bytes of.
enum class sort_variant : unsigned char {
  bitonic,
  quicksort,
  joined,               ///< quicksort of keys and values as one integer each
  joined_or_digits,     ///< or passes by digits, which are stable, if a sample says that these take less time
  quicksort_or_digits,  ///< the same for keys alone
  guessed,              ///< of numbers as such, if the comparator turns out to be their natural order; else quicksort
  sample,
  counting,
  radix,
  merge
};

template <class Key, class Value, class Less>
[[nodiscard]] sort_variant variant_of(std::size_t n, algorithm how) {
  switch (how) {
    case algorithm::bitonic:
      return sort_variant::bitonic;
    case algorithm::quicksort:
      if constexpr (joins_v<Key, Value, Less>)
        return device::worth_judging<Key, Value>(n) ? sort_variant::joined_or_digits : sort_variant::joined;
      if (may_judge_lone_codes_v<Key, Value, Less> && device::worth_judging<Key, Value>(n))
        return sort_variant::quicksort_or_digits;
      return device::guesses_order<Key, Value, Less>(n, how) ? sort_variant::guessed : sort_variant::quicksort;
    case algorithm::sample_sort:
      return sort_variant::sample;
    case algorithm::radix:
      if constexpr (counted_v<Key, Value, Less>)
        if (device::worth_counting<Key>(n)) return sort_variant::counting;
      return strict_weak_order_v<Less> ? sort_variant::radix : sort_variant::merge;
    default:
      return sort_variant::merge;
  }
}

template <class Key, class Value, class Less, class Codec>
void joined_quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, const Codec& codec,
                      bool or_digits) {
  const columns<joined_bits<Key, Value>, joined<Key, Value>> rows{{data.keys, data.values}};
  const joined_codec<joined_bits<Key, Value>, Key, Value, Codec> row_codec{codec};
  if (!or_digits) {
    if (device::one_launch_sort(context, rows, row_codec, data.keys, data.values, data, n, code_rank{}, codec)) return;
    return device::quicksort(context, rows, n, less, row_codec);
  }
  const scratch<joined_choice_scratch<Key, Value, Less>> memory{context, n, false};
  const condition wanted = device::sort_by_digits_or_not(context, memory->choice, memory->passes,
                                                         radix_ends<Key, Value>{data.keys, data.values, data, true}, n,
                                                         digits_by_key(sizeof(Key), sizeof(Value), n), codec);
  device::quicksort(context, memory->rounds, rows, less, row_codec, wanted.word);
}

template <class Key, class Less, class Codec>
void quicksort_or_digits(const context& context, columns<Key, no_value> data, std::size_t n, Less less,
                         const Codec& codec) {
  const scratch<lone_choice_scratch<Key, Less>> memory{context, n, false};
  const condition wanted = device::sort_by_digits_or_not(context, memory->choice, memory->passes,
                                                         radix_ends<Key, no_value>{data.keys, nullptr, data, true}, n,
                                                         digits_alone(sizeof(Key), n), codec);
  device::quicksort(context, memory->rounds, data, less, codec, wanted.word);
}

/// Sorts device memory on the context's stream by an algorithm; `Stable`: by one that is stable, sample_sort, radix (of
/// codes), else merge sort. Where there is no memory for scratch the bitonic network, which needs none, takes over, if
/// the order of equivalent elements may be any.
template <bool Stable = false, class Key, class Value, class Less, class Codec>
void sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec, algorithm how,
          bool any_order = !Stable) {
  const sort_variant variant = device::variant_of<Key, Value, Less>(n, how);
  try {
    if constexpr (!Stable) {
      if (variant == sort_variant::bitonic) return device::bitonic_sort(context, data, n, less, codec);
      if constexpr (joins_v<Key, Value, Less>) {
        if (variant == sort_variant::joined || variant == sort_variant::joined_or_digits)
          return device::joined_quicksort(context, data, n, less, codec, variant == sort_variant::joined_or_digits);
      } else {
        if constexpr (may_be_natural_v<Key, Value, Less>)
          if (variant == sort_variant::guessed) return device::guessed_sort(context, data.keys, n, less);
        if constexpr (may_judge_lone_codes_v<Key, Value, Less>)
          if (variant == sort_variant::quicksort_or_digits)
            return device::quicksort_or_digits(context, data, n, less, codec);
        if (variant == sort_variant::quicksort) {
          if constexpr (may_judge_lone_codes_v<Key, Value, Less>)
            if (device::one_launch_sort(context, data, codec, data.keys, data.values, data, n, code_rank{}, codec))
              return;
          return device::quicksort(context, data, n, less, codec);
        }
      }
    }
    if constexpr (counted_v<Key, Value, Less>)
      if (variant == sort_variant::counting) return device::counting_sort(context, data.keys, n, codec);
    if constexpr (strict_weak_order_v<Less>)
      if (variant == sort_variant::radix) return device::radix_sort(context, data, n, device::rank_of(less), codec);
    if (variant == sort_variant::sample) return device::sample_sort(context, data, n, less, codec);
    device::merge_sort(context, data, n, less, codec);
  } catch (const no_device_memory&) {
    if (!any_order || variant == sort_variant::bitonic) throw;
    if constexpr (!Stable) device::bitonic_sort(context, data, n, less, codec);
  }
}

/// Bytes of scratch that sort takes for n elements.
template <class Key, class Value, class Less>
std::size_t sort_scratch_bytes(std::size_t n, algorithm how) {
  const sort_variant variant = device::variant_of<Key, Value, Less>(n, how);
  if (variant == sort_variant::bitonic) return 0;
  if constexpr (joins_v<Key, Value, Less>) {
    if (variant == sort_variant::joined_or_digits)
      return device::scratch_bytes<joined_choice_scratch<Key, Value, Less>>(n, false);
    if (variant == sort_variant::joined)
      return std::max(device::quicksort_scratch_bytes<joined_bits<Key, Value>, joined<Key, Value>, Less>(n),
                      device::one_launch_sort_bytes<Key, Value, joined_bits<Key, Value>>(n, false));
  }
  if (variant == sort_variant::quicksort_or_digits)
    return device::scratch_bytes<lone_choice_scratch<Key, Less>>(n, false);
  if constexpr (may_be_natural_v<Key, Value, Less>)
    if (variant == sort_variant::guessed) return device::guessed_sort_scratch_bytes<Key, Less>(n);
  if (variant == sort_variant::quicksort) {
    const std::size_t bytes = device::quicksort_scratch_bytes<Key, Value, Less>(n);
    if constexpr (may_judge_lone_codes_v<Key, Value, Less>)
      return std::max(bytes, device::one_launch_sort_bytes<Key, Value, Key>(n, false));
    return bytes;
  }
  if (variant == sort_variant::sample) return device::sample_sort_scratch_bytes<Key, Value, Less>(n);
  if constexpr (counted_v<Key, Value, Less>)
    if (variant == sort_variant::counting) return device::scratch_bytes<counting_scratch<Key>>();
  if constexpr (strict_weak_order_v<Less>)
    if (variant == sort_variant::radix) return device::radix_sort_scratch_bytes<Key, Value>(n);
  return device::merge_sort_scratch_bytes<Key, Value>(n);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
