// Orders rows by codes, where their keys are numbers, or arrays of numbers, of at most twelve bytes: codes joined with
// indices are sorted, and rows move once, to where their codes are. Sorts of these integers move 8 or 16 bytes per row
// and round, however wide rows are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../code_sort.hpp"
#include "../launching/scratch.cuh"
#include "../tuning/callers_orders.hpp"
#include "../tuning/rows.hpp"
#include "coded_rows.cuh"
#include "packed_columns.cuh"
#include "permute.cuh"

namespace gpu::inline v1::detail::device {

/// The codes of elements in an order that has them.
template <class Less>
using codes_for = coded_bits<order_coder<Less>::bytes>;

/// Whether it pays to sort n elements by codes that determine their whole order.
template <bool Stable, class T>
[[nodiscard]] bool worth_coding(std::size_t n) {
  return n >= enough_to_code(sizeof(T), Stable) && n < most_coded_rows;
}

/// Device memory of codes; `block`, of at least least_block bytes, is free again once they have been sorted.
template <class Less>
struct coded_row_memory {
  using bits = codes_for<Less>;
  bits* codes;
  std::byte* block;

  coded_row_memory(carver& carve, std::size_t n, std::size_t least_block)
      : codes{carve.take<bits>(n)},
        block{carve.take<std::byte>(std::max(least_block, device::code_sort_bytes(n, sizeof(bits))))} {}
};

template <class Bits, class Index>
__global__ void __launch_bounds__(code_threads) take_indices_kernel(const Bits* codes, Index* order, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * code_threads + threadIdx.x;
  if (i < n) order[i] = device::index_of(codes[i]);
}

/// Makes the codes of elements[0, n) and sorts them.
template <class T, class Less>
void sort_codes_of(const context& context, const coded_row_memory<Less>& memory, const T* elements, std::size_t n,
                   const Less& less) {
  constexpr key_format format{key_class::unsigned_integer, sizeof(codes_for<Less>), 0, false};
  device::launch(context, {divide_up(n, code_threads), code_threads},
                 make_codes_kernel<codes_for<Less>, T, order_coder<Less>>, elements, memory.codes, n,
                 order_coder<Less>{less});
  device::sort_codes_unless(context, nullptr, memory.codes, n, format, memory.block);
}

/// order[0, n) becomes the indices of elements[0, n) in the order of `less`, stably. Enqueues on the context's stream,
/// without waiting; launches depend on n alone. Throws no_device_memory before anything is written, gpu::error if a
/// launch is refused.
template <class T, class Less, class Index>
void order_by_codes(const context& context, const T* elements, Index* order, std::size_t n, const Less& less) {
  const scratch<coded_row_memory<Less>> memory{context, n, 0};
  device::sort_codes_of(context, *memory, elements, n, less);
  device::launch(context, {divide_up(n, code_threads), code_threads}, take_indices_kernel<codes_for<Less>, Index>,
                 memory->codes, order, n);
}

/// Bytes of scratch that sort_rows_by_codes takes: for codes, and for the rows once more.
template <class Less>
[[nodiscard]] std::size_t coded_row_bytes(const std::vector<column>& all, std::size_t n) {
  return device::scratch_bytes<coded_row_memory<Less>>(n, n * most_packed_bytes(all));
}

/// Sorts n rows of elements T and the columns behind them, stably; otherwise as order_by_codes.
template <class T, class Less>
void sort_rows_by_codes(const context& context, const std::vector<column>& all, std::size_t n, const Less& less) {
  const scratch<coded_row_memory<Less>> memory{context, n, n * most_packed_bytes(all)};
  const std::vector<packed_columns> groups = device::pack_columns(all);
  device::sort_codes_of(context, *memory, static_cast<const T*>(all[0].data), n, less);
  device::reorder_columns(context, groups, coded_indices<codes_for<Less>>{memory->codes}, memory->block, n);
}

}  // namespace gpu::inline v1::detail::device
