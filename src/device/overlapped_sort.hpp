// Sorting host data while they are still coming in, and returning the first elements while the last are merged.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

#include <cstddef>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Sorts host columns of n rows in a few runs. Returns false, with nothing changed, if there is too little memory.
/// Nothing is written to the host before all runs are sorted and all merges enqueued.
[[nodiscard]] bool overlapped_sort(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                                   const run_steps& steps);

/// Bytes of device memory that it takes.
[[nodiscard]] std::size_t overlapped_sort_bytes(const std::vector<column>& columns, std::size_t n,
                                                const run_steps& steps);

}  // namespace gpu::inline v1::detail::device
