// Sorting host data that the device cannot hold at once.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

#include <cstddef>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Sorts host columns of n rows in at most `memory` bytes of device memory, or in what a few hundred rows take if that
/// is more. Sorted runs are written to host memory of their own, as large as the data, and merged back through the
/// device. If anything is thrown, the data are a permutation of what they were, in which equivalent elements have kept
/// their order; unless the device is lost while runs are written back to the data's own memory, as they are if they are
/// merged on two levels.
void external_sort(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                   const run_steps& steps, std::size_t memory);

/// Bytes of device memory that it takes.
[[nodiscard]] std::size_t external_sort_bytes(const std::vector<column>& columns, std::size_t n, const run_steps& steps,
                                              std::size_t memory);

}  // namespace gpu::inline v1::detail::device
