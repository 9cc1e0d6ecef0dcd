// Selection by a caller's own order, in about one read of the elements: a sample, sorted, bounds the wanted one from
// above, one pass keeps the places of what is not behind that, once more or twice until few are left, which are sorted.
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
#include "keeping.cuh"
#include "levels.cuh"
#include "rescue.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Order of the places of elements in which no two are equivalent: equivalent elements go by their places, and a place
/// of none goes behind all.
template <class T, class Index, class Less>
struct places_before {
  static constexpr Index none = static_cast<Index>(~Index{0});
  const T* elements;
  Less less;

  __device__ bool operator()(Index i, Index j) const {
    if (i == none || j == none) return i != none;
    if (less(elements[i], elements[j])) return true;
    return i < j && !static_cast<bool>(less(elements[j], elements[i]));
  }
};
template <class T, class Index, class Less>
inline constexpr bool compares_values_v<places_before<T, Index, Less>> = false;

/// Places to choose from: all of the first ones, or so many of those listed as have been kept.
template <class Index>
struct place_source {
  const Index* places;
  const unsigned long long* kept;
  std::size_t most;

  __device__ std::size_t count() const {
    return places == nullptr ? most : min(*kept, static_cast<unsigned long long>(most));
  }
  __device__ Index operator[](std::size_t i) const { return places == nullptr ? static_cast<Index>(i) : places[i]; }
};

template <class Index>
__global__ void __launch_bounds__(comparing_threads)
    draw_places_kernel(place_source<Index> source, unsigned size, std::uint64_t word, unsigned level, Index* sample) {
  await_predecessors();
  const unsigned i = blockIdx.x * comparing_threads + threadIdx.x;
  const std::size_t count = source.count();
  if (i < size) sample[i] = count == 0 ? Index{0} : source[detail::random_position(word, level, i, count)];
}

/// Keeps the places that go before `last`, and that one itself.
template <class Index, class Before>
__device__ void keep_places(const place_source<Index>& source, Index last, const Before& before,
                            const kept_ranks<Index>& kept, keeping_storage<Index>& shared) {
  collector<Index, comparing_threads> collected{shared, kept};
  constexpr std::size_t tile = std::size_t{comparing_threads} * compared_at_once;
  const std::size_t count = source.count();
  for (std::size_t first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    Index places[compared_at_once];
    bool stays[compared_at_once];
#pragma unroll
    for (int i = 0; i < compared_at_once; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i) * comparing_threads + threadIdx.x;
      places[i] = source[at < count ? at : count - 1];
      stays[i] = at < count && !before(last, places[i]);
    }
#pragma unroll
    for (int i = 0; i < compared_at_once; ++i) {
      if (!__any_sync(warp::all_lanes, stays[i])) continue;
      collected.make_room(warp::threads);
      collected.take(stays[i], places[i]);
    }
  }
  collected.flush();
}

/// Keeps what the sorted sample lets the `wanted` first be among.
template <class Index, class Before>
__global__ void __launch_bounds__(comparing_threads)
    keep_places_kernel(place_source<Index> source, std::size_t wanted, const Index* sample, unsigned size,
                       Before before, kept_ranks<Index> kept) {
  await_predecessors();
  __shared__ keeping_storage<Index> shared;
  const auto count = static_cast<double>(source.count());
  const sample_bounds bounds =
      bounds_in_sample(min(static_cast<double>(wanted), count), max(count, 1.0), static_cast<int>(size), true);
  const Index last = bounds.has_high() ? sample[bounds.high] : Before::none;
  device::keep_places(source, last, before, kept, shared);
}

/// What a search by pivots finds out. Begins as zeros.
struct pivot_search {
  struct turn {
    unsigned long long up_to;         ///< places that are not behind the pivot
    unsigned long long candidate[2];  ///< what is drawn before it and behind it, or 0: see draw_for()
  };
  turn of[most_pivots];
  unsigned arrived;
};

/// Bits of the numbers of n places.
__device__ inline unsigned bits_to_number(std::size_t n) {
  return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(n)));
}

/// A place of n with a number drawn for it in the upper bits: the greatest is one of all by chance. Not 0.
__device__ inline unsigned long long draw_for(std::uint64_t word, unsigned turn, std::size_t place, std::size_t n) {
  const unsigned bits = device::bits_to_number(n);
  return (detail::random_position(word, turn, place, ~std::size_t{0} >> bits) + 1) << bits | place;
}

/// The last of the `wanted` first of n places, by one read for each pivot. All blocks of the grid.
template <class Index, class Before>
__device__ Index find_by_pivots(std::size_t n, std::size_t wanted, std::uint64_t word, const Before& before,
                                pivot_search& search) {
  all_blocks barrier{&search.arrived};
  auto pivot = static_cast<Index>(detail::random_position(word, most_pivots, 0, n));
  Index low = pivot, high = pivot;
  bool has_low = false, has_high = false;
  for (unsigned turn = 0; turn < most_pivots; ++turn) {
    unsigned long long up_to = 0, drawn[2] = {0, 0};
    for (std::size_t i = blockIdx.x * std::size_t{comparing_threads} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{comparing_threads}) {
      const auto place = static_cast<Index>(i);
      const bool is_behind = before(pivot, place);
      up_to += !is_behind;
      if (place == pivot || (is_behind ? has_high && !before(place, high) : has_low && !before(low, place))) continue;
      drawn[is_behind] = max(drawn[is_behind], device::draw_for(word, turn, i, n));
    }
    pivot_search::turn& found = search.of[turn];
    if (up_to > 0) atomicAdd(&found.up_to, up_to);
    for (int side = 0; side < 2; ++side)
      if (drawn[side] > 0) atomicMax(&found.candidate[side], drawn[side]);
    barrier();
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

/// What the levels have kept, and may.
struct kept_in_levels {
  const unsigned long long* kept;
  std::size_t capacity[most_selection_levels];
  unsigned levels;

  __device__ bool hold(std::size_t wanted) const {
    for (unsigned level = 0; level < levels; ++level)
      if (kept[level] < wanted || kept[level] > capacity[level]) return false;
    return true;
  }
};

/// Says in *selected, zero before, how many places are kept, the `wanted` first of n among them; finds them where the
/// levels have not. One block, or as many as run at the same time.
template <class Index, class Before>
__global__ void __launch_bounds__(comparing_threads)
    search_places_kernel(std::size_t n, std::size_t wanted, std::uint64_t word, Before before,
                         const __grid_constant__ kept_in_levels last, Index* places, pivot_search* search,
                         unsigned long long* selected) {
  await_predecessors();
  __shared__ keeping_storage<Index> shared;
  if (last.hold(wanted)) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *selected = last.kept[last.levels - 1];
    return;
  }
  const auto found = device::find_by_pivots<Index>(n, wanted, word, before, *search);
  const kept_ranks<Index> kept{places, last.capacity[last.levels - 1], selected};
  device::keep_places(place_source<Index>{nullptr, nullptr, n}, found, before, kept, shared);
}

/// Fills the room behind the selected places with none.
template <class Index>
__global__ void __launch_bounds__(comparing_threads)
    pad_places_kernel(Index* places, const unsigned long long* selected, std::size_t capacity) {
  await_predecessors();
  const std::size_t i = std::size_t{blockIdx.x} * comparing_threads + threadIdx.x;
  if (i < capacity && i >= *selected) places[i] = static_cast<Index>(~Index{0});
}

/// Where an order that contradicts itself has left too few places, others take their room, be they there twice.
template <class Index>
__global__ void __launch_bounds__(comparing_threads) replace_none_kernel(Index* places, std::size_t n) {
  await_predecessors();
  const std::size_t i = std::size_t{blockIdx.x} * comparing_threads + threadIdx.x;
  if (i < n && places[i] == static_cast<Index>(~Index{0})) places[i] = static_cast<Index>(i);
}

/// What it works with.
template <class Index>
struct comparison_scratch {
  unsigned long long* kept;  ///< of each level
  unsigned long long* selected;
  pivot_search* search;
  std::size_t zero_bytes;  ///< from `kept` on, which begin as zeros
  Index* sample;
  std::array<Index*, most_selection_levels> places{};  ///< that each level keeps

  comparison_scratch(carver& carve, const selection_plan& plan)
      : kept{carve.take<unsigned long long>(most_selection_levels)},
        selected{carve.take<unsigned long long>(1)},
        search{carve.take<pivot_search>(1)},
        zero_bytes{carve.bytes()},
        sample{carve.take<Index>(plan.levels.front().sampled)} {
    for (std::size_t level = 0; level < plan.levels.size(); ++level)
      places[level] = carve.take<Index>(plan.levels[level].capacity);
  }

  /// What the last level keeps.
  [[nodiscard]] Index* result(const selection_plan& plan) const { return places[plan.levels.size() - 1]; }
};

/// How so many of n elements are selected by comparing.
inline selection_plan plan_comparison(std::size_t n, std::size_t wanted) {
  return device::plan_selection<std::uint64_t>(n, wanted, true, false);
}
/// One level: keeps, of what the level before has kept, the places up to one of a sample.
template <class Index, class Before>
void keep_by_comparing(const context& context, const selection_plan& plan, std::size_t number, const Before& before,
                       const comparison_scratch<Index>& memory) {
  const selection_level& level = plan.levels[number];
  const auto sampled = static_cast<unsigned>(level.sampled);
  place_source<Index> source{nullptr, nullptr, plan.n};
  if (number > 0) source = {memory.places[number - 1], memory.kept + number - 1, level.most_count};
  device::launch_early(context, {divide_up(level.sampled, comparing_threads), comparing_threads},
                       draw_places_kernel<Index>, source, sampled, process_sample_key().second,
                       static_cast<unsigned>(number), memory.sample);
  device::merge_sort(context, columns<Index, no_value>{memory.sample, nullptr}, level.sampled, before,
                     identity_codec{});
  const auto keep = keep_places_kernel<Index, Before>;
  const std::size_t tiles = divide_up(level.most_count, std::size_t{comparing_threads} * compared_at_once);
  device::launch_early(context, device::persistent_shape(context, keep, tiles, comparing_threads), keep, source,
                       plan.wanted, static_cast<const Index*>(memory.sample), sampled, before,
                       kept_ranks<Index>{memory.places[number], level.capacity, memory.kept + number});
}

/// Leaves in memory.result(plan) the places of the `wanted` first of elements[0, n), in stable order; places of none
/// where the order contradicts itself. On the context's
/// stream, without waiting; launches depend on the plan alone.
template <class T, class Less, class Index>
void select_by_comparing(const context& context, const T* elements, const Less& less, const selection_plan& plan,
                         const comparison_scratch<Index>& memory) {
  using before = places_before<T, Index, Less>;
  const before order{elements, less};
  const std::size_t capacity = plan.capacity();
  Index* const places = memory.result(plan);
  device::set_zero(context, memory.kept, memory.zero_bytes);
  kept_in_levels last{memory.kept, {}, static_cast<unsigned>(plan.levels.size())};
  for (std::size_t level = 0; level < plan.levels.size(); ++level) {
    device::keep_by_comparing(context, plan, level, order, memory);
    last.capacity[level] = plan.levels[level].capacity;
  }
  device::launch_together(context, divide_up(plan.n, 4 * comparing_threads), comparing_threads,
                          search_places_kernel<Index, before>, plan.n, plan.wanted, process_sample_key().second, order,
                          last, places, memory.search, memory.selected);
  device::launch_early(context, {divide_up(capacity, comparing_threads), comparing_threads}, pad_places_kernel<Index>,
                       places, static_cast<const unsigned long long*>(memory.selected), capacity);
  device::merge_sort(context, columns<Index, no_value>{places, nullptr}, capacity, order, identity_codec{});
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
