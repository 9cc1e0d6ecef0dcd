// Indices of elements that are compared by a caller's own order: samples of them, and the pass that keeps those between
// two bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../sample_key.hpp"
#include "../compare.cuh"
#include "../launching/launch.cuh"
#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "keeping.cuh"

namespace gpu::inline v1::detail::device {

/// A total order of the indices of elements: equivalent elements are ordered by index, and the index `none` goes last.
template <class T, class Index, class Less>
struct indices_before {
  using element = T;
  static constexpr Index none = static_cast<Index>(~Index{0});
  const T* elements;
  Less less;

  __device__ bool operator()(Index i, Index j) const {
    if (i == none || j == none) return i != none;
    return elements_before(elements[i], i, elements[j], j);
  }
  /// Whether element a, of index i, goes before b, of index j.
  __device__ bool elements_before(const T& a, Index i, const T& b, Index j) const {
    if (less(a, b)) return true;
    return i < j && !static_cast<bool>(less(b, a));
  }
};
template <class T, class Index, class Less>
inline constexpr bool compares_values_v<indices_before<T, Index, Less>> = false;

/// Indices to choose from: all below `most` if `indices` is null, else the first *kept of these, at most `most`.
template <class Index>
struct index_source {
  const Index* indices;
  const unsigned long long* kept;
  std::size_t most;

  __device__ std::size_t count() const {
    return indices == nullptr ? most : min(*kept, static_cast<unsigned long long>(most));
  }
  __device__ Index operator[](std::size_t i) const { return indices == nullptr ? static_cast<Index>(i) : indices[i]; }
};

template <class Index>
__global__ void __launch_bounds__(comparing_threads)
    draw_indices_kernel(index_source<Index> source, unsigned size, std::uint64_t word, unsigned level, Index* sample) {
  await_predecessors();
  const unsigned i = blockIdx.x * comparing_threads + threadIdx.x;
  const std::size_t count = source.count();
  if (i < size) sample[i] = count == 0 ? Index{0} : source[detail::random_position(word, level, i, count)];
}

/// An element to compare: a copy, so that several loads are in flight at once, or its address if it is large.
template <class T, bool Copied = sizeof(T) <= most_bytes_copied>
struct compared_element {
  T copy;
  __device__ void look_at(const T* element) { copy = *element; }
  __device__ const T& get() const { return copy; }
};
template <class T>
struct compared_element<T, false> {
  const T* at;
  __device__ void look_at(const T* element) { at = element; }
  __device__ const T& get() const { return *at; }
};

/// Indices that bound the wanted one: `low`, all before it and all after `high` are excluded. The index `none` means no
/// bound.
template <class Index, class Before>
class index_bounds {
 public:
  __device__ index_bounds(Index low, Index high, const Before& before) : before_{before}, low_{low}, high_{high} {
    if (has_low()) low_element_.look_at(before.elements + low);
    if (high != Before::none) high_element_.look_at(before.elements + high);
  }
  __device__ bool has_low() const { return low_ != Before::none; }
  __device__ bool above(const typename Before::element& element, Index index) const {
    return !has_low() || before_.elements_before(low_element_.get(), low_, element, index);
  }
  __device__ bool up_to(const typename Before::element& element, Index index) const {
    return high_ == Before::none || !before_.elements_before(high_element_.get(), high_, element, index);
  }

 private:
  const Before& before_;
  Index low_, high_;
  compared_element<typename Before::element> low_element_, high_element_;
};

/// Keeps the indices between the bounds; adds the number of those not above `low` to *below_all.
template <class Index, class Before>
__device__ void keep_indices(const index_source<Index>& source, const index_bounds<Index, Before>& bounds,
                             const Before& before, const kept_ranks<Index>& kept, unsigned long long* below_all,
                             keeping_storage<Index>& shared) {
  collector<Index, comparing_threads> collected{shared, kept};
  constexpr std::size_t tile = std::size_t{comparing_threads} * compared_at_once;
  const std::size_t count = source.count();
  unsigned long long below = 0;
  for (std::size_t first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    Index indices[compared_at_once];
    compared_element<typename Before::element> elements[compared_at_once];
    bool stays[compared_at_once];
#pragma unroll
    for (int i = 0; i < compared_at_once; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i) * comparing_threads + threadIdx.x;
      indices[i] = source[at < count ? at : count - 1];
      stays[i] = at < count;
    }
#pragma unroll
    for (int i = 0; i < compared_at_once; ++i) elements[i].look_at(before.elements + indices[i]);
#pragma unroll
    for (int i = 0; i < compared_at_once; ++i) {
      const bool above = bounds.above(elements[i].get(), indices[i]);
      below += stays[i] && !above;
      stays[i] = stays[i] && above && bounds.up_to(elements[i].get(), indices[i]);
    }
#pragma unroll
    for (int i = 0; i < compared_at_once; ++i) {
      if (!__any_sync(warp::all_lanes, stays[i])) continue;
      collected.make_room(warp::threads);
      collected.take(stays[i], indices[i]);
    }
  }
  collected.flush();
  if (!bounds.has_low()) return;
  below = warp::sum(below);
  if (threadIdx.x % warp::threads == 0 && below > 0) atomicAdd(below_all, below);
}

}  // namespace gpu::inline v1::detail::device
