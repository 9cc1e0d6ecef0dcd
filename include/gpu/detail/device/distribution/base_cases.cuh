// Locates base cases, and sorts them by merging: each block sorts one after the other, alone.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../block/long_sort.cuh"
#include "../columns.cuh"
#include "../launching/persistent.cuh"
#include "distribution.cuh"
#include "gathering.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// Where a base case is, where it shall end up, and the same position in the other array. `broken`: see
/// worklist::break_off.
template <class Key, class Value>
struct located_base_case {
  columns<Key, Value> source;
  columns<Key, Value> target;
  columns<Key, Value> other;
  std::size_t count;
  bool all_equal;
  bool at_destination;  ///< source is target, else other

  __device__ located_base_case(const base_case& listed, columns<Key, Value> data, columns<Key, Value> buffer,
                               unsigned broken = no_round)
      : target{data + listed.begin},
        other{buffer + listed.begin},
        count{listed.count},
        all_equal{listed.all_equal != 0} {
    const unsigned moved_by = listed.round < broken ? listed.round : broken + 1;  // or broken - 1: even or odd alike
    at_destination = moved_by % 2 != 0;
    source = at_destination ? target : other;
  }
};

/// Copies equivalent keys to their destination. Called by every thread; synchronises.
template <class Less, class Key, class Value, class Encoder, class Decoder>
__device__ void copy_base_case(const located_base_case<Key, Value>& base_case, Encoder encoder, Decoder decoder) {
  if constexpr (sorted_by_bins_v<Key, Value, Less>) {  // equal codes: reading one of them is enough
    const Key found = base_case.source.keys[0];
    const Key key = decoder.decode(encoder.encode(found));
    __syncthreads();
    if (base_case.at_destination && key == found) return;
    for (std::size_t i = threadIdx.x; i < base_case.count; i += blockDim.x) base_case.target.keys[i] = key;
  } else {
    if (std::is_same_v<Encoder, identity_codec> && std::is_same_v<Decoder, identity_codec> && base_case.at_destination)
      return;
    for (std::size_t i = threadIdx.x; i < base_case.count; i += blockDim.x)
      base_case.target.set(i, decoder.decode(encoder.encode(base_case.source.keys[i])), base_case.source.value(i));
  }
}

/// Sorts the listed base cases, or all if `list` is null, by merging. `tiles`: the tiles that base cases are gathered
/// from, and how many base cases have been sorted already.
template <bool Stable, class Key, class Value, class Less, class Encoder, class Codec, class Tiles>
__global__ void __launch_bounds__(merged_base_case_v<Key, Value, Less>.threads,
                                  merged_base_case_blocks_v<Key, Value, Less>)
    merge_base_cases_kernel(const base_case* base_cases, const unsigned* list, const unsigned* listed,
                            const unsigned* broken, columns<Key, Value> data, columns<Key, Value> buffer, Less less,
                            Encoder encoder, Codec decoder, Tiles tiles) {
  await_predecessors();
  constexpr tile_shape tile = merged_base_case_v<Key, Value, Less>;
  constexpr bool gathers = !std::is_same_v<Tiles, no_grouped_tiles>;
  using base_case_sort = block::long_sort<Key, Value, tile.threads, tile.items, Stable>;
  using gatherer = base_case_gatherer<Key, tile.threads>;
  __shared__ typename base_case_sort::storage shared;
  __shared__ std::conditional_t<gathers, typename gatherer::storage, int> runs;
  const unsigned count = *listed;
  const unsigned broken_round = strict_weak_order_v<Less> ? no_round : *broken;
  for (unsigned l = blockIdx.x + tiles.sorted_base_cases(); l < count; l += gridDim.x) {
    const auto& listed_base_case = base_cases[list ? list[l] : l];
    located_base_case<Key, Value> base_case{listed_base_case, data, buffer, broken_round};
    if constexpr (gathers) base_case.count = listed_base_case.elements();
    if (base_case.all_equal) {
      device::copy_base_case<Less>(base_case, encoder, decoder);
    } else {
      base_case_sort{shared}.sort(base_case.source, base_case.target, base_case.other, base_case.count, less, encoder,
                                  decoder, [&](auto& loaded) {
                                    if constexpr (gathers)
                                      if (listed_base_case.gathered)
                                        return gatherer{runs}.gather(tiles, listed_base_case.source(), loaded.keys);
                                    block::load<tile.threads, tile.items>(
                                        base_case.source, static_cast<int>(base_case.count), loaded, encoder);
                                  });
    }
  }
}

/// Sorts by merging the base cases that no other sort has taken, at most `limit`.
template <bool Stable, class Worklist, class Key, class Value, class Encoder, class Codec>
void merge_listed_base_cases(const context& context, const Worklist& parts, std::size_t limit, columns<Key, Value> data,
                             columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  device::launch_persistent(context, {limit, merged_base_case_v<Key, Value, code_less>.threads},
                            merge_base_cases_kernel<Stable, Key, Value, code_less, Encoder, Codec, no_grouped_tiles>,
                            parts.base_cases, parts.lists.merged.numbers, parts.lists.merged.count, parts.broken, data,
                            buffer, code_less{}, encoder, decoder, no_grouped_tiles{});
}

}  // namespace gpu::inline v1::detail::device
