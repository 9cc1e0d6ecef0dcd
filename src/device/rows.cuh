// Operations on rows of any kind that several units need: compiled once, in rows.cu.
#pragma once

#include <gpu/detail/device/convert.cuh>
#include <gpu/detail/device/rows/packed_columns.cuh>
#include <gpu/detail/device/rows/part_codes.cuh>

#define GPUPAR_TAKE_KEYS(Extern, Bits)                                                                           \
  Extern template key_format take_keys(const context&, const keyed_elements&, const column*, Bits*, std::size_t, \
                                       index_writer);

#define GPUPAR_ROWS(Extern)                                                                                          \
  GPUPAR_TAKE_KEYS(Extern, std::uint8_t)                                                                             \
  GPUPAR_TAKE_KEYS(Extern, std::uint16_t)                                                                            \
  GPUPAR_TAKE_KEYS(Extern, std::uint32_t)                                                                            \
  GPUPAR_TAKE_KEYS(Extern, std::uint64_t)                                                                            \
  GPUPAR_TAKE_KEYS(Extern, uint128)                                                                                  \
  Extern template void extract_codes(const context&, const record_keys<std::uint64_t>&, void*, std::size_t,          \
                                     index_writer);                                                                  \
  Extern template void extract_codes(const context&, const record_keys<uint128>&, void*, std::size_t, index_writer); \
  Extern template void fill_sequence(const context&, index_writer, std::size_t, std::size_t);                        \
  Extern template void convert(const context&, const column&, std::size_t, const column&);                           \
  Extern template void gather_rows(const context&, const void*, void*, std::size_t, listed_order, std::size_t);      \
  Extern template void reorder_columns(const context&, const std::vector<packed_columns>&, listed_order, std::byte*, \
                                       std::size_t);

namespace gpu::inline v1::detail::device {
GPUPAR_ROWS(extern)
}  // namespace gpu::inline v1::detail::device
