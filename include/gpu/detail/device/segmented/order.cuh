// Uses of an order of the indices of segments' elements: rows are reordered, the indices written, or the first of them
// selected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../boundary/request.hpp"
#include "../launching/scratch.cuh"
#include "../rows/packed_columns.cuh"
#include "selected.cuh"
#include "walk.cuh"

namespace gpu::inline v1::detail::device {

/// What an order is made for: columns of rows to reorder; if there are none, a selection; if there is none, indices to
/// write.
struct order_use {
  std::vector<column> rows;
  column indices;
  segment_selection selection = {};
};

/// An order, and a block of memory for making it and then for using it.
template <class Index>
struct segment_order {
  Index* order;
  std::byte* block;

  segment_order(carver& carve, std::size_t n, std::size_t making_bytes, const order_use& use)
      : order{carve.take<Index>(n)},
        block{carve.take<std::byte>(std::max(
            making_bytes, use.rows.empty() ? scratch_bytes<tile_list>(n) : n * most_packed_bytes(use.rows)))} {}
};

/// Puts rows in order, writes the order's indices, or the first rows of each segment.
template <class Index>
void use_order(const context& context, const segment_order<Index>& memory, std::size_t n, const segment_bounds& bounds,
               const order_use& use) {
  if (!use.rows.empty())
    return device::reorder_columns(context, device::pack_columns(use.rows), memory.order, memory.block, n);
  if (use.selection.rows.to != nullptr) return device::write_selection(context, memory.order, n, bounds, use.selection);
  carver carve{memory.block};
  device::walk_segments(context, n, bounds, tile_list{carve, n},
                        write_index{memory.order, {use.indices.data, use.indices.element_bytes}, true});
}

}  // namespace gpu::inline v1::detail::device
