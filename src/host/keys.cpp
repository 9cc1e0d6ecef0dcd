// Sorting by the natural order of arithmetic keys on the host: dispatches a request to the sort for its key width.
#include "keys.hpp"

#include <gpu/detail/host/request.hpp>

#include <algorithm>

#include "columns.hpp"

namespace gpu::inline v1::detail::host {
namespace {

/// Sorts elements and value columns by the elements' keys, as rows or through their indices.
template <class Bits>
void sort_elements(const sort_request& request) {
  const std::size_t n = request.count;
  if constexpr (sizeof(Bits) <= 8)
    if (const valued_keys rows = as_valued_keys(request); !request.stable && rows.keys != nullptr)
      return sort_valued_keys<Bits>(rows, n, request);
  std::size_t widest = request.elements.element_bytes;
  for (std::size_t c = 0; c < request.value_columns; ++c) widest = std::max(widest, request.values[c].element_bytes);
  few_or_buffer<std::byte, 2048> scratch(n * widest);
  with_order<Bits>(request.elements, n, request.how, [&](const auto& index_of) {
    permute_column({request.elements.data, request.elements.element_bytes}, scratch.data(), n, index_of);
    for (std::size_t c = 0; c < request.value_columns; ++c)
      permute_column(request.values[c], scratch.data(), n, index_of);
  });
}

}  // namespace

void sort_by_keys(const sort_request& request) {
  if (request.count < 2) return;
  const keyed_elements& elements = request.elements;
  with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    if (elements.plain() && request.value_columns == 0)
      sort_keys(static_cast<Bits*>(elements.data), request.count, request);
    else
      sort_elements<Bits>(request);
  });
}

void argsort_by_keys(const argsort_request& request) {
  if (request.count == 0) return;
  with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    with_order<Bits>(request.elements, request.count, request.how,
                     [&](const auto& index_of) { write_indices(request.indices, request.count, index_of); });
  });
}

}  // namespace gpu::inline v1::detail::host
