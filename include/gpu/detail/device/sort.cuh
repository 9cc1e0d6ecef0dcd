// Dispatch to the device's sorts by algorithm. The sort that the plan chose is called here and nowhere else.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "../../execution.hpp"
#include "bitonic_sort.cuh"
#include "counting_sort.cuh"
#include "guessed_sort.cuh"
#include "merge_sort.cuh"
#include "one_launch_sort.cuh"
#include "order.cuh"
#include "quicksort.cuh"
#include "radix/choice.cuh"
#include "radix_sort.cuh"
#include "sample_sort.cuh"
#include "sort_by_digits.cuh"

namespace gpu::inline v1::detail::device {

/// The rank whose digits a radix sort uses to sort in the order of `less`.
inline code_rank rank_of(code_less) { return {}; }
template <class Bits>
floating_rank<Bits> rank_of(floating_code_less<Bits> less) {
  return {less};
}

/// Whether counting sort may be used: codes of one or two bytes without values.
template <class Key, class Value, class Less>
inline constexpr bool counted_v = sizeof(Key) <= 2 && !has_value_v<Value> && std::is_same_v<Less, code_less>;

/// Whether quicksort sorts key and value as one integer, the key in the high bits.
template <class Key, class Value, class Less>
inline constexpr bool joins_v =
    are_codes_v<Key, Less> && std::is_unsigned_v<Value> && sizeof(Key) + value_bytes_v<Value> <= sizeof(uint128);

template <class Key, class Value>
using joined_bits = bits_of_size<std::bit_ceil(sizeof(Key) + sizeof(Value))>;

/// The rows that quicksort sorts: keys and values joined, or else the columns as given; and the codec that makes their
/// codes.
template <class Less, class Key, class Value>
auto quicksort_rows(columns<Key, Value> data) {
  if constexpr (joins_v<Key, Value, Less>)
    return columns<joined_bits<Key, Value>, joined<Key, Value>>{{data.keys, data.values}};
  else
    return data;
}
template <class Less, class Key, class Value, class Codec>
auto quicksort_codec(columns<Key, Value>, const Codec& codec) {
  if constexpr (joins_v<Key, Value, Less>)
    return joined_codec<joined_bits<Key, Value>, Key, Value, Codec>{codec};
  else
    return codec;
}
template <class Key, class Value, class Less>
using quicksort_rows_of = decltype(device::quicksort_rows<Less>(columns<Key, Value>{}));

/// Scratch of quicksort and of passes by digits.
template <class Key, class Value, class Less, class Rows = quicksort_rows_of<Key, Value, Less>>
using quicksort_or_digits_scratch =
    choice_scratch<quicksort_scratch<typename Rows::key_type, typename Rows::value_type, Less>, Key, Value>;

/// Whether a sort tests if the comparator is the natural order of the keys.
template <class Key, class Value, class Less>
[[nodiscard]] bool guesses_order(std::size_t n, algorithm how) {
  return may_be_natural_v<Key, Value, Less> && how == algorithm::quicksort && n >= enough_to_guess;
}

/// Whether passes by digits may be chosen over quicksort after sampling the codes: keys of 4 or 8 bytes, alone or
/// joined with values of at least 4 bytes, which are the rows that passes in one launch move.
template <class Key, class Value, class Less>
inline constexpr bool may_take_passes_v = are_codes_v<Key, Less> && (sizeof(Key) == 4 || sizeof(Key) == 8) &&
                                          (!has_value_v<Value> ||
                                           (value_bytes_v<Value> >= 4 && joins_v<Key, Value, Less>));

/// The sort that n elements get, by their types and their number: the one that sort() calls and whose scratch
/// sort_scratch_bytes() returns.
enum class sort_variant : unsigned char {
  bitonic,
  quicksort,  ///< or passes by digits where those take less time
  guessed,    ///< by codes if the comparator turns out to be the numbers' natural order; else quicksort
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

/// Quicksort, or passes by digits if a sample says that these take less time; does nothing if *unwanted is not zero.
template <class Key, class Value, class Less, class Codec>
void quicksort_or_digits(const context& context, const quicksort_or_digits_scratch<Key, Value, Less>& memory,
                         columns<Key, Value> data, std::size_t n, Less less, const Codec& codec,
                         const unsigned* unwanted = nullptr) {
  radix_choice choice = memory.choice;
  choice.unwanted = unwanted;
  const digit_limits limits = has_value_v<Value> ? device::digits_by_key(sizeof(Key), value_bytes_v<Value>, n)
                                                 : device::digits_alone(sizeof(Key), n);
  const unsigned* const by_digits =
      device::sort_by_digits_or_not(context, choice, memory.passes,
                                    radix_ends<Key, Value>{data.keys, data.values, data, true}, n, limits, codec);
  device::quicksort(context, memory.rounds, device::quicksort_rows<Less>(data), less,
                    device::quicksort_codec<Less>(data, codec), by_digits);
}

/// Sorts codes in one launch if possible, which leaves skewed ones to passes by digits. Else, for many codes, uses
/// quicksort or passes by digits, whichever a sample says takes less time. Else uses quicksort.
template <class Key, class Value, class Less, class Codec>
void sort_by_quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, const Codec& codec) {
  const auto rows = device::quicksort_rows<Less>(data);
  const auto row_codec = device::quicksort_codec<Less>(data, codec);
  if constexpr (are_codes_v<Key, Less>)
    if (device::one_launch_sort(context, data, n, codec)) return;
  if constexpr (may_take_passes_v<Key, Value, Less>)
    if (device::worth_sampling<Key, Value>(n)) {
      const scratch<quicksort_or_digits_scratch<Key, Value, Less>> memory{context, n};
      return device::quicksort_or_digits(context, *memory, data, n, less, codec);
    }
  device::quicksort(context, rows, n, less, row_codec);
}

/// Sorts device memory on the context's stream by the algorithm `how`. `Stable`: uses a stable one, that is
/// sample_sort, radix (codes only), or else merge sort. If there is no memory for scratch and equivalent elements may
/// end up in any order, falls back to the bitonic network, which needs none.
template <bool Stable = false, class Key, class Value, class Less, class Codec>
void sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec, algorithm how,
          bool any_order = !Stable) {
  const sort_variant variant = device::variant_of<Key, Value, Less>(n, how);
  try {
    if constexpr (!Stable) {
      if (variant == sort_variant::bitonic) return device::bitonic_sort(context, data, n, less, codec);
      if constexpr (may_be_natural_v<Key, Value, Less>)
        if (variant == sort_variant::guessed) return device::guessed_sort(context, data.keys, n, less);
      if (variant == sort_variant::quicksort) return device::sort_by_quicksort(context, data, n, less, codec);
    }
    if constexpr (counted_v<Key, Value, Less>)
      if (variant == sort_variant::counting) return device::counting_sort(context, data.keys, n, codec);
    if constexpr (strict_weak_order_v<Less>)
      if (variant == sort_variant::radix)
        return device::sort_by_digits(context, radix_ends<Key, Value>{data.keys, data.values, data, true}, n,
                                      device::rank_of(less), codec);
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
  if constexpr (may_be_natural_v<Key, Value, Less>)
    if (variant == sort_variant::guessed) return device::guessed_sort_scratch_bytes<Key, Less>(n);
  if (variant == sort_variant::quicksort) {
    using rows = quicksort_rows_of<Key, Value, Less>;
    std::size_t bytes = device::quicksort_scratch_bytes<typename rows::key_type, typename rows::value_type, Less>(n);
    if constexpr (may_take_passes_v<Key, Value, Less>)
      if (device::worth_sampling<Key, Value>(n))
        bytes = std::max(bytes, device::scratch_bytes<quicksort_or_digits_scratch<Key, Value, Less>>(n));
    if constexpr (are_codes_v<Key, Less>) bytes = std::max(bytes, device::one_launch_sort_bytes<Key, Value>(n));
    return bytes;
  }
  if (variant == sort_variant::sample) return device::sample_sort_scratch_bytes<Key, Value, Less>(n);
  if constexpr (counted_v<Key, Value, Less>)
    if (variant == sort_variant::counting) return device::scratch_bytes<counting_scratch<Key>>();
  if constexpr (strict_weak_order_v<Less>)
    if (variant == sort_variant::radix) return device::sort_by_digits_scratch_bytes<Key, Value>(n);
  return device::merge_sort_scratch_bytes<Key, Value>(n);
}

}  // namespace gpu::inline v1::detail::device
