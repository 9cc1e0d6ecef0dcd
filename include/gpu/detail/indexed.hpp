// sort_indexed between the public function and the backends: any container that only has an index.
#pragma once

#include "dispatch.hpp"
#include "host/bitonic_sort.hpp"
#if defined(__CUDACC__)
#include "device/rows/elements.cuh"
#endif

namespace gpu {
inline namespace v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

/// Sorts what compare(i, j) and swap(i, j) stand for, with i, j in [first, first + count).
template <placement Where, class Index, class Compare, class Swap>
void sort_indices(const execution_options& options, Index first, std::size_t count, Compare compare, Swap swap) {
  constexpr bool on_device = Where == placement::device_only;
  static_assert(!on_device || compiles_kernels,
                "gpu: .require_device() cannot be met: sort_indexed calls compare(i, j) and swap(i, j) in kernels, so "
                "compile this call with nvcc, or drop .require_device().");
  workload work;
  work.what = operation::sort_indexed;
  work.way = on_device ? device_way::instantiated : device_way::none;
  work.count = count;
  const plan decided = decide(work, options);
  announce(work, decided);
  if constexpr (on_device) {
#if defined(__CUDACC__)
    device::sort_indices(options, first, count, compare, swap);
#endif
  } else {
    host::bitonic_sort_indexed(
        count,
        [&](std::size_t i, std::size_t j) -> bool {
          return static_cast<bool>(compare(static_cast<Index>(first + static_cast<Index>(i)),
                                           static_cast<Index>(first + static_cast<Index>(j))));
        },
        [&](std::size_t i, std::size_t j) {
          swap(static_cast<Index>(first + static_cast<Index>(i)), static_cast<Index>(first + static_cast<Index>(j)));
        });
  }
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
