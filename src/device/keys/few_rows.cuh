// Sorts of few rows whose columns are told at run time: compiled once, in few_rows.cu, as units for keys and values of
// several widths sort codes of one.
#pragma once

#include <gpu/detail/device/resident_quicksort.cuh>
#include <gpu/detail/device/tile_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace gpu::inline v1::detail::device {

extern template bool sort_tile(const context&, columns<std::uint64_t, erased>, std::size_t, identity_codec);
extern template bool sort_tile(const context&, columns<uint128, erased>, std::size_t, identity_codec);
extern template bool resident_quicksort(const context&, columns<std::uint64_t, erased>, std::size_t, code_less,
                                        identity_codec, const front_keys<std::uint64_t>&);
extern template bool resident_quicksort(const context&, columns<uint128, erased>, std::size_t, code_less,
                                        identity_codec, const front_keys<uint128>&);

}  // namespace gpu::inline v1::detail::device
