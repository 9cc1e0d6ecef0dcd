// Argsort of keys of 8 bytes, which make no word with an index: in columns, by quicksort of joined codes, or as pairs,
// which are ordered by their keys, and by their indices where keys are equal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../convert.cuh"
#include "../quicksort.cuh"
#include "../sort_out_of_place.cuh"
#include "duplicates.cuh"
#include "pair_sort.cuh"

namespace gpu::inline v1::detail::device {

/// Copies of keys, columns of which the others are the indices, where these are wanted or, if they are to be `widened`,
/// here; and what quicksort of joined columns takes.
template <class Key>
struct column_argsort_scratch {
  using bits = indexed_bits<Key>;
  Key* keys;
  std::uint32_t* indices;
  quicksort_scratch<bits, joined<Key, std::uint32_t>, code_less> rounds;

  column_argsort_scratch(carver& carve, std::size_t n, bool widened)
      : keys{carve.take<Key>(n)}, indices{carve.take<std::uint32_t>(widened ? n : 0)}, rounds{carve, n} {}
};

/// Quicksort of joined columns, if `wanted`, of which the first round alone differs from that of a sort by key: it
/// reads keys and makes indices.
template <class Key, class Index>
void argsort_in_columns(const context& context, const column_argsort_scratch<Key>& memory, const Key* keys,
                        Index* indices, std::size_t n, const shared_codes<Key>& codes, condition wanted = {}) {
  using bits = indexed_bits<Key>;
  using source_codec = joined_codec<bits, Key, std::uint32_t, shared_codes<Key>>;
  const indexed_codes<bits, Key, source_codec> source{keys, 0, {codes}};
  constexpr bool widened = sizeof(Index) > sizeof(std::uint32_t);
  std::uint32_t* narrow = memory.indices;
  if constexpr (!widened) narrow = indices;
  device::begin_distribution(context, memory.rounds.rounds.parts, wanted);
  device::partition_round(context, memory.rounds.rounds, 0, source, stream<decltype(source)>{source},
                          memory.rounds.buffer, code_less{}, identity_codec{}, identity_codec{});
  device::finish_quicksort(context, memory.rounds, columns<bits, joined<Key, std::uint32_t>>{{memory.keys, narrow}},
                           code_less{}, joined_codec<bits, Key, std::uint32_t, key_codec<Key>>{});
  if constexpr (widened) device::convert(context, {narrow, sizeof(*narrow)}, n, {indices, sizeof(*indices)}, wanted);
}

/// Columns for keys of 8 bytes and for values on their way, and what sorting pairs takes, either way that they move.
template <class Key>
struct paired_argsort_scratch {
  Key* keys;
  Key* values;
  duplicates_scratch duplicates;
  carver again;
  pair_sort_scratch<true, Key> stable;
  pair_sort_scratch<false, Key> unstable;

  paired_argsort_scratch(carver& carve, std::size_t n, bool looks)
      : keys{carve.take<Key>(n)},
        values{carve.take<Key>(n)},
        duplicates{carve, looks},
        again{carve},
        stable{carve, n},
        unstable{again, n} {
    unstable.worklist.parts.plan.equal_is_sorted = false;
    carve.cover(again);
  }
};

/// Keys and indices as pairs, if `wanted.word` is zero or none. `looks`: whether to look for keys that repeat, as only
/// the device will know. If it sees none, pairs move in any order, which is faster, and the few that are equal are told
/// apart by their indices in the end. Else they move stably.
template <class Key, class Index>
void argsort_in_pairs(const context& context, const paired_argsort_scratch<Key>& memory, const Key* keys,
                      Index* indices, std::size_t n, bool looks, const shared_codes<Key>& codes,
                      condition wanted = {}) {
  const unsigned* const repeats = looks ? memory.duplicates.found() : nullptr;
  const indexed_keys<Key> source{keys, 0};
  const columns<Key, Index> data{memory.keys, indices};
  if (looks) {
    device::look_for_duplicates(context, keys, n, codes, memory.duplicates);
    device::begin_distribution(context, memory.unstable.worklist.parts, {repeats, condition::zero, wanted.word});
    device::sort_pairs<equal_keys::by_value>(context, memory.unstable, keys, source, data, memory.values, n, false,
                                             codes);
  }
  device::begin_distribution(context, memory.stable.worklist.parts, {repeats, condition::not_zero, wanted.word});
  device::sort_pairs<equal_keys::as_they_lie>(context, memory.stable, keys, source, data, memory.values, n, false,
                                              codes);
}

}  // namespace gpu::inline v1::detail::device
