// The boundary to the precompiled library for rows that follow indices.
#pragma once

#include <cstddef>

#include "../../error.hpp"
#include "array_view.hpp"
#include "request.hpp"

namespace gpu::inline v1::detail {

/// Indices of 4 or 8 bytes, and how many.
struct row_indices {
  column integers;
  std::size_t count = 0;
};

/// Row i of each of `targets` becomes row indices[i] of its source, which has source_count rows of the same size.
/// Pointers may be host or device memory, each on its own. An index that is no row's stands for
/// the last. Throws gpu::error if there is one, before anything is written, where the call waits for the device.
GPUPAR_EXPORT void device_gather(const row_indices& indices, array_view<column> sources, std::size_t source_count,
                                 array_view<column> targets, const execution_options& options);

/// Row i of each column becomes its old row indices[i]; of as many rows as indices. Throws as device_gather, also if an
/// index comes twice.
GPUPAR_EXPORT void device_permute(const row_indices& indices, array_view<column> columns,
                                  const execution_options& options);

/// Says that an index is not one of a row, or that one comes twice.
[[noreturn]] inline void refuse_index() {
  refuse(errc::invalid_range,
         "an index is no place in the elements: indices are from 0 on, and less than the number of elements");
}
[[noreturn]] inline void refuse_repeated_index() {
  refuse(errc::invalid_range,
         "an index comes twice: permute takes every place once. To read elements more often, use gather");
}

}  // namespace gpu::inline v1::detail
