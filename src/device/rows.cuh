// What units do with rows of any kind: compiled once, in rows.cu.
#pragma once

#include <gpu/detail/device/convert.cuh>
#include <gpu/detail/device/rows/packed_columns.cuh>
#include <gpu/detail/device/rows/part_codes.cuh>

namespace gpu::inline v1::detail::device {

extern template key_format take_keys(const context&, const keyed_elements&, const column*, std::uint8_t*, std::size_t,
                                     index_writer);
extern template key_format take_keys(const context&, const keyed_elements&, const column*, std::uint16_t*, std::size_t,
                                     index_writer);
extern template key_format take_keys(const context&, const keyed_elements&, const column*, std::uint32_t*, std::size_t,
                                     index_writer);
extern template key_format take_keys(const context&, const keyed_elements&, const column*, std::uint64_t*, std::size_t,
                                     index_writer);
extern template key_format take_keys(const context&, const keyed_elements&, const column*, uint128*, std::size_t,
                                     index_writer);

extern template void extract_codes(const context&, const record_keys<std::uint64_t>&, void*, std::size_t, index_writer);
extern template void extract_codes(const context&, const record_keys<uint128>&, void*, std::size_t, index_writer);
extern template void fill_sequence(const context&, index_writer, std::size_t, std::size_t);
extern template void convert(const context&, const column&, std::size_t, const column&, condition);

extern template void gather_rows(const context&, const void*, void*, std::size_t, listed_order, std::size_t);

extern template void reorder_columns(const context&, const std::vector<packed_columns>&, listed_order, std::byte*,
                                     std::size_t);

}  // namespace gpu::inline v1::detail::device
