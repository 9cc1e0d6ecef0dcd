// sort_indexed, between the public function and the backends, for containers that are only accessible by index.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "../host/bitonic_sort.hpp"
#include "call.hpp"
#if defined(__CUDACC__)
#include "../device/rows/elements.cuh"
#endif

namespace gpu::inline v1::detail {
inline namespace GPUPAR_UNIT {

/// Sorts the elements to which compare(i, j) and swap(i, j) refer, with i, j in [first, first + count).
template <class Terms, class Index, class Compare, class Swap>
struct sort_indexed_call : Terms {
  static constexpr bool asks_for_device = Terms::where == placement::device_only;
  static_assert(!asks_for_device || compiles_kernels,
                "gpu: .require_device() cannot be met: sort_indexed calls compare(i, j) and swap(i, j) in kernels, so "
                "compile this call with nvcc, or drop .require_device().");
  static constexpr device_way way = asks_for_device ? device_way::instantiated : device_way::none;
  static constexpr bool host_serves = !asks_for_device;

  Index first;
  std::size_t count;
  mutable Compare compare;
  mutable Swap swap;

  sort_indexed_call(Terms, Index given_first, std::size_t given_count, Compare given_compare, Swap given_swap)
      : first{given_first}, count{given_count}, compare{std::move(given_compare)}, swap{std::move(given_swap)} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const { return count < 2; }
  [[nodiscard]] std::array<location, 1> locations() const { return {}; }
  [[nodiscard]] workload describe(const location& at) const {
    return detail::describe<sort_indexed_call>(operation::sort_indexed, at, count, 0);
  }
  void on_device(algorithm, const location*, const execution_options& options) const {
#if defined(__CUDACC__)
    if constexpr (asks_for_device) device::sort_indices(options, first, count, compare, swap);
#endif
    (void)options;
  }
  void on_host(algorithm, const execution_options&) const {
    const auto at = [this](std::size_t i) { return static_cast<Index>(first + static_cast<Index>(i)); };
    host::bitonic_sort_indexed(
        count, [&](std::size_t i, std::size_t j) -> bool { return static_cast<bool>(compare(at(i), at(j))); },
        [&](std::size_t i, std::size_t j) { swap(at(i), at(j)); });
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
