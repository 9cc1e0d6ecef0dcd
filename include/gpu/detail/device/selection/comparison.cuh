// Selection by a caller's own order, in about one read of the elements: a sample, sorted, bounds the wanted one from
// above, or from both sides, one pass keeps the indices of what lies between, once more or twice until few are left,
// which are sorted.
// What is kept is counted, and where a sample has misled, which only whoever knows the process's key can bring about,
// all blocks search by pivots instead. See selection.cuh; Hoare, "Algorithm 65: find", 1961.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../sample_key.hpp"
#include "../compare.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../merge_sort.cuh"
#include "../order.cuh"
#include "../tuning/selection.hpp"
#include "levels.cuh"
#include "indices.cuh"
#include "rescue.cuh"

namespace gpu::inline v1::detail::device {

/// What the levels have kept, and may; and what they have found to lie below their bounds.
struct kept_in_levels {
  const unsigned long long* kept;
  unsigned long long* below;
  std::size_t capacity[most_selection_levels];
  unsigned levels;

  /// The how many-th is looked for of what comes to a level.
  __device__ unsigned long long wanted_at(unsigned level, unsigned long long wanted) const {
    for (unsigned before = 0; before < level; ++before) wanted -= below[before];
    return wanted;
  }
  __device__ bool hold(unsigned long long wanted) const {
    for (unsigned level = 0; level < levels; ++level) {
      if (below[level] >= wanted) return false;
      wanted -= below[level];
      if (kept[level] < wanted || kept[level] > capacity[level]) return false;
    }
    return true;
  }
};

/// Keeps what the sorted sample lets the wanted one be among, and on one side those before it.
template <class Index, class Before>
__global__ void __launch_bounds__(comparing_threads)
    keep_indices_kernel(index_source<Index> source, std::size_t wanted, bool one_sided, unsigned level,
                       const __grid_constant__ kept_in_levels last, const Index* sample, unsigned size, Before before,
                       kept_ranks<Index> kept) {
  await_predecessors();
  __shared__ keeping_storage<Index> shared;
  const auto count = static_cast<double>(source.count());
  const auto here = static_cast<double>(last.wanted_at(level, wanted));
  const sample_bounds bounds = bounds_in_sample(min(here, count), max(count, 1.0), static_cast<int>(size), one_sided);
  const index_bounds<Index, Before> between{bounds.has_low() ? sample[bounds.low] : Before::none,
                                            bounds.has_high() ? sample[bounds.high] : Before::none, before};
  device::keep_indices(source, between, before, kept, last.below + level, shared);
}

/// What a search by pivots finds out. Begins as zeros.
struct pivot_search {
  struct turn {
    unsigned long long up_to;         ///< indices that are not behind the pivot
    unsigned long long candidate[2];  ///< what is drawn before it and behind it, or 0: see draw_for()
  };
  turn of[most_pivots];
};

/// Bits of an index below n.
__device__ inline unsigned bits_to_number(std::size_t n) {
  return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(n)));
}

/// An index below n with a number drawn for it in the upper bits: the greatest is one of all by chance. Not 0.
__device__ inline unsigned long long draw_for(std::uint64_t word, unsigned turn, std::size_t index, std::size_t n) {
  const unsigned bits = device::bits_to_number(n);
  return (detail::random_position(word, turn, index, ~std::size_t{0} >> bits) + 1) << bits | index;
}

/// The last of the `wanted` first of n indices, by one read for each pivot. All blocks of the grid.
template <class Index, class Before>
__device__ Index find_by_pivots(std::size_t n, std::size_t wanted, std::uint64_t word, const Before& before,
                                pivot_search& search) {
  auto pivot = static_cast<Index>(detail::random_position(word, most_pivots, 0, n));
  Index low = pivot, high = pivot;
  bool has_low = false, has_high = false;
  for (unsigned turn = 0; turn < most_pivots; ++turn) {
    unsigned long long up_to = 0, drawn[2] = {0, 0};
    for (std::size_t i = blockIdx.x * std::size_t{comparing_threads} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{comparing_threads}) {
      const auto index = static_cast<Index>(i);
      const bool is_behind = before(pivot, index);
      up_to += !is_behind;
      if (index == pivot || (is_behind ? has_high && !before(index, high) : has_low && !before(low, index))) continue;
      drawn[is_behind] = max(drawn[is_behind], device::draw_for(word, turn, i, n));
    }
    pivot_search::turn& found = search.of[turn];
    if (up_to > 0) atomicAdd(&found.up_to, up_to);
    for (int side = 0; side < 2; ++side)
      if (drawn[side] > 0) atomicMax(&found.candidate[side], drawn[side]);
    await_all_blocks();
    const unsigned long long count = __ldcg(&found.up_to);
    if (count == wanted) break;
    const bool goes_on_behind = count < wanted;
    (goes_on_behind ? low : high) = pivot;
    (goes_on_behind ? has_low : has_high) = true;
    const unsigned long long next = __ldcg(&found.candidate[goes_on_behind]);
    if (next == 0) break;  // the order contradicts itself
    pivot = static_cast<Index>(next & ((1ull << device::bits_to_number(n)) - 1));
  }
  return pivot;
}

/// How many indices are kept in the end, and the how many-th of them is looked for.
struct selected_indices {
  unsigned long long count;
  unsigned long long wanted;
};

/// Says in *selected, zeros before, how many indices are kept, the `wanted`-th of n among them, and on one side those
/// before it; finds it where the levels have not. One block, or as many as run at the same time.
template <class Index, class Before>
__global__ void __launch_bounds__(comparing_threads)
    search_indices_kernel(std::size_t n, std::size_t wanted, bool one_sided, std::uint64_t word, Before before,
                          const __grid_constant__ kept_in_levels last, Index* indices, pivot_search* search,
                          selected_indices* selected) {
  await_predecessors();
  __shared__ keeping_storage<Index> shared;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  if (last.hold(wanted)) {
    if (first) selected->count = last.kept[last.levels - 1], selected->wanted = last.wanted_at(last.levels, wanted);
    return;
  }
  const auto found = device::find_by_pivots<Index>(n, wanted, word, before, *search);
  if (first) selected->wanted = one_sided ? wanted : 1;
  if (one_sided) {
    const kept_ranks<Index> kept{indices, last.capacity[last.levels - 1], &selected->count};
    const index_bounds<Index, Before> bounds{Before::none, found, before};
    device::keep_indices(index_source<Index>{nullptr, nullptr, n}, bounds, before, kept, nullptr, shared);
  } else if (first) {
    indices[0] = found;
    selected->count = 1;
  }
}

/// Where an order that contradicts itself has left too few indices, others take their room, be they there twice.
template <class Index>
__global__ void __launch_bounds__(comparing_threads) replace_none_kernel(Index* indices, std::size_t n) {
  await_predecessors();
  const std::size_t i = std::size_t{blockIdx.x} * comparing_threads + threadIdx.x;
  if (i < n && indices[i] == static_cast<Index>(~Index{0})) indices[i] = static_cast<Index>(i);
}

/// What it works with.
template <class Index>
struct comparison_scratch {
  unsigned long long* kept;   ///< of each level
  unsigned long long* below;  ///< in each level
  selected_indices* selected;
  pivot_search* search;
  std::size_t zero_bytes;  ///< from `kept` on, which begin as zeros
  Index* sample;
  std::array<Index*, most_selection_levels> indices{};  ///< that each level keeps

  comparison_scratch(carver& carve, const selection_plan& plan)
      : kept{carve.take<unsigned long long>(most_selection_levels)},
        below{carve.take<unsigned long long>(most_selection_levels)},
        selected{carve.take<selected_indices>(1)},
        search{carve.take<pivot_search>(1)},
        zero_bytes{carve.bytes()},
        sample{carve.take<Index>(plan.levels.front().sampled)} {
    for (std::size_t level = 0; level < plan.levels.size(); ++level)
      indices[level] = carve.take<Index>(plan.levels[level].capacity);
  }

  /// What the last level keeps.
  [[nodiscard]] Index* result(const selection_plan& plan) const { return indices[plan.levels.size() - 1]; }
};

/// How so many of n elements are selected by comparing, or the last of them is found.
inline selection_plan plan_comparison(std::size_t n, std::size_t wanted, bool one_sided = true) {
  return device::plan_selection<std::uint64_t>(n, wanted, one_sided, false);
}

/// One level: keeps, of what the level before has kept, the indices between bounds from a sample.
template <class Index, class Before>
void keep_by_comparing(const context& context, const selection_plan& plan, std::size_t number, const Before& before,
                       const kept_in_levels& last, const comparison_scratch<Index>& memory) {
  const selection_level& level = plan.levels[number];
  const auto sampled = static_cast<unsigned>(level.sampled);
  index_source<Index> source{nullptr, nullptr, plan.n};
  if (number > 0) source = {memory.indices[number - 1], memory.kept + number - 1, level.most_count};
  device::launch_early(context, {divide_up(level.sampled, comparing_threads), comparing_threads},
                       draw_indices_kernel<Index>, source, sampled, process_sample_key().second,
                       static_cast<unsigned>(number), memory.sample);
  device::merge_sort(context, columns<Index, no_value>{memory.sample, nullptr}, level.sampled, before,
                     identity_codec{});
  const std::size_t tiles = divide_up(level.most_count, std::size_t{comparing_threads} * compared_at_once);
  device::launch_persistent(context, {tiles, comparing_threads}, keep_indices_kernel<Index, Before>, source,
                            plan.wanted, plan.one_sided, static_cast<unsigned>(number), last, memory.sample, sampled,
                            before, kept_ranks<Index>{memory.indices[number], level.capacity, memory.kept + number});
}

/// Leaves in memory.result(plan), in stable order, the indices of the `wanted` first of elements[0, n), or some among
/// which the wanted one is number memory.selected->wanted; the index `none` where the order contradicts itself. On the
/// context's stream, without waiting; launches depend on the plan alone.
template <class T, class Less, class Index>
void select_by_comparing(const context& context, const T* elements, const Less& less, const selection_plan& plan,
                         const comparison_scratch<Index>& memory) {
  using as = movable<T, Less>;
  using compare = decltype(as::compare(less));
  using before = indices_before<typename as::key, Index, compare>;
  const before order{reinterpret_cast<const typename as::key*>(elements), as::compare(less)};
  const std::size_t capacity = plan.capacity();
  Index* const indices = memory.result(plan);
  device::set_zero(context, memory.kept, memory.zero_bytes);
  kept_in_levels last{memory.kept, memory.below, {}, static_cast<unsigned>(plan.levels.size())};
  for (std::size_t level = 0; level < plan.levels.size(); ++level) last.capacity[level] = plan.levels[level].capacity;
  for (std::size_t level = 0; level < plan.levels.size(); ++level)
    device::keep_by_comparing(context, plan, level, order, last, memory);
  device::launch_together(context, divide_up(plan.n, 4 * comparing_threads), comparing_threads,
                          search_indices_kernel<Index, before>, plan.n, plan.wanted, plan.one_sided,
                          process_sample_key().second, order, last, indices, memory.search, memory.selected);
  device::launch_early(context, {divide_up(capacity, keeping_threads), keeping_threads}, pad_kept_kernel<Index>,
                       indices, &memory.selected->count, capacity);
  device::merge_sort(context, columns<Index, no_value>{indices, nullptr}, capacity, order, identity_codec{});
}

}  // namespace gpu::inline v1::detail::device
