// Merges of keyed elements that are on the device: of whole requests, and of the pieces of a sort in runs.
#pragma once

#include <gpu/detail/device/launching/context.hpp>
#include <gpu/detail/device/rows/pieces.hpp>

#include <cstddef>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Plain keys, alone or with one column of 4- or 8-byte values, are merged where they are.
[[nodiscard]] bool merges_directly(const keyed_elements& output, const std::vector<column>& columns);

/// Merges pieces whose pointers are the device's, and whose elements are like `output`.
void merge_reached(const context& context, const sorted_pieces& pieces, const keyed_elements& output);

/// Bytes of scratch for n rows of such columns.
[[nodiscard]] std::size_t merge_bytes(const keyed_elements& output, const std::vector<column>& columns, std::size_t n,
                                      std::size_t inputs);

}  // namespace gpu::inline v1::detail::device
