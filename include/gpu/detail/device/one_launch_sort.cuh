// Sort in one launch, whatever the keys: quicksort by blocks that stay, which finds out whether keys lie evenly; skewed
// ones it leaves to passes by digits, whose launch follows and finds that it is wanted. Of fewer rows, and of keys
// alone that registers hold, quicksort takes no longer than passes, and a launch of nothing more than it is worth.
#pragma once

#include <cstddef>

#include "columns.cuh"
#include "launching/scratch.cuh"
#include "one_launch_radix.cuh"
#include "resident_quicksort.cuh"
#include "streamed_sort.cuh"
#include "tuning/radix.hpp"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// Keys of 4 or 8 bytes, alone or with what follows them, that passes in one launch move.
template <class Key, class Value>
inline constexpr bool may_leave_to_passes_v =
    (sizeof(Key) == 4 || sizeof(Key) == 8) && (!has_value_v<Value> || value_bytes_v<Value> >= 4);

/// Rows, sorted as Bits each, that are streamed if there are so many of them.
template <class Key, class Bits>
inline constexpr streamed_range streamed_rows = worth_streaming(sizeof(Key), sizeof(Bits));

/// Whether rows that registers hold may be left to passes.
template <class Value, class Bits>
constexpr bool may_leave(std::size_t n) {
  return has_value_v<Value> && worth_fallback(n, sizeof(Bits));
}

/// Memory of passes, of keys on their way if they are not wanted, and of the quicksort, so many bytes. Partitions of
/// rows that are streamed lie where passes begin: who leaves rows to these has made none.
template <class Key, class Value, class Bits>
struct one_launch_sort_scratch {
  radix_choice choice;
  std::size_t quicksort_bytes;
  std::byte* quicksort;
  carver again;
  Bits* partitions;
  Key* spare_keys;
  one_launch_radix_scratch<Key, Value> passes;

  one_launch_sort_scratch(carver& carve, std::size_t n, bool spares_keys, std::size_t quicksort_bytes)
      : choice{carve.take<unsigned>(2)},
        quicksort_bytes{quicksort_bytes},
        quicksort{carve.take<std::byte>(quicksort_bytes)},
        again{carve},
        partitions{again.take<Bits>(streamed_rows<Key, Bits>.has(n) ? n : 0)},
        spare_keys{carve.take<Key>(spares_keys ? n : 0)},
        passes{carve, n} {
    carve.cover(again);
  }

  [[nodiscard]] fallback if_skewed(std::size_t n) const {
    return {choice.most_digits(), passes.first_cleared(), passes.words_cleared(), digits_worth_fallback(n)};
  }
};

/// Bytes of the quicksort's scratch for rows that are sorted as Bits each, or of what streams them.
template <class Bits>
std::size_t rows_bytes(std::size_t n, bool streamed) {
  return device::scratch_bytes<resident_scratch<Bits>>(streamed ? 0 : n);
}

/// Bytes of scratch that one_launch_sort takes, at most; none if it does not sort so many.
template <class Key, class Value, class Bits>
[[nodiscard]] std::size_t one_launch_sort_bytes(std::size_t n, bool indices) {
  if constexpr (may_leave_to_passes_v<Key, Value>)
    if (const bool streamed = streamed_rows<Key, Bits>.has(n); streamed || may_leave<Value, Bits>(n))
      return device::scratch_bytes<one_launch_sort_scratch<Key, Value, Bits>>(n, indices,
                                                                              device::rows_bytes<Bits>(n, streamed));
  return 0;
}

/// Sorts rows[0, n), whose first columns are `keys`, by row_codec's codes, or keys and values, null for their indices,
/// by ranks of their codes, to `destination`, without keys if they are not wanted. Returns whether the device can; else
/// nothing is written. On the context's stream, without waiting. Throws no_device_memory before anything is written,
/// gpu::error if a launch is refused.
template <class Key, class Value, class Bits, class Row, class RowCodec, class Rank, class Codec>
bool one_launch_sort(const context& context, columns<Bits, Row> rows, const RowCodec& row_codec, const Key* keys,
                     const Value* values, columns<Key, Value> destination, std::size_t n, Rank rank,
                     const Codec& codec) {
  if constexpr (may_leave_to_passes_v<Key, Value>) {
    const bool indices = destination.keys == nullptr, streamed = streamed_rows<Key, Bits>.has(n);
    if (!may_leave<Value, Bits>(n) && !streamed) return false;
    const scratch<one_launch_sort_scratch<Key, Value, Bits>> memory{context, n, indices,
                                                                    device::rows_bytes<Bits>(n, streamed)};
    lent_memory lent{memory->quicksort, memory->quicksort_bytes};
    const device::context inner = lent.instead_of(context);
    const fallback if_skewed = memory->if_skewed(n);
    if (!streamed && !device::resident_quicksort(inner, rows, n, code_less{}, row_codec, if_skewed)) return false;
    if constexpr (streamed_rows<Key, Bits>.any())
      if (streamed && !device::streamed_sort(inner, rows, memory->partitions, n, row_codec, if_skewed)) return false;
    if (indices) destination.keys = memory->spare_keys;
    const radix_ends<Key, Value> ends{keys, values, destination, !indices};
    device::one_launch_radix_sort(context, memory->passes, ends, n, memory->choice, rank, codec);
    return true;
  }
  return false;
}

}  // namespace gpu::inline v1::detail::device
