// The boundary to the precompiled library for gathering rows by indices.
#pragma once

#include <cstddef>

#include "../../error.hpp"
#include "array_view.hpp"
#include "request.hpp"

namespace gpu::inline v1::detail {

/// Indices of 4 or 8 bytes, and their number.
struct row_indices {
  column integers;
  std::size_t count = 0;
};

/// Row i of each of `targets` becomes row indices[i] of its source, which has source_count rows of the same size. Each
/// pointer may be to host or device memory, independently of the others. An index outside the source is treated as that
/// of the last row; if the call waits for the device, it throws gpu::error for such an index before anything is
/// written.
GPUPAR_EXPORT void device_gather(const row_indices& indices, array_view<column> sources, std::size_t source_count,
                                 array_view<column> targets, const execution_options& options);

/// Row i of each column becomes its old row indices[i]; columns have as many rows as there are indices. Throws as
/// device_gather does, and also if an index occurs twice.
GPUPAR_EXPORT void device_permute(const row_indices& indices, array_view<column> columns,
                                  const execution_options& options);

/// Throws the error for an index that is outside the elements or occurs twice.
[[noreturn]] inline void refuse_index() {
  refuse(errc::invalid_range,
         "an index is no place in the elements: indices are from 0 on, and less than the number of elements");
}
[[noreturn]] inline void refuse_repeated_index() {
  refuse(errc::invalid_range,
         "an index comes twice: permute takes every place once. To read elements more often, use gather");
}

}  // namespace gpu::inline v1::detail
