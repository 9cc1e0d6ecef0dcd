// Sorts of few rows whose columns are known at run time only: compiled once, in few_rows.cu, since units for keys and
// values of several widths sort codes of the same width.
#pragma once

#include <gpu/detail/device/resident_quicksort.cuh>
#include <gpu/detail/device/tile_sort.cuh>

#include <cstddef>
#include <cstdint>

#define GPUPAR_SORT_ROWS(Extern, Bits)                                                                   \
  Extern template bool sort_tile(const context&, columns<Bits, erased>, std::size_t, identity_codec);    \
  Extern template bool resident_quicksort(const context&, columns<Bits, erased>, std::size_t, code_less, \
                                          identity_codec, const front_keys<Bits>&);

#define GPUPAR_FEW_ROWS(Extern)           \
  GPUPAR_SORT_ROWS(Extern, std::uint64_t) \
  GPUPAR_SORT_ROWS(Extern, uint128)

namespace gpu::inline v1::detail::device {
GPUPAR_FEW_ROWS(extern)
}  // namespace gpu::inline v1::detail::device
