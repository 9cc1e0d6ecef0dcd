// Rows in any columns are sorted by keys and indices, whose order they follow at the end; in place if there is no
// memory for that.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/rows/record_keys.cuh>
#include <gpu/detail/device/rows/rows.cuh>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "direct_sort.cuh"
#include "keys/keys.hpp"
#include "rows.cuh"

namespace gpu::inline v1::detail::device {

/// Whether keys are sorted as ranks, which are the same for equivalent keys, so that their indices decide: quicksort is
/// then stable.
inline bool sorts_ranks(const key_format& key, bool stable, algorithm how) {
  return stable && how == algorithm::quicksort && key.kind == key_class::floating_point;
}

/// Extracts the keys from n rows, as ranks if these are to be sorted, and numbers them. Returns their new format.
template <class Bits>
key_format take_keys_or_ranks(const context& context, const column* columns, const keyed_elements& from, std::size_t n,
                              bool ranks, Bits* keys, index_writer indices) {
  if (!ranks) return take_keys(context, from, columns, keys, n, indices);
  extract_keys(context, columns[0].data, from.element_bytes, from.key_offset, keys, n, indices,
               make_shared_codes<Bits>(from.key));
  return {key_class::unsigned_integer, sizeof(Bits), 0, false};
}

/// Device memory for sorting rows by their indices: the indices; the keys, unless they can be sorted in place; and a
/// block that first serves the sort, then the rows being moved.
template <class Bits, class Index>
struct row_sort {
  bool ranks;  ///< sorted instead of keys
  bool in_place;
  Index* order;
  Bits* keys;
  std::size_t block_bytes;
  std::byte* block;

  row_sort(carver& carve, const sort_request& request, std::size_t row_bytes)
      : ranks{sorts_ranks(request.elements.key, request.stable, request.how)},
        in_place{request.elements.plain() && !ranks && takes_keys_as_they_are(request)},
        order{carve.take<Index>(request.count)},
        keys{in_place ? static_cast<Bits*>(request.elements.data) : carve.take<Bits>(request.count)},
        block_bytes{std::max(key_kernels<Bits>::sort_scratch_bytes(request.count, sizeof(Index), request.elements.key,
                                                                   request.stable, request.how),
                             request.count * row_bytes)},
        block{carve.take<std::byte>(block_bytes)} {}
};

/// compare(i, j) of rows by their keys, at any offset in the row.
struct compare_records {
  record_keys<uint128> keys;
  __device__ bool operator()(std::size_t i, std::size_t j) const { return keys[i] < keys[j]; }
};

/// Sorts rows of any size in any number of columns; pointers are the device's.
template <class Bits, class Index>
void sort_rows(const context& context, const sort_request& request) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  const std::vector<column> all = all_columns(request);
  try {
    const scratch<row_sort<Bits, Index>> memory{context, request, most_packed_bytes(all)};
    const auto unsorted = all.begin() + (memory->in_place ? 1 : 0);
    const std::vector<packed_columns> followers = pack_columns({unsorted, all.end()});  // allocated before keys move
    key_format format = elements.key;
    if (memory->in_place)
      fill_sequence(context, memory->order, n);
    else
      format = take_keys_or_ranks(context, all.data(), elements, n, memory->ranks, memory->keys, memory->order);
    lent_memory lent{memory->block, memory->block_bytes};
    key_kernels<Bits>::sort(lent.instead_of(context), memory->keys, {memory->order, sizeof(Index)}, n, format,
                            request.stable, request.how);
    reorder_columns(context, followers, memory->order, memory->block, n);
  } catch (const no_device_memory&) {  // thrown before any row has moved
    if (request.stable) throw;
    if (elements.parts.count > 0)
      return sort_rows_in_place(context, all.data(), all.size(), n,
                                compare_part_rows{{elements.parts, all.data(), sizeof(uint128)}});
    sort_rows_in_place(context, all.data(), all.size(), n,
                       compare_records{{elements.data, elements.element_bytes, elements.key_offset,
                                        make_codec<Bits>(elements.key)}});
  }
}

}  // namespace gpu::inline v1::detail::device
