// Rows of any size, in any number of columns, that follow an order of their indices: how large elements and many value
// columns are sorted and merged.
#pragma once

#include <algorithm>
#include <new>
#include <vector>

#include "../../boundary/request.hpp"
#include "../../index.hpp"
#include "../bitonic_sort.cuh"
#include "../launching/call.hpp"
#include "../launching/scratch.cuh"
#include "../merging/multiway_merge.cuh"
#include "packed_columns.cuh"
#include "permute.cuh"
#include "pieces.hpp"

namespace gpu::inline v1::detail::device {

/// Memory for an order of n rows, and for the rows that are gathered by it; before that, the latter serves as scratch
/// for making the order.
template <class Index>
struct row_order {
  row_order(carver& carve, std::size_t n, std::size_t most_row_bytes, std::size_t making_bytes = 0)
      : order{carve.take<Index>(n)}, rows{carve.take<std::byte>(std::max(n * most_row_bytes, making_bytes))} {}
  Index* order;
  std::byte* rows;
};

/// Puts n rows into an order: row i becomes the old row order[i]. `spare`: memory for n rows.
template <class Index>
void reorder(const context& context, const column& rows, const Index* order, std::byte* spare, std::size_t n) {
  copy_bytes(context.stream, spare, rows.data, n * rows.element_bytes, cudaMemcpyDeviceToDevice);
  device::gather_rows(context, spare, rows.data, rows.element_bytes, order, n);
}

/// Exchanges rows of any number of columns: the swap of the network that sorts without scratch.
struct swap_rows {
  static constexpr std::size_t most_columns = 16;
  column columns[most_columns];
  std::size_t count;

  __device__ void operator()(std::size_t i, std::size_t j) const {
    for (std::size_t c = 0; c < count; ++c) {
      auto* const a = static_cast<std::byte*>(columns[c].data) + i * columns[c].element_bytes;
      auto* const b = static_cast<std::byte*>(columns[c].data) + j * columns[c].element_bytes;
      for (std::size_t byte = 0; byte < columns[c].element_bytes; ++byte) {
        const std::byte kept = a[byte];
        a[byte] = b[byte];
        b[byte] = kept;
      }
    }
  }
};

/// Sorts n rows of all columns in place by compare(i, j), without scratch and not stably.
template <class Compare>
void sort_rows_in_place(const context& context, const column* columns, std::size_t count, std::size_t n,
                        Compare compare) {
  swap_rows swap{{}, count};
  if (count > swap_rows::most_columns) throw std::bad_alloc{};
  std::copy_n(columns, count, swap.columns);
  device::bitonic_sort_indexed(context, n, compare, swap);
}

/// The inputs and outputs of a merge into `output` and the columns of values, as pointers that kernels can use.
inline sorted_pieces reach_merge(call& here, const merge_data& rows, const column& output) {
  const std::size_t k = rows.input_count, columns = rows.value_columns + 1;
  sorted_pieces reached;
  reached.inputs.reserve(k * columns);
  reached.counts.reserve(k);
  reached.outputs.reserve(columns);
  reached.outputs.push_back(output);
  reached.outputs.insert(reached.outputs.end(), rows.output_values, rows.output_values + rows.value_columns);
  const location* at = rows.at;
  for (std::size_t i = 0; i < k; ++i) {
    reached.counts.push_back(rows.inputs[i].count);
    for (std::size_t c = 0; c < columns; ++c) {
      const void* const data = c == 0 ? rows.inputs[i].data : rows.input_values[i * rows.value_columns + c - 1];
      const std::size_t bytes = rows.inputs[i].count * reached.outputs[c].element_bytes;
      reached.inputs.push_back(here.reach(*at++, data, bytes, access::read));
    }
  }
  for (column& each : reached.outputs)
    each.data = here.reach(*at++, each.data, reached.total() * each.element_bytes, access::write);
  return reached;
}

/// Memory of a merge by indices: the indices of all rows in the concatenation of the inputs, their merged order, and
/// one column of that concatenation.
template <class Index>
struct index_memory {
  index_memory(carver& carve, std::size_t n, std::size_t most_row_bytes)
      : indices{carve.take<Index>(n)}, order{carve.take<Index>(n)}, rows{carve.take<std::byte>(n * most_row_bytes)} {}
  Index* indices;
  Index* order;
  std::byte* rows;
};

inline std::size_t most_row_bytes(const std::vector<column>& all) {
  std::size_t most = 0;
  for (const column& each : all) most = std::max(most, each.element_bytes);
  return most;
}

/// Copies column c of all inputs to `rows`, one after the other.
inline void concatenate(const context& context, const sorted_pieces& request, std::size_t c, std::byte* rows) {
  const std::size_t columns = request.outputs.size();
  const std::size_t row_bytes = request.outputs[c].element_bytes;
  for (std::size_t i = 0; i < request.counts.size(); ++i) {
    const std::size_t bytes = request.counts[i] * row_bytes;
    if (bytes == 0) continue;
    copy_bytes(context.stream, rows, request.inputs[i * columns + c], bytes, cudaMemcpyDeviceToDevice);
    rows += bytes;
  }
}

/// Merges rows of all columns by compare = make_compare(concatenated elements), an order of indices.
template <class Index, class MakeCompare>
void merge_rows(const context& context, const sorted_pieces& request, const MakeCompare& make_compare) {
  const std::size_t n = request.total();
  const scratch<index_memory<Index>> memory{context, n, most_row_bytes(request.outputs)};
  device::concatenate(context, request, 0, memory->rows);
  device::fill_sequence(context, memory->indices, n);
  std::vector<sequence<Index, no_value>> sequences;
  const Index* next = memory->indices;
  for (const std::size_t count : request.counts) {
    sequences.push_back({{next, nullptr}, count});
    next += count;
  }
  device::multiway_merge(context, sequences.data(), sequences.size(), columns<Index, no_value>{memory->order, nullptr},
                         make_compare(static_cast<const void*>(memory->rows)), identity_codec{});
  for (std::size_t c = 0; c < request.outputs.size(); ++c) {
    if (c > 0) device::concatenate(context, request, c, memory->rows);
    device::gather_rows(context, memory->rows, request.outputs[c].data, request.outputs[c].element_bytes, memory->order,
                        n);
  }
}

}  // namespace gpu::inline v1::detail::device
