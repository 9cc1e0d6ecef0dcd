// Merges of keyed elements: directly, or by (key, index) pairs, whose order all rows follow at the end.
#include "merges.hpp"

#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/rows/row_columns.hpp>
#include <gpu/detail/device/rows/rows.cuh>

#include "keys/keys.hpp"
#include "rows.cuh"

namespace gpu::inline v1::detail {
namespace device {
namespace {

/// Device memory of a merge of keyed rows: their indices and order, and their keys before and after.
template <class Bits, class Index>
struct keyed_index_memory : index_memory<Index> {
  keyed_index_memory(carver& carve, std::size_t n, std::size_t most_row_bytes)
      : index_memory<Index>{carve, n, most_row_bytes}, keys{carve.take<Bits>(n)}, merged{carve.take<Bits>(n)} {}
  Bits* keys;
  Bits* merged;
};

/// Merges rows of any size in any number of columns by a key in the elements of the first column.
template <class Bits, class Index>
void merge_keyed_rows(const context& context, const sorted_pieces& rows, const keyed_elements& output) {
  const std::size_t n = rows.total();
  const scratch<keyed_index_memory<Bits, Index>> memory{context, n, most_row_bytes(rows.outputs)};
  concatenate(context, rows, 0, memory->rows);
  const column elements{memory->rows, output.element_bytes};
  const key_format format = take_keys(context, output, &elements, memory->keys, n, memory->indices);
  std::vector<key_sequence> inputs;
  std::size_t begin = 0;
  for (const std::size_t count : rows.counts) {
    inputs.push_back({memory->keys + begin, memory->indices + begin, count});
    begin += count;
  }
  key_kernels<Bits>::merge(context, inputs, memory->merged, {memory->order, sizeof(Index)}, format);
  for (std::size_t c = 0; c < rows.outputs.size(); ++c) {
    if (c > 0) concatenate(context, rows, c, memory->rows);
    gather_rows(context, memory->rows, rows.outputs[c].data, rows.outputs[c].element_bytes, memory->order, n);
  }
}

/// Whether kernels can read the inputs as words.
bool are_aligned(const sorted_pieces& pieces) {
  const std::size_t columns = pieces.outputs.size();
  for (std::size_t i = 0; i < pieces.inputs.size(); ++i)
    if (!is_aligned({const_cast<void*>(pieces.inputs[i]), pieces.outputs[i % columns].element_bytes})) return false;
  return true;
}

}  // namespace

bool merges_directly(const keyed_elements& output, const std::vector<column>& columns) {
  if (!output.plain() || output.key.is_of_parts() || columns.size() > 2) return false;
  return columns.size() == 1 || (moves_along(columns[1].element_bytes) && is_aligned(columns[1]));
}

void merge_reached(const context& context, const sorted_pieces& pieces, const keyed_elements& output) {
  const std::size_t columns = pieces.outputs.size();
  with_bits(output.key.bytes, [&]<class Bits>(Bits) {
    if (merges_directly(output, pieces.outputs) && are_aligned(pieces)) {
      std::vector<key_sequence> inputs;
      inputs.reserve(pieces.counts.size());
      for (std::size_t i = 0; i < pieces.counts.size(); ++i)
        inputs.push_back(
            {pieces.inputs[i * columns], columns > 1 ? pieces.inputs[i * columns + 1] : nullptr, pieces.counts[i]});
      return key_kernels<Bits>::merge(context, inputs, static_cast<Bits*>(pieces.outputs[0].data),
                                      columns > 1 ? pieces.outputs[1] : column{}, output.key);
    }
    with_index(pieces.total(), [&]<class Index>(Index) { merge_keyed_rows<Bits, Index>(context, pieces, output); });
  });
}

std::size_t merge_bytes(const keyed_elements& output, const std::vector<column>& columns, std::size_t n,
                        std::size_t inputs) {
  return with_bits(output.key.bytes, [&]<class Bits>(Bits) {
    if (merges_directly(output, columns))
      return key_kernels<Bits>::merge_scratch_bytes(n, inputs, columns.size() > 1 ? columns[1].element_bytes : 0);
    return with_index(n, [&]<class Index>(Index) {
      return scratch_bytes<keyed_index_memory<Bits, Index>>(n, most_row_bytes(columns)) +
             key_kernels<Bits>::merge_scratch_bytes(n, inputs, sizeof(Index));
    });
  });
}

}  // namespace device

void device_merge(const merge_request& request, const execution_options& options) {
  const keyed_elements& output = request.output;
  device::call here{options, request.rows.ruling()};
  const auto pieces = device::reach_merge(here, request.rows, {output.data, output.element_bytes});
  device::merge_reached(here.work(), pieces, output);
  here.finish();
}

std::size_t device_merge_scratch_bytes(const merge_request& request) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < request.rows.input_count; ++i) n += request.rows.inputs[i].count;
  const column output{request.output.data, request.output.element_bytes};
  return device::merge_bytes(request.output,
                             device::row_columns(output, request.rows.output_values, request.rows.value_columns), n,
                             request.rows.input_count);
}

}  // namespace gpu::inline v1::detail
