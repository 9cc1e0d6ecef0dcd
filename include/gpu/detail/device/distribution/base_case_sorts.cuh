// The last step of two-phase quicksort and of sample sort: each base case goes to the local sort that suits it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../block/attempts.cuh"
#include "../block/bin_sort.cuh"
#include "../block/counted_values.cuh"
#include "../block/heavy_codes.cuh"
#include "../block/long_sort.cuh"
#include "../block/thread_bins.cuh"
#include "../block/wide_bins.cuh"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/distribution.hpp"
#include "../tuning/local_sorts.hpp"
#include "base_cases.cuh"
#include "distribution.cuh"
#include "gathering.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// The local sort by bins for any codes, and faster ones for codes of 32 and 64 bits that repeat or lie evenly.
template <class Key>
using base_case_bins = block::bin_sort<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>;
template <class Key>
using base_case_values = block::counted_values<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>;
template <class Key>
using even_base_case_bins =
    std::conditional_t<sizeof(Key) <= 4, block::thread_bins<bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>,
                       block::wide_bins<Key, bin_tile(sizeof(Key)).threads, bin_tile(sizeof(Key)).items>>;
template <class Key>
inline constexpr bool has_even_base_case_bins_v = sizeof(Key) == 4 || sizeof(Key) == 8;

/// Sorts base cases of codes by bins; lists those that are too long in `merged`.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads, bin_blocks(sizeof(Key)))
    bin_base_cases_kernel(const base_case* base_cases, const unsigned* base_case_count, base_case_list merged,
                          columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  await_predecessors();
  using base_case_sort = base_case_bins<Key>;
  __shared__ typename base_case_sort::storage shared;
  const unsigned count = *base_case_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto located = [&] {
      return located_base_case<Key, Value>{base_cases[l], data, buffer};
    };  // cheaper to recompute than to keep
    if (located().all_equal) {
      device::copy_base_case<code_less>(located(), encoder, decoder);
      continue;
    }
    base_case_sort tile{shared};
    const auto n = static_cast<unsigned>(min(located().count, std::size_t{base_case_sort::tile} + 1));
    if (n <= base_case_sort::tile) {
      if (!tile.sort(located().source.keys, n, encoder)) tile.merge(n);
      tile.store(located().target.keys, n, decoder);
    } else if (threadIdx.x == 0) {
      merged.add(l);
    }
  }
}

/// Prefetches a base case that a block is going to sort soon into the L2 cache.
template <class Key, class Value>
__device__ __forceinline__ void fetch_early(const located_base_case<Key, Value>& base_case) {
  if constexpr (std::is_pointer_v<decltype(base_case.source.keys)>) {
    constexpr unsigned line = 128 / sizeof(Key);
    static_assert(bin_tile(sizeof(Key)).size() <= bin_tile(sizeof(Key)).threads * line);
    if (threadIdx.x * line < base_case.count)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(base_case.source.keys + threadIdx.x * line));
  }
}

/// Sorts base cases of codes that lie evenly; lists the others, those of codes that repeat or that are longer than a
/// tile without trying them. `taken`: counts the base cases taken so far, if fewer blocks than base cases take them in
/// turn, each fetching its next one once the current one is sorted; null if each base case has its own block. `ahead`:
/// in that case, how many base cases ahead of its turn one is fetched.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads,
                                  blocks_allowed(even_bin_blocks(sizeof(Key)), bin_tile(sizeof(Key)).threads))
    even_base_cases_kernel(const base_case* base_cases, const unsigned* base_case_count, base_case_lists lists,
                           unsigned* taken, columns<Key, Value> data, columns<Key, Value> buffer, unsigned ahead,
                           Encoder encoder, Codec decoder) {
  await_predecessors();
  using base_case_sort = even_base_case_bins<Key>;
  auto& shared = device::dynamic_shared<typename base_case_sort::storage>();
  __shared__ unsigned next;
  const auto take_next = [&] {
    if (taken != nullptr && threadIdx.x == 0) next = gridDim.x + atomicAdd(taken, 1u);
  };
  for (unsigned l = blockIdx.x; l < *base_case_count; l = taken != nullptr ? next : l + gridDim.x) {
    const auto located = [&](unsigned l) { return located_base_case<Key, Value>{base_cases[l], data, buffer}; };
    if (base_cases[l].all_equal) {
      __syncthreads();
      take_next();
      device::copy_base_case<code_less>(located(l), encoder, decoder);
      continue;
    }
    const auto fetch = [&] {
      take_next();
      if (taken == nullptr && l + ahead < *base_case_count) device::fetch_early(located(l + ahead));
    };
    base_case_sort tile{shared};
    constexpr std::size_t too_long = base_case_sort::tile + 1;
    const auto n = static_cast<unsigned>(
        base_cases[l].repeats != repetition::seldom ? too_long : min(std::size_t{base_cases[l].count}, too_long));
    const auto target = data.keys + base_cases[l].begin;
    if (n > base_case_sort::tile) {
      __syncthreads();
      take_next();
      __syncthreads();
    } else if (tile.sort(located(l).source.keys, n, base_case_sort::begin_for(target), encoder, fetch)) {
      if (taken != nullptr && next < *base_case_count) device::fetch_early(located(next));
      tile.store(target, n, decoder);
      continue;
    }
    if (threadIdx.x > 0) continue;
    const auto& next_sort = base_cases[l].count > base_case_sort::tile   ? lists.heavy
                            : base_cases[l].repeats == repetition::often ? lists.counted
                                                                         : lists.overflowing;
    next_sort.add(l);
  }
}

/// Sorts base cases that are longer than a tile: counts heavy codes and merge sorts the others; lists base cases that
/// have no heavy codes.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(merged_base_case_v<Key, Value, code_less>.threads)
    heavy_base_cases_kernel(const base_case* base_cases, base_case_list heavy, base_case_list merged,
                            columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  await_predecessors();
  constexpr tile_shape tile = merged_base_case_v<Key, Value, code_less>;
  using others_sort = block::long_sort<Key, Value, tile.threads, tile.items, false>;
  using heavy_codes = block::heavy_codes<Key, tile.threads>;
  __shared__ typename others_sort::storage shared;
  __shared__ typename heavy_codes::storage shared_heavy;
  heavy.for_each([&](unsigned number) {
    const located_base_case<Key, Value> located{base_cases[number], data, buffer};
    heavy_codes codes{shared_heavy};
    if (located.count > ~0u || !codes.look(located.source.keys, located.count, encoder)) {
      if (threadIdx.x == 0) merged.add(number);
      return;
    }
    // The other codes go to the array that the base case is not in, and end in the buffer, from where they move once
    // more.
    const columns<Key, Value> elsewhere = located.at_destination ? located.other : located.target;
    const unsigned others = codes.set_aside(located.source.keys, located.count, elsewhere.keys);
    if (others > 0)
      others_sort{shared}.sort(elsewhere, located.other, located.target, others, code_less{}, encoder,
                               identity_codec{});
    codes.store(located.other.keys, others, located.target.keys, decoder);
  });
}

/// Sorts base cases that may have few different codes by counting these; lists base cases that have too many, or whose
/// codes lie unevenly.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads, counted_blocks(sizeof(Key)))
    counted_base_cases_kernel(const base_case* base_cases, base_case_list counted, base_case_list overflowing,
                              columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  await_predecessors();
  using values = base_case_values<Key>;
  __shared__ typename values::storage shared;
  block::attempts counting;
  counted.for_each([&](unsigned number) {
    const located_base_case<Key, Value> located{base_cases[number], data, buffer};
    const bool sorted =
        counting.due() && counting.result(values{shared}.sort(located.source.keys, located.target.keys,
                                                              static_cast<unsigned>(located.count), encoder, decoder));
    if (!sorted && threadIdx.x == 0) overflowing.add(number);
  });
}

/// Sorts base cases by bins, unless too many codes lie in overflowing ones; lists those base cases.
template <class Key, class Value, class Encoder, class Codec>
__global__ void __launch_bounds__(bin_tile(sizeof(Key)).threads, bin_blocks(sizeof(Key)))
    overflowing_base_cases_kernel(const base_case* base_cases, base_case_list overflowing, base_case_list merged,
                                  columns<Key, Value> data, columns<Key, Value> buffer, Encoder encoder,
                                  Codec decoder) {
  await_predecessors();
  using bins = base_case_bins<Key>;
  __shared__ typename bins::storage shared;
  block::attempts binning;
  overflowing.for_each([&](unsigned number) {
    const auto located = [&] {
      return located_base_case<Key, Value>{base_cases[number], data, buffer};
    };  // cheaper to recompute than to keep
    bins tile{shared};
    const auto n = static_cast<unsigned>(base_cases[number].count);
    const unsigned most = most_overflowing(n, base_cases[number].repeats != repetition::seldom);
    if (binning.due() && binning.result(tile.sort(located().source.keys, n, encoder, most)))
      tile.store(located().target.keys, n, decoder);
    else if (threadIdx.x == 0)
      merged.add(number);
  });
}

/// Sorts base cases of codes, and lists those that remain. Where subproblems are given, blocks take base cases in turn,
/// as there may be few or none: a launch with one block for each possible base case takes 10 us even if there are none.
template <class Key, class Value, class Worklist, class Encoder, class Codec>
void sort_base_cases_by_bins(const context& context, const Worklist& parts, std::size_t limit, columns<Key, Value> data,
                             columns<Key, Value> buffer, Encoder encoder, Codec decoder) {
  constexpr int threads = bin_tile(sizeof(Key)).threads;
  shape all{parts.plan.base_case_blocks(limit), threads};
  if constexpr (has_even_base_case_bins_v<Key>) {
    constexpr std::size_t shared_bytes = sizeof(typename even_base_case_bins<Key>::storage);
    if (shared_bytes <= context.device.shared_bytes_per_block) {
      const auto even = even_base_cases_kernel<Key, Value, Encoder, Codec>;
      all.shared_bytes = shared_bytes;
      const bool in_turn = parts.plan.subproblems_are_given();
      if (in_turn) all = device::persistent_shape(context, even, all.blocks, threads, shared_bytes);
      device::launch_early(context, all, even, parts.base_cases, parts.base_case_count, parts.lists,
                           in_turn ? parts.base_cases_taken : nullptr, data, buffer,
                           static_cast<unsigned>(context.device.multiprocessors * base_cases_ahead(sizeof(Key))),
                           encoder, decoder);
      constexpr int heavy_threads = merged_base_case_v<Key, Value, code_less>.threads;
      device::launch_persistent(context, {limit, heavy_threads}, heavy_base_cases_kernel<Key, Value, Encoder, Codec>,
                                parts.base_cases, parts.lists.heavy, parts.lists.merged, data, buffer, encoder,
                                decoder);
      const shape listed{limit, threads};
      device::launch_persistent(context, listed, counted_base_cases_kernel<Key, Value, Encoder, Codec>,
                                parts.base_cases, parts.lists.counted, parts.lists.overflowing, data, buffer, encoder,
                                decoder);
      device::launch_persistent(context, listed, overflowing_base_cases_kernel<Key, Value, Encoder, Codec>,
                                parts.base_cases, parts.lists.overflowing, parts.lists.merged, data, buffer, encoder,
                                decoder);
      return;
    }
  }
  device::launch_early(context, all, bin_base_cases_kernel<Key, Value, Encoder, Codec>, parts.base_cases,
                       parts.base_case_count, parts.lists.merged, data, buffer, encoder, decoder);
}

/// Sorts all base cases. `encoder` makes codes of what the base cases hold, `decoder` makes keys of codes. `tiles`: the
/// tiles that base cases of the gathered round are gathered from, and how many base cases have been sorted already.
template <bool Stable, class Key, class Value, class Less, class Encoder, class Codec, class Tiles = no_grouped_tiles>
void sort_base_cases(const context& context, const worklist_of<Key, Less>& parts, columns<Key, Value> data,
                     columns<Key, Value> buffer, Less less, Encoder encoder, Codec decoder, Tiles tiles = {}) {
  const bool alone = parts.plan.rounds == 0 && !parts.plan.subproblems_are_given();
  const std::size_t limit = alone ? 1 : parts.plan.base_case_limit();
  if constexpr (sorted_by_bins_v<Key, Value, Less>) {
    device::sort_base_cases_by_bins(context, parts, limit, data, buffer, encoder, decoder);
    device::merge_listed_base_cases<Stable>(context, parts, limit, data, buffer, encoder, decoder);
  } else {
    const auto merge = merge_base_cases_kernel<Stable, Key, Value, Less, Encoder, Codec, Tiles>;
    constexpr int merge_threads = merged_base_case_v<Key, Value, Less>.threads;
    const std::size_t most = device::divide_up(parts.plan.n, parts.plan.joined_base_case) * 5 / 4;  // rarely more
    const shape each{most < limit ? most : limit, merge_threads};  // the device balances
    device::launch_early(
        context, tiles.any_sorted() ? device::persistent_shape(context, merge, limit, merge_threads) : each, merge,
        parts.base_cases, nullptr, parts.base_case_count, parts.broken, data, buffer, less, encoder, decoder, tiles);
  }
}

}  // namespace gpu::inline v1::detail::device
