// Lists of base cases by the local sort that suits them.
#pragma once

#include <cstddef>

#include "../columns.cuh"
#include "../launching/scratch.cuh"

namespace gpu::inline v1::detail::device {

/// Numbers of base cases.
struct base_case_list {
  unsigned* numbers;
  unsigned* count;  ///< and a second count, as worklist::base_case_count has

  base_case_list(carver& carve, std::size_t most)
      : numbers{carve.take<unsigned>(most)}, count{carve.take<unsigned>(2)} {}

  __device__ void add(unsigned number) const { numbers[atomicAdd(count, 1u)] = number; }
  /// Calls sort(number) for each; the blocks of the grid share them.
  template <class Sort>
  __device__ __forceinline__ void for_each(Sort sort) const {
    for (unsigned i = blockIdx.x; i < *count; i += gridDim.x) sort(numbers[i]);
  }
};

/// Base cases that the first sort leaves to others.
struct base_case_lists {
  base_case_list heavy;        ///< those that are longer than others
  base_case_list counted;      ///< those that may have few different keys
  base_case_list overflowing;  ///< those that have too many keys in some bins
  base_case_list merged;       ///< those that nothing else sorts

  base_case_lists(carver& carve, std::size_t most)
      : heavy{carve, most}, counted{carve, most}, overflowing{carve, most}, merged{carve, most} {}

  __device__ void clear(int i) const { heavy.count[i] = counted.count[i] = overflowing.count[i] = merged.count[i] = 0; }
  void begin_others() { ++heavy.count, ++counted.count, ++overflowing.count, ++merged.count; }
};

}  // namespace gpu::inline v1::detail::device
