// Sort in one launch, whatever the keys: quicksort by blocks that stay, which finds out whether keys lie evenly; skewed
// ones it leaves to passes by digits, whose launch follows and finds that it is wanted. Of fewer elements quicksort
// takes no longer than passes, and a launch of nothing more than it is worth.
#pragma once

#include <cstddef>

#include "columns.cuh"
#include "launching/scratch.cuh"
#include "one_launch_radix.cuh"
#include "resident_quicksort.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// Keys of 4 or 8 bytes, alone or with what follows them, that passes in one launch move.
template <class Key, class Value>
inline constexpr bool may_leave_to_passes_v =
    (sizeof(Key) == 4 || sizeof(Key) == 8) && (!has_value_v<Value> || value_bytes_v<Value> >= 4);

/// Memory of passes, of keys on their way if they are not wanted, and of the quicksort, so many bytes.
template <class Key, class Value>
struct one_launch_sort_scratch {
  radix_choice choice;
  Key* spare_keys;
  one_launch_radix_scratch<Key, Value> passes;
  std::size_t quicksort_bytes;
  std::byte* quicksort;

  one_launch_sort_scratch(carver& carve, std::size_t n, bool spares_keys, std::size_t quicksort_bytes)
      : choice{carve.take<unsigned>(2)},
        spare_keys{carve.take<Key>(spares_keys ? n : 0)},
        passes{carve, n},
        quicksort_bytes{quicksort_bytes},
        quicksort{carve.take<std::byte>(quicksort_bytes)} {}

  [[nodiscard]] fallback if_skewed() const {
    return {choice.most_digits(), passes.first_cleared(), passes.words_cleared()};
  }
};

/// Bytes of the quicksort's scratch for rows that are sorted as Bits each.
template <class Bits>
std::size_t resident_bytes(std::size_t n, bool out_of_place) {
  return device::scratch_bytes<resident_scratch<Bits>>(out_of_place ? n : 0);
}

/// Bytes of scratch that one_launch_sort takes, at most; none if it does not sort so many.
template <class Key, class Value, class Bits>
[[nodiscard]] std::size_t one_launch_sort_bytes(std::size_t n, bool places) {
  if constexpr (may_leave_to_passes_v<Key, Value>)
    if (worth_fallback(n, sizeof(Bits)))
      return device::scratch_bytes<one_launch_sort_scratch<Key, Value>>(n, places,
                                                                        device::resident_bytes<Bits>(n, places));
  return 0;
}

/// Sorts rows[0, n), whose first columns are `keys`, by row_codec's codes, or keys and values, null for their places,
/// by ranks of their codes, to `destination`, without keys if they are not wanted. Returns whether the device can; else
/// nothing is written. On the context's stream, without waiting. Throws no_device_memory before anything is written,
/// gpu::error if a launch is refused.
template <class Key, class Value, class Bits, class Row, class RowCodec, class Rank, class Codec>
bool one_launch_sort(const context& context, columns<Bits, Row> rows, const RowCodec& row_codec, const Key* keys,
                     const Value* values, columns<Key, Value> destination, std::size_t n, Rank rank,
                     const Codec& codec) {
  if constexpr (may_leave_to_passes_v<Key, Value>) {
    if (!worth_fallback(n, sizeof(Bits))) return false;
    const bool places = destination.keys == nullptr;
    const scratch<one_launch_sort_scratch<Key, Value>> memory{context, n, places,
                                                              device::resident_bytes<Bits>(n, places)};
    lent_memory lent{memory->quicksort, memory->quicksort_bytes};
    if (!device::resident_quicksort(lent.instead_of(context), rows, n, code_less{}, row_codec, memory->if_skewed()))
      return false;
    if (places) destination.keys = memory->spare_keys;
    const radix_ends<Key, Value> ends{keys, values, destination, !places};
    device::one_launch_radix_sort(context, memory->passes, ends, n, memory->choice, rank, codec);
    return true;
  }
  return false;
}

}  // namespace gpu::inline v1::detail::device
