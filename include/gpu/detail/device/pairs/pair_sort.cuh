// Sorts of keys with values of the same width, and argsorts of wide keys, by way of pairs: a round moves one
// stream where columns would be two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../radix_choice.cuh"
#include "pair_base_cases.cuh"
#include "pair_rounds.cuh"

namespace gpu::inline v1::detail::device {

/// Keys and values that make pairs where they lie.
template <class Key, class Value>
inline constexpr bool pairs_in_place_v =
    (sizeof(Key) == 4 || sizeof(Key) == 8) && value_bytes_v<Value> == sizeof(Key) && std::is_unsigned_v<Value>;

/// Whether pairs pay: fewer narrow ones are sorted by passes as quickly, fewer wide ones in one launch.
constexpr bool enough_to_pair(std::size_t n, std::size_t key_bytes) {
  return key_bytes <= 4 ? n >= std::size_t{1} << 22 : n > device::most_indexed(key_bytes);
}

/// Whether columns are aligned to pairs.
template <class Key, class Value>
bool aligned_to_pairs(columns<Key, Value> data) {
  return (reinterpret_cast<std::uintptr_t>(data.keys) | reinterpret_cast<std::uintptr_t>(data.values)) %
             alignof(key_value<Key>) ==
         0;
}

/// Pairs on their way, of which the second array is given.
template <bool Stable, class Key>
struct pair_sort_scratch {
  static constexpr std::size_t chunk = split_array<key_value<Key>>::chunk;

  key_value<Key>* buffer;
  key_value<Key>* rest;
  std::size_t finalized_words;
  unsigned* finalized;
  pair_worklist<Stable, by_key<Key>> worklist;

  pair_sort_scratch(carver& carve, std::size_t n)
      : buffer{carve.take<key_value<Key>>(divide_up(n, chunk) * chunk)},
        rest{carve.take<key_value<Key>>(chunk)},
        finalized_words{n / chunk / 32 + 1},
        finalized{carve.take<unsigned>(finalized_words)},
        worklist{carve, n, pair_base_case_tile(sizeof(key_value<Key>)).size()} {}
};

/// What makes keys of codes, where they are wanted.
template <class Key>
const key_codec<Key>& decoder_of(const key_codec<Key>& codec) {
  return codec;
}
template <class Key>
const key_codec<Key>& decoder_of(const shared_codes<Key>& codes) {
  return codes.codec;
}

/// Sorts the pairs of `source`, whose codes `codec` makes of `keys`, into data[0, n), n more than a base case. `keys`
/// and `source` may be data or lie elsewhere; data's keys are left in no order unless `keep_keys`. destination_values:
/// where n values of a key's width fit, data's or others. begin_distribution() has been called.
template <equal_keys Ties, class Key, class Value, class Source, class Codec>
void sort_pairs(const context& context, const pair_sort_scratch<move_stably(Ties), Key>& memory, const Key* keys,
                Source source, columns<Key, Value> data, void* destination_values, std::size_t n, bool keep_keys,
                const Codec& codec) {
  using array = split_array<key_value<Key>>;
  const pair_destinations<Key, Value> pairs{array{memory.buffer}, array{data.keys, destination_values, n, memory.rest},
                                            data, n};
  device::set_zero(context, memory.finalized, memory.finalized_words * sizeof(unsigned));
  device::distribute_pairs<move_stably(Ties), by_key<Key>>(context, memory.worklist, keys, source, pairs.buffer,
                                                           pairs.destination, pair_codec<Codec>{codec}, codec);
  Key* const spare_keys = reinterpret_cast<Key*>(memory.buffer);
  const columns<Key, Value> spare{spare_keys, reinterpret_cast<Value*>(spare_keys + n)};
  device::sort_pair_base_cases<Ties>(context, memory.worklist.parts, pairs, spare, memory.finalized, keep_keys,
                                     device::decoder_of(codec));
}

/// Bytes of scratch that sort_by_pairs takes: n pairs and about 3 %, if stable 6 %.
template <bool Stable, class Key>
[[nodiscard]] std::size_t sort_by_pairs_scratch_bytes(std::size_t n) {
  return device::scratch_bytes<choice_scratch<pair_sort_scratch<Stable, Key>, Key, Key>>(n, false);
}

/// Sorts data[0, n), aligned to pairs, by its keys in place, stably if Stable; n more than a base case. If a sample
/// says that passes by digits, which are stable, take less time, they do it. Enqueues on the context's stream; launches
/// depend on n alone. O(n log n) is expected on any input; a subsequence that stays too long after all rounds costs one
/// block O(m log m). Throws std::bad_alloc before anything is written, gpu::error if a launch is refused.
template <bool Stable, class Key, class Value>
void sort_by_pairs(const context& context, columns<Key, Value> data, std::size_t n, const key_codec<Key>& codec) {
  constexpr auto ties = Stable ? equal_keys::as_they_lie : equal_keys::in_any_order;
  const scratch<choice_scratch<pair_sort_scratch<Stable, Key>, Key, Value>> memory{context, n, false};
  const auto& rounds = memory->rounds;
  const condition wanted = device::sort_by_digits_or_not(
      context, memory->choice, memory->passes, radix_ends<Key, Value>{data.keys, data.values, data, true}, n,
      digits_by_key(sizeof(Key), sizeof(Value), n, Stable), codec, Stable);
  device::begin_distribution(context, rounds.worklist.parts, wanted);
  device::sort_pairs<ties>(context, rounds, data.keys, pairs_of_columns<Key>{data.keys, data.values}, data, data.values,
                           n, true, codec);
}

}  // namespace gpu::inline v1::detail::device
