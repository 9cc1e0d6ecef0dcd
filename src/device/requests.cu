// The precompiled entries: requests of the headers, carried out by the kernels for their key's width. Plain keys, alone
// or with one column of 4- or 8-byte values, are sorted where they are; everything else by way of (key, place) and an
// order that all rows follow at the end.
#include <gpu/detail/device/call.hpp>
#include <gpu/detail/device/rows.cuh>
#include <gpu/detail/device/sorted.cuh>
#include <gpu/detail/request.hpp>

#include "key_index.cuh"
#include "keys.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {
namespace {

using namespace device;

bool sorts_directly(const sort_request& request) {
  if (!request.elements.plain() || request.value_columns > 1) return false;
  return request.value_columns == 0 || moves_along(request.values[0].element_bytes);
}

bool merges_directly(const merge_request& request) {
  if (!request.output.plain() || request.value_columns > 1) return false;
  return request.value_columns == 0 || moves_along(request.output_values[0].element_bytes);
}

std::vector<column> all_columns(const sort_request& request) {
  std::vector<column> all{{request.elements.data, request.elements.element_bytes}};
  all.insert(all.end(), request.values, request.values + request.value_columns);
  return all;
}

/// Keys taken out of their rows, and the rows' order.
template <class Bits, class Index>
struct key_order : row_order<Index> {
  key_order(carver& carve, std::size_t n, std::size_t most_row_bytes)
      : row_order<Index>{carve, n, most_row_bytes}, keys{carve.take<Bits>(n)} {}
  Bits* keys;
};

/// compare(i, j) of rows by their keys, wherever in them these are.
template <class Bits>
struct compare_rows {
  const std::byte* first_key;
  std::size_t row_bytes;
  key_codec<Bits> codec;

  __device__ Bits code(std::size_t row) const {
    Bits key;
    std::memcpy(&key, first_key + row * row_bytes, sizeof(key));
    return codec.encode(key);
  }
  __device__ bool operator()(std::size_t i, std::size_t j) const { return code(i) < code(j); }
};

/// Sorts rows of any size in any number of columns; pointers are the device's.
template <class Bits, class Index>
void sort_rows(const context& context, const sort_request& request, const std::vector<column>& all) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  const void* const rows = all[0].data;
  try {
    const scratch<key_order<Bits, Index>> memory{context, n, most_row_bytes(all)};
    extract_keys(context, rows, elements.element_bytes, elements.key_offset, memory->keys, n);
    fill_sequence(context, memory->order, n);
    key_kernels<Bits>::sort(context, memory->keys, {memory->order, sizeof(Index)}, n, elements.key, request.stable,
                            request.how);
    for (const column& each : all) reorder(context, each.data, each.element_bytes, *memory, n);
  } catch (const no_scratch&) {  // thrown before any row has moved
    if (request.stable) throw;
    sort_rows_in_place(context, all.data(), all.size(), n,
                       compare_rows<Bits>{static_cast<const std::byte*>(rows) + elements.key_offset,
                                          elements.element_bytes, make_codec<Bits>(elements.key)});
  }
}

/// What a merge of keyed rows needs: places and order of the rows, and their keys before and after.
template <class Bits, class Index>
struct keyed_place_memory : place_memory<Index> {
  keyed_place_memory(carver& carve, std::size_t n, std::size_t most_row_bytes)
      : place_memory<Index>{carve, n, most_row_bytes}, keys{carve.take<Bits>(n)}, merged{carve.take<Bits>(n)} {}
  Bits* keys;
  Bits* merged;
};

/// Merges rows of any size in any number of columns by a key in those of the first.
template <class Bits, class Index>
void merge_keyed_rows(const context& context, const merge_rows_request& rows, const keyed_elements& output) {
  const std::size_t n = rows.total();
  const scratch<keyed_place_memory<Bits, Index>> memory{context, n, most_row_bytes(rows.outputs)};
  concatenate(rows, 0, memory->rows);
  extract_keys(context, memory->rows, output.element_bytes, output.key_offset, memory->keys, n);
  fill_sequence(context, memory->places, n);
  std::vector<key_sequence> inputs;
  std::size_t begin = 0;
  for (const std::size_t count : rows.counts) {
    inputs.push_back({memory->keys + begin, memory->places + begin, count});
    begin += count;
  }
  key_kernels<Bits>::merge(context, inputs, memory->merged, {memory->order, sizeof(Index)}, output.key);
  for (std::size_t c = 0; c < rows.outputs.size(); ++c) {
    if (c > 0) concatenate(rows, c, memory->rows);
    gather_rows(context, memory->rows, rows.outputs[c].data, rows.outputs[c].element_bytes, memory->order, n);
  }
}

location ruling_location(const sort_request& request) {
  location at = locate(request.elements.data);
  for (std::size_t c = 0; c < request.value_columns; ++c)
    if (const location other = locate(request.values[c].data); other.kind == memory_kind::device) at = other;
  return at;
}

}  // namespace

void device_sort(const sort_request& request, const execution_options& options) {
  call here{options, ruling_location(request)};
  std::vector<column> all = all_columns(request);
  for (column& each : all) each.data = here.reach(each.data, request.count * each.element_bytes, access::read_write);
  with_bits(request.elements.key, [&]<class Bits>(Bits) {
    if (sorts_directly(request))
      return key_kernels<Bits>::sort(here.work(), static_cast<Bits*>(all[0].data), all.size() > 1 ? all[1] : column{},
                                     request.count, request.elements.key, request.stable, request.how);
    with_index(request.count, [&]<class Index>(Index) { sort_rows<Bits, Index>(here.work(), request, all); });
  });
  here.finish();
}

std::size_t device_sort_scratch_bytes(const sort_request& request) {
  const std::size_t n = request.count;
  return with_bits(request.elements.key, [&]<class Bits>(Bits) {
    if (sorts_directly(request))
      return key_kernels<Bits>::sort_scratch_bytes(n, request.value_columns ? request.values[0].element_bytes : 0,
                                                   request.how);
    return with_index(n, [&]<class Index>(Index) {
      return scratch_bytes<key_order<Bits, Index>>(n, most_row_bytes(all_columns(request))) +
             key_kernels<Bits>::sort_scratch_bytes(n, sizeof(Index), request.how);
    });
  });
}

namespace {

/// Memory for one array.
template <class T>
struct array_of {
  array_of(carver& carve, std::size_t n) : data{carve.take<T>(n)} {}
  T* data;
};

/// Argsort of keys of up to 32 bits by way of (key, index) in one integer.
template <class Bits>
void argsort_pairs(const context& context, const argsort_request& request, const void* rows, const column& order) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  const scratch<array_of<std::uint64_t>> pairs{context, n};
  {
    const scratch<array_of<Bits>> keys{context, elements.plain() ? std::size_t{0} : n};
    if (!elements.plain()) extract_keys(context, rows, elements.element_bytes, elements.key_offset, keys->data, n);
    pair_with_index(context, elements.plain() ? static_cast<const Bits*>(rows) : keys->data, pairs->data, n,
                    elements.key);
  }
  const key_format of_pairs{key_class::unsigned_integer, sizeof(std::uint64_t), 0, false};
  key_kernels<std::uint64_t>::sort(context, pairs->data, {}, n, of_pairs, false, algorithm::quicksort);
  if (order.element_bytes == sizeof(std::uint32_t))
    take_indices(context, pairs->data, static_cast<std::uint32_t*>(order.data), n);
  else
    take_indices(context, pairs->data, static_cast<std::uint64_t*>(order.data), n);
}

}  // namespace

void device_argsort(const argsort_request& request, const execution_options& options) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  const location keys_at = locate(elements.data);
  call here{options, keys_at.kind == memory_kind::device ? keys_at : locate(request.indices.data)};
  const void* const rows = here.reach(elements.data, n * elements.element_bytes, access::read);
  column order{here.reach(request.indices.data, n * request.indices.element_bytes, access::write),
               request.indices.element_bytes};
  with_bits(elements.key, [&]<class Bits>(Bits) {
    if constexpr (pairs_fit(sizeof(Bits), 0))
      if (request.how == algorithm::quicksort && pairs_fit(sizeof(Bits), n))
        return argsort_pairs<Bits>(here.work(), request, rows, order);
    const scratch<key_order<Bits, std::byte>> memory{here.work(), n, std::size_t{0}};
    extract_keys(here.work(), rows, elements.element_bytes, elements.key_offset, memory->keys, n);
    if (order.element_bytes == sizeof(std::uint32_t))
      fill_sequence(here.work(), static_cast<std::uint32_t*>(order.data), n);
    else
      fill_sequence(here.work(), static_cast<std::uint64_t*>(order.data), n);
    key_kernels<Bits>::sort(here.work(), memory->keys, order, n, elements.key, request.stable, request.how);
  });
  here.finish();
}

void device_merge(const merge_request& request, const execution_options& options) {
  const keyed_elements& output = request.output;
  const auto rows = reach_merge(options, request.inputs, request.input_count, {output.data, output.element_bytes},
                                request.input_values, request.output_values, request.value_columns);
  const context& context = rows.here->work();
  with_bits(output.key, [&]<class Bits>(Bits) {
    if (merges_directly(request)) {
      const std::size_t columns = rows.outputs.size();
      std::vector<key_sequence> inputs;
      for (std::size_t i = 0; i < rows.counts.size(); ++i)
        inputs.push_back(
            {rows.inputs[i * columns], columns > 1 ? rows.inputs[i * columns + 1] : nullptr, rows.counts[i]});
      return key_kernels<Bits>::merge(context, inputs, static_cast<Bits*>(rows.outputs[0].data),
                                      columns > 1 ? rows.outputs[1] : column{}, output.key);
    }
    with_index(rows.total(), [&]<class Index>(Index) { merge_keyed_rows<Bits, Index>(context, rows, output); });
  });
  rows.here->finish();
}

std::size_t device_merge_scratch_bytes(const merge_request& request) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < request.input_count; ++i) n += request.inputs[i].count;
  return with_bits(request.output.key, [&]<class Bits>(Bits) {
    if (merges_directly(request))
      return key_kernels<Bits>::merge_scratch_bytes(n, request.input_count,
                                                    request.value_columns ? request.output_values[0].element_bytes : 0);
    std::size_t row_bytes = request.output.element_bytes;
    for (std::size_t c = 0; c < request.value_columns; ++c)
      row_bytes = std::max(row_bytes, request.output_values[c].element_bytes);
    return with_index(n, [&]<class Index>(Index) {
      return scratch_bytes<keyed_place_memory<Bits, Index>>(n, row_bytes) +
             key_kernels<Bits>::merge_scratch_bytes(n, request.input_count, sizeof(Index));
    });
  });
}

void device_inplace_merge(const keyed_elements& elements, std::size_t middle, std::size_t count,
                          const execution_options& options) {
  call here{options, locate(elements.data)};
  void* const rows = here.reach(elements.data, count * elements.element_bytes, access::read_write);
  const context& context = here.work();
  with_bits(elements.key, [&]<class Bits>(Bits) {
    if (elements.plain())
      return key_kernels<Bits>::inplace_merge(context, static_cast<Bits*>(rows), {}, middle, count, elements.key);
    with_index(count, [&]<class Index>(Index) {
      const scratch<key_order<Bits, Index>> memory{context, count, elements.element_bytes};
      extract_keys(context, rows, elements.element_bytes, elements.key_offset, memory->keys, count);
      fill_sequence(context, memory->order, count);
      key_kernels<Bits>::inplace_merge(context, memory->keys, {memory->order, sizeof(Index)}, middle, count,
                                       elements.key);
      reorder(context, rows, elements.element_bytes, *memory, count);
    });
  });
  here.finish();
}

std::size_t device_sorted_prefix(const keyed_elements& elements, std::size_t count, const execution_options& options) {
  call here{options, locate(elements.data)};
  const void* const rows = here.reach(elements.data, count * elements.element_bytes, access::read);
  const context& context = here.work();
  std::size_t length = 0;
  with_bits(elements.key, [&]<class Bits>(Bits) {
    const scratch<key_order<Bits, std::byte>> memory{context, elements.plain() ? 0 : count, std::size_t{0}};
    const scratch<single_result> result{context};
    if (!elements.plain())
      extract_keys(context, rows, elements.element_bytes, elements.key_offset, memory->keys, count);
    key_kernels<Bits>::sorted_until(context, elements.plain() ? static_cast<const Bits*>(rows) : memory->keys, count,
                                    elements.key, result->value);
    length = fetch(context, result->value);
  });
  return length;
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
