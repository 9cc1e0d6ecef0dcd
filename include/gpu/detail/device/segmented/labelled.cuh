// Segmented sorts by any order: the indices of all elements are sorted stably by where their segments begin, then by
// the order, so that segments keep their places; an element that belongs to no segment is a segment of its own.
#pragma once

#include <cstddef>

#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../merge_sort.cuh"
#include "../order.cuh"
#include "../rows/permute.cuh"
#include "walk.cuh"

namespace gpu::inline v1::detail::device {

/// Order of indices: by segment, then by less(i, j) of indices.
template <class Index, class Less>
struct compare_labelled {
  const Index* begins;
  Less less;

  __device__ bool operator()(Index i, Index j) const {
    const Index left = begins[i], right = begins[j];
    return left != right ? left < right : static_cast<bool>(less(i, j));
  }
};

template <class Index, class Less>
inline constexpr bool compares_values_v<compare_labelled<Index, Less>> = false;

/// Sets *astray to 1 if the order has an index in a segment that it does not belong to, which only an inconsistent
/// order causes.
template <class Flag>
__global__ void __launch_bounds__(walk_threads)
    find_astray_kernel(index_reader order, index_reader begins, std::size_t n, Flag* astray) {
  const std::size_t i = std::size_t{blockIdx.x} * walk_threads + threadIdx.x;
  if (i < n && begins[order[i]] != begins[i]) *astray = 1;
}

/// Replaces the order by the identity if *astray is set.
template <class Flag>
__global__ void __launch_bounds__(walk_threads)
    mend_order_kernel(index_writer order, std::size_t n, const Flag* astray) {
  const std::size_t i = std::size_t{blockIdx.x} * walk_threads + threadIdx.x;
  if (i < n && *astray != 0) order.write(i, i);
}

/// Device memory that order_labelled() needs in addition to the order.
template <class Index>
struct labelled_scratch {
  Index* begins;
  unsigned* astray;
  tile_list tiles;
  std::size_t sort_bytes;
  std::byte* sort;

  labelled_scratch(carver& carve, std::size_t n)
      : begins{carve.take<Index>(n)},
        astray{carve.take<unsigned>(1)},
        tiles{carve, n},
        sort_bytes{device::merge_sort_scratch_bytes<Index, no_value>(n)},
        sort{carve.take<std::byte>(sort_bytes)} {}
};

/// Writes to order[0, n) the indices of n elements such that those of each segment are sorted by less(i, j), stably.
/// O(n log n); on the context's stream, without waiting. With an inconsistent order, nothing moves between segments.
template <class Index, class Less>
void order_labelled(const context& context, const labelled_scratch<Index>& memory, std::size_t n,
                    const segment_bounds& bounds, Less less, Index* order) {
  const shape all{divide_up(n, walk_threads), walk_threads};
  device::fill_sequence(context, order, n);
  device::fill_sequence(context, memory.begins, n);
  device::walk_segments(context, n, bounds, memory.tiles, write_begin{memory.begins});
  lent_memory lent{memory.sort, memory.sort_bytes};
  device::merge_sort(lent.instead_of(context), columns<Index, no_value>{order, nullptr}, n,
                     compare_labelled<Index, Less>{memory.begins, less}, identity_codec{});
  device::set_zero(context, memory.astray, sizeof(unsigned));
  device::launch(context, all, find_astray_kernel<unsigned>, order, memory.begins, n, memory.astray);
  device::launch(context, all, mend_order_kernel<unsigned>, order, n, memory.astray);
}

}  // namespace gpu::inline v1::detail::device
