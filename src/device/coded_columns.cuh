// Key columns that are sorted as codes and restored from them, with one value column or none: nothing is fetched by its
// index.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/scratch.cuh>
#include <gpu/detail/device/rows/row_columns.hpp>

#include <cstddef>
#include <vector>

#include "keys/keys.hpp"
#include "rows.cuh"

namespace gpu::inline v1::detail::device {

/// Key columns that are sorted as codes and restored from them, with the one value column behind them, or none.
struct coded_columns {
  bool apply = false;
  column values;

  explicit coded_columns(const sort_request& request) {
    const key_parts& parts = request.elements.parts;
    if (parts.count == 0 || request.elements.element_bytes != parts.begin()->bytes) return;
    const std::size_t others = parts.columns() - 1;
    if (request.value_columns > others + 1) return;
    if (request.value_columns > others) values = request.values[others];
    const std::vector<column> all = all_columns(request);
    apply = moves_along(values.element_bytes) && (values.element_bytes == 0 || is_aligned(values)) &&
            codes_hold_columns(parts, all.data());
  }
};

template <class Bits>
struct coded_column_memory {
  std::size_t block_bytes;
  Bits* codes;
  std::byte* block;

  coded_column_memory(carver& carve, const sort_request& request, const column& values)
      : block_bytes{key_kernels<Bits>::sort_scratch_bytes(request.count, values.element_bytes, request.elements.key,
                                                          request.stable, request.how)},
        codes{carve.take<Bits>(request.count)},
        block{carve.take<std::byte>(block_bytes)} {}
};

template <class Bits>
void sort_coded_columns(const context& context, const sort_request& request, const column& values) {
  const keyed_elements& elements = request.elements;
  const std::vector<column> all = all_columns(request);
  const scratch<coded_column_memory<Bits>> memory{context, request, values};
  take_keys(context, elements, all.data(), memory->codes, request.count);
  lent_memory lent{memory->block, memory->block_bytes};
  key_kernels<Bits>::sort(lent.instead_of(context), memory->codes, values, request.count, elements.key, request.stable,
                          request.how);
  launch_early(context, {divide_up(request.count, part_tile), permute_threads}, write_parts_kernel<widest_code<Bits>>,
               part_writers{elements.parts, all.data(), sizeof(Bits)}, memory->codes,
               static_cast<unsigned>(sizeof(Bits)), request.count);
}

/// Whether kernels sort codes with their values in the requested order.
template <class Bits>
bool sorts_codes(const sort_request& request, const column& values) {
  return !request.stable || values.element_bytes == 0 || request.how != algorithm::quicksort ||
         key_kernels<Bits>::sorts_pairs(nullptr, values, request.count, request.elements.key, true);
}

}  // namespace gpu::inline v1::detail::device
