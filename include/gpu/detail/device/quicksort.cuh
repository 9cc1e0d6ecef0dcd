// Two-phase quicksort with many pivots. Phase one: in each round all blocks together partition every subsequence that
// is too long for one block; they first count, then claim ranges of output positions by atomic additions and move the
// elements. Phase two: each block sorts one subsequence. With a caller's comparator, the last round of phase one before
// the mending one may count without moving: blocks then gather the elements that they sort (distribution/grouping.cuh).
// Not stable. Where the device holds all elements at once, both phases are one launch (resident_quicksort.cuh).
// Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009; Nguyen, "Development of
// parallel sorting algorithms for GPU" (two phases, several pivots).
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "columns.cuh"
#include "distribution/base_case_sorts.cuh"
#include "distribution/partitions.cuh"
#include "launching/scratch.cuh"
#include "resident_quicksort.cuh"
#include "tile_sort.cuh"

namespace gpu::inline v1::detail::device {

template <class Key, class Value, class Less>
struct quicksort_scratch {
  partitions<by_itself<Key>, Value, Less> rounds;
  columns<Key, Value> buffer;

  /// See partitions.
  quicksort_scratch(carver& carve, std::size_t n, std::size_t least_given = 0)
      : rounds{carve, n, device::longest_base_case<Key, Value, Less>(), least_given},
        buffer{take_columns<Key, Value>::from(carve, n)} {}
};

/// Upper bound on the bytes of device memory that quicksort takes for n elements: room for n elements and 6 %, or, for
/// few elements that one launch sorts, the memory that its blocks share.
template <class Key, class Value, class Less>
[[nodiscard]] std::size_t quicksort_scratch_bytes(std::size_t n) {
  const std::size_t without = sorted_by_bins_v<Key, Value, Less> ? device::longest_base_case<Key, Value, Less>() : 1;
  if (n <= without) return 0;
  return std::max(device::scratch_bytes<quicksort_scratch<Key, Value, Less>>(n),
                  device::resident_scratch_bytes<Key, Value>(n));
}

/// Both phases, once the lists have been made; base cases that are already listed hold codes.
template <class Key, class Value, class Less, class Codec>
void sort_in_rounds(const context& context, const quicksort_scratch<Key, Value, Less>& memory, columns<Key, Value> data,
                    Less less, Codec codec) {
  const worklist_of<Key, Less>& parts = memory.rounds.parts;
  columns<Key, Value> from = data;
  columns<Key, Value> to = memory.buffer;
  auto tiles = memory.rounds.tiles(memory.buffer);

  // Phase one: a round from keys to codes, the others from codes to codes.
  const auto keys = detail::keys_by(codec);
  if (parts.plan.rounds > 0) device::partition_round(context, memory.rounds, 0, from.keys, from, to, less, keys, keys);
  for (unsigned round = 1; round < parts.plan.rounds; ++round) {
    std::swap(from, to);
    if constexpr (may_gather_v<Key, Value, Less>)
      if (round == parts.plan.gathered_round) {
        device::gathered_round(context, memory.rounds, from.keys, memory.buffer.keys, data.keys, less);
        device::sort_base_cases<false>(context, parts, data, memory.buffer, less, detail::leaving_codes(codec), codec,
                                       tiles);
        tiles.sorted = &parts.totals[round].base_cases;  // the mending round overwrites the tiles
        from = memory.buffer, to = data;
        continue;
      }
    const auto codes = detail::codes_by(codec);
    device::partition_round(context, memory.rounds, round, from.keys, from, to, less, codes, codes);
  }

  // Phase two: what is short enough for one block.
  device::sort_base_cases<false>(context, parts, data, memory.buffer, less, detail::leaving_codes(codec), codec, tiles);
}

/// Both phases; does nothing if *unwanted, in device memory, is not zero.
template <class Key, class Value, class Less, class Codec>
void quicksort(const context& context, const quicksort_scratch<Key, Value, Less>& memory, columns<Key, Value> data,
               Less less, Codec codec, const unsigned* unwanted = nullptr) {
  const worklist_of<Key, Less>& parts = memory.rounds.parts;
  device::begin_distribution(context, parts, unwanted);
  if (parts.plan.rounds == 0)
    return device::sort_base_cases<false>(context, parts, data, memory.buffer, less, codec, codec,
                                          memory.rounds.tiles(memory.buffer));
  device::sort_in_rounds(context, memory, data, less, codec);
}

/// Sorts in place the base cases and the first round's subproblems that have been given since begin_distribution() and
/// are disjoint parts of data. The launches depend only on n. Coded: whether the base cases hold codes, so that they
/// need no kernels of their own.
template <class Key, class Value, class Codec>
void sort_given_subproblems(const context& context, const quicksort_scratch<Key, Value, code_less>& memory,
                            columns<Key, Value> data, Codec codec, bool coded) {
  quicksort_scratch<Key, Value, code_less> others = memory;
  worklist_of<Key, code_less>& parts = others.rounds.parts;
  if (!coded) {
    device::sort_base_cases<false>(context, parts, data, memory.buffer, code_less{}, codec, codec,
                                   memory.rounds.tiles(memory.buffer));
    parts.begin_others();
  }
  if (parts.plan.rounds > 0 || coded) device::sort_in_rounds(context, others, data, code_less{}, codec);
}

/// Sorts data[0, n) in place by `less` on encoded keys. Not stable. Enqueues on the context's stream; the launches
/// depend only on n. Expects O(n log n) comparisons on any input; a subsequence of m elements that is still too long
/// after all rounds is sorted by one block in O(m log m). Throws std::bad_alloc before anything is written, gpu::error
/// if a launch is refused.
template <class Key, class Value, class Less, class Codec>
void quicksort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  if (n < 2) return;
  if constexpr (sorted_by_bins_v<Key, Value, Less>)
    if (device::sort_tile(context, data, n, codec)) return;
  if constexpr (may_reside_v<Key, Value>)
    if (device::resident_quicksort(context, data, n, less, codec)) return;
  const scratch<quicksort_scratch<Key, Value, Less>> memory{context, n};
  device::quicksort(context, *memory, data, less, codec);
}

}  // namespace gpu::inline v1::detail::device
