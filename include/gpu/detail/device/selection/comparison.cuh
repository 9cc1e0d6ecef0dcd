// Selection by a caller's own order, in about one read of the elements: a sorted sample bounds the wanted element from
// above, or from both sides, and one pass keeps the indices of the elements between the bounds. This is repeated once
// or twice on the indices kept, until few are left, which are sorted. The kept indices are counted: where a sample has
// misled, which only someone who knows the process's key can provoke, all blocks search by pivots instead. See
// selection.cuh; Hoare, "Algorithm 65: find", 1961.
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

/// How many indices each level has kept and may keep, and how many it has found below its bounds.
struct kept_in_levels {
  const unsigned long long* kept;
  unsigned long long* below;
  std::size_t capacity[most_selection_levels];
  unsigned levels;

  /// The position, from 1, of the wanted index in the sorted input of a level.
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

/// Keeps the indices between the bounds that the sorted sample gives for the wanted one; if `one_sided`, there is no
/// lower bound.
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

/// State of a search by pivots, which all blocks share. Begins as zeros.
struct pivot_search {
  struct turn {
    unsigned long long up_to;         ///< number of indices that are not after the pivot
    unsigned long long candidate[2];  ///< drawn before and after the pivot, or 0: see draw_for()
  };
  turn of[most_pivots];
};

/// Bits of an index below n.
__device__ inline unsigned bits_to_number(std::size_t n) {
  return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(n)));
}

/// An index below n with a random number in the bits above it, so that the greatest of several is a random one of them.
/// Never 0.
__device__ inline unsigned long long draw_for(std::uint64_t word, unsigned turn, std::size_t index, std::size_t n) {
  const unsigned bits = device::bits_to_number(n);
  return (detail::random_position(word, turn, index, ~std::size_t{0} >> bits) + 1) << bits | index;
}

/// The `wanted`-th of n indices in order, found with one read of the elements per pivot. All blocks of the grid call.
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
    if (next == 0) break;  // the order is inconsistent
    pivot = static_cast<Index>(next & ((1ull << device::bits_to_number(n)) - 1));
  }
  return pivot;
}

/// How many indices are kept in the end, and the position, from 1, of the wanted one when they are in order.
struct selected_indices {
  unsigned long long count;
  unsigned long long wanted;
};

/// Fills in *selected, zeros before, for the indices kept: these contain the `wanted`-th of n and, if `one_sided`, all
/// those before it. Searches for it where the levels have lost it. Runs in one block, or in as many as run at the same
/// time.
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

/// Where an inconsistent order has left too few indices, fills the gaps with other indices, which may then occur twice.
template <class Index>
__global__ void __launch_bounds__(comparing_threads) replace_none_kernel(Index* indices, std::size_t n) {
  await_predecessors();
  const std::size_t i = std::size_t{blockIdx.x} * comparing_threads + threadIdx.x;
  if (i < n && indices[i] == static_cast<Index>(~Index{0})) indices[i] = static_cast<Index>(i);
}

/// Device memory of a selection by comparing.
template <class Index>
struct comparison_scratch {
  unsigned long long* kept;   ///< number of indices kept by each level
  unsigned long long* below;  ///< number of indices below each level's bounds
  selected_indices* selected;
  pivot_search* search;
  std::size_t zero_bytes;  ///< that begin as zeros, from `kept` on
  Index* sample;
  std::array<Index*, most_selection_levels> indices{};  ///< kept by each level

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

  /// The indices that the last level keeps.
  [[nodiscard]] Index* result(const selection_plan& plan) const { return indices[plan.levels.size() - 1]; }
};

/// Plans to select the first `wanted` of n elements by comparing or, unless `one_sided`, to find the last of these.
inline selection_plan plan_comparison(std::size_t n, std::size_t wanted, bool one_sided = true) {
  return device::plan_selection<std::uint64_t>(n, wanted, one_sided, false);
}

/// Runs one level: of the indices that the previous level has kept, keeps those between bounds from a sample.
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

/// Leaves in memory.result(plan), in stable order, the indices of the first `wanted` of elements[0, n) or, by a
/// two-sided plan, of some elements among which the wanted one is number memory.selected->wanted; an inconsistent order
/// may leave the index `none` instead. Works on the context's stream without waiting; the launches depend on the plan
/// alone.
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
