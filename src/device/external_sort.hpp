// Sorting host data that the device cannot hold at once.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

#include <cstddef>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Sorts host columns of n rows in at most `memory` bytes of the device's, or in what a few hundred rows take.
/// Sorted runs are written to memory of their own, as large as the data, and merged back through the device. If
/// anything is thrown, the data are a permutation of what they were, and equivalent elements have kept their order;
/// unless the device is lost while runs return to where the data were, as they do if they are merged on two levels.
void external_sort(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                   const run_steps& steps, std::size_t memory);

/// Bytes of device memory that it takes.
[[nodiscard]] std::size_t external_sort_bytes(const std::vector<column>& columns, std::size_t n, const run_steps& steps,
                                              std::size_t memory);

}  // namespace gpu::inline v1::detail::device
