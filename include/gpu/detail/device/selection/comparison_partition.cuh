// In-place partition of a caller's elements by the caller's own order: a two-sided selection finds the wanted element,
// then elements change sides as keys do. See comparison.cuh, partition.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../index.hpp"
#include "../compare.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/selection.hpp"
#include "comparison.cuh"
#include "partition.cuh"

namespace gpu::inline v1::detail::device {

/// Elements to be partitioned around the threshold, which is already at its final position.
template <class Key, class Less>
struct compared_source {
  const Key* elements;
  std::size_t threshold_index;
  Less less;
};

/// Separates elements that do not go after the threshold from the others, with one comparison each.
template <class Key, class Less, class Rank>
struct side_test<compared_source<Key, Less>, Rank> {
  const compared_source<Key, Less>& source;
  tie_sides<Rank> ties;
  Key threshold = source.elements[source.threshold_index];

  __device__ bool goes_left(const Key& key, bool tie) const {
    return tie ? !static_cast<bool>(source.less(threshold, key)) : static_cast<bool>(source.less(key, threshold));
  }
  /// Calls use(goes_left): goes_left(key, i) for the element that was at index `at` + i, i < count.
  template <class Use>
  __device__ void with_sides(std::size_t at, unsigned count, const Use& use) const {
    const bool agree = ties.ties_agree(at, count), tie = ties.ties_go_left(at);
    use([&](const Key& key, unsigned i) { return goes_left(key, agree ? tie : ties.ties_go_left(at + i)); });
  }
  /// Lists the part's elements that go right or, unless `right`, those that go left.
  __device__ void list(bool right, const kept_ranks<Rank>& kept, keeping_storage<Rank>& shared) const {
    collector<Rank, keeping_threads> collected{shared, kept};
    const source_part& part = ties.part;
    constexpr int items = 4;
    constexpr std::size_t tile = std::size_t{keeping_threads} * items;
    for (std::size_t first = part.begin + blockIdx.x * tile; first < part.end; first += gridDim.x * tile) {
      compared_element<Key> elements[items];
      const auto index = [&](int i) { return first + static_cast<std::size_t>(i) * keeping_threads + threadIdx.x; };
#pragma unroll
      for (int i = 0; i < items; ++i) elements[i].look_at(source.elements + min(index(i), part.end - 1));
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const std::size_t at = index(i);
        const bool strays = at < part.end && goes_left(elements[i].get(), ties.ties_go_left(at)) != right;
        collected.make_room(warp::threads);
        collected.take(strays, rank_parts<Rank>::make(0u, part.former(at)));
      }
    }
    collected.flush_together(shared);
  }
};

/// Takes the index of the threshold from the sorted indices; an inconsistent order may yield any index.
template <class Index, class Rank>
__global__ void find_threshold_kernel(const Index* indices, const selected_indices* selected, std::size_t capacity,
                                       Rank* threshold) {
  await_predecessors();
  const Index found = indices[min(selected->wanted, static_cast<unsigned long long>(capacity)) - 1];
  *threshold = rank_parts<Rank>::make(0u, found == static_cast<Index>(~Index{0}) ? Index{0} : found);
}

/// The indices of elements that change sides are listed as ranks with code 0.
template <class Index>
using index_rank = rank_of_keys<std::uint32_t, Index>;

template <class Index>
struct partition_scratch {
  comparison_scratch<Index> found;
  index_rank<Index>* threshold;
  stray_scratch<index_rank<Index>> strays;

  partition_scratch(carver& carve, const selection_plan& plan, const exchange_plan& moves)
      : found{carve, plan}, threshold{carve.take<index_rank<Index>>(1)}, strays{carve, moves} {}
};

/// Partitions elements[0, n), in device memory: the first `wanted` come before the others, the last of these at
/// position wanted - 1, the rest in any order.
template <class T, class Less>
void partition_by_comparing(const context& context, T* elements, std::size_t n, std::size_t wanted, const Less& less) {
  using as = movable<T, Less>;
  using key = typename as::key;
  detail::with_index(n, [&]<class Index>(Index) {
    const selection_plan plan = device::plan_comparison(n, wanted, false);
    const exchange_plan moves{context, n, wanted, true, moves_in_tiles_v<key>, side_tile<key>};
    const scratch<partition_scratch<Index>> memory{context, plan, moves};
    device::select_by_comparing(context, elements, less, plan, memory->found);
    device::launch_early(context, {1, 1}, find_threshold_kernel<Index, index_rank<Index>>, memory->found.result(plan),
                         memory->found.selected, plan.capacity(), memory->threshold);
    auto* const keys = reinterpret_cast<key*>(elements);
    const auto compare = as::compare(less);
    const compared_source<key, decltype(as::compare(less))> source{keys, wanted - 1, compare};
    device::partition_rows<key>(context, source, elements, sizeof(T), moves, memory->threshold, memory->strays);
  });
}

}  // namespace gpu::inline v1::detail::device
