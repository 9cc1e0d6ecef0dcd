// Sorts of keys with values of the same width as pairs: a round moves one stream instead of two columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../radix/choice.cuh"
#include "pair_base_cases.cuh"
#include "pair_rounds.cuh"

namespace gpu::inline v1::detail::device {

/// Whether keys and values can become pairs in their own memory.
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

/// Scratch of a sort of pairs, whose second array lies where the columns are.
template <bool Stable, class Key>
struct pair_sort_scratch {
  static constexpr std::size_t chunk = split_array<key_value<Key>>::chunk;

  key_value<Key>* buffer;
  key_value<Key>* rest;
  std::size_t finalized_words;
  unsigned* finalized;
  pair_worklist<Stable, Key> worklist;

  pair_sort_scratch(carver& carve, std::size_t n)
      : buffer{carve.take<key_value<Key>>(divide_up(n, chunk) * chunk)},
        rest{carve.take<key_value<Key>>(chunk)},
        finalized_words{n / chunk / 32 + 1},
        finalized{carve.take<unsigned>(finalized_words)},
        worklist{carve, n, pair_base_case_tile(sizeof(key_value<Key>)).size()} {}
};

/// Bytes of scratch that sort_by_pairs takes: n pairs and about 3 %, if stable 6 %.
template <bool Stable, class Key>
[[nodiscard]] std::size_t sort_by_pairs_scratch_bytes(std::size_t n) {
  return device::scratch_bytes<choice_scratch<pair_sort_scratch<Stable, Key>, Key, Key>>(n);
}

/// Sorts data[0, n), aligned to pairs, by its keys in place, stably if Stable; n exceeds a base case. Uses passes by
/// digits, which are stable, if a sample shows that they take less time. Enqueues on the context's stream; launches
/// depend on n alone. O(n log n) is expected on any input; a subsequence that stays too long after all rounds costs one
/// block O(m log m). Throws std::bad_alloc before anything is written, gpu::error if a launch is refused.
template <bool Stable, class Key>
void sort_by_pairs(const context& context, columns<Key, Key> data, std::size_t n, const key_codec<Key>& codec) {
  const scratch<choice_scratch<pair_sort_scratch<Stable, Key>, Key, Key>> memory{context, n};
  const unsigned* const by_digits = device::sort_by_digits_or_not(
      context, memory->choice, memory->passes, radix_ends<Key, Key>{data.keys, data.values, data, true}, n,
      digits_by_key(sizeof(Key), sizeof(Key), n), codec);
  const pair_sort_scratch<Stable, Key>& rounds = memory->rounds;
  const auto& worklist = rounds.worklist;
  using array = split_array<key_value<Key>>;
  const pair_destinations<Key> pairs{array{rounds.buffer}, array{data.keys, data.values, n, rounds.rest}, data, n};
  device::begin_distribution(context, worklist.parts, by_digits);
  device::set_zero(context, rounds.finalized, rounds.finalized_words * sizeof(unsigned));
  device::pair_round<Stable, Key>(context, worklist, 0, data.keys, pairs_of_columns<Key>{data.keys, data.values},
                                  pairs.buffer, pair_codec<key_codec<Key>>{codec}, codec);
  for (unsigned round = 1; round < worklist.parts.plan.rounds; ++round) {
    const array from = round % 2 ? pairs.buffer : pairs.destination;
    device::pair_round<Stable, Key>(context, worklist, round, codes_in<Key, array>{from}, from,
                                    round % 2 ? pairs.destination : pairs.buffer, identity_codec{}, identity_codec{});
  }
  Key* const spare = reinterpret_cast<Key*>(rounds.buffer);
  device::sort_pair_base_cases(context, worklist.parts, pairs, {spare, spare + n}, rounds.finalized, Stable, codec);
}

}  // namespace gpu::inline v1::detail::device
