// Sort of any keys in one launch, for more keys than registers hold: quicksort by resident blocks, which finds out
// whether keys lie evenly; it leaves skewed ones to passes by digits, whose launch follows and finds out whether it is
// wanted.
#pragma once

#include <cstddef>

#include "columns.cuh"
#include "launching/scratch.cuh"
#include "radix/one_launch.cuh"
#include "streamed_sort.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// Memory of passes, which that of partitions shares: a sort that leaves keys to passes has made no partitions.
template <class Key>
struct one_launch_sort_scratch {
  radix_choice choice;
  std::size_t launch_bytes;
  std::byte* launch;
  carver again;
  Key* partitions;
  one_launch_radix_scratch<Key, no_value> passes;

  one_launch_sort_scratch(carver& carve, std::size_t n)
      : choice{carve.take<unsigned>(2)},
        launch_bytes{device::scratch_bytes<resident_scratch<Key>>(std::size_t{0})},
        launch{carve.take<std::byte>(launch_bytes)},
        again{carve},
        partitions{again.take<Key>(n)},
        passes{carve, n} {
    carve.cover(again);
  }
};

/// Upper bound on the bytes of scratch that one_launch_sort takes; 0 if it does not sort n keys.
template <class Key, class Value>
[[nodiscard]] std::size_t one_launch_sort_bytes(std::size_t n) {
  if constexpr (!has_value_v<Value> && sizeof(Key) == 8)
    if (worth_streaming(sizeof(Key)).has(n)) return device::scratch_bytes<one_launch_sort_scratch<Key>>(n);
  return 0;
}

/// Sorts data[0, n) by codes in place if that is worthwhile and the device can do it; else writes nothing and returns
/// false. On the context's stream, without waiting. Throws no_device_memory before anything is written, gpu::error if a
/// launch is refused.
template <class Key, class Value, class Codec>
bool one_launch_sort(const context& context, columns<Key, Value> data, std::size_t n, const Codec& codec) {
  if constexpr (!has_value_v<Value> && sizeof(Key) == 8) {
    if (!worth_streaming(sizeof(Key)).has(n)) return false;
    const scratch<one_launch_sort_scratch<Key>> memory{context, n};
    lent_memory lent{memory->launch, memory->launch_bytes};
    const auto& passes = memory->passes;
    const fallback if_skewed{memory->choice.most_digits(), passes.first_cleared(), passes.words_cleared()};
    if (!device::streamed_sort(lent.instead_of(context), data.keys, memory->partitions, n, codec, if_skewed))
      return false;
    const radix_ends<Key, no_value> ends{data.keys, nullptr, {data.keys, nullptr}, true};
    device::one_launch_radix_sort(context, passes, ends, n, memory->choice, codec);
    return true;
  }
  return false;
}

}  // namespace gpu::inline v1::detail::device
