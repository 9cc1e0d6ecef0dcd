#include "few_rows.cuh"

namespace gpu::inline v1::detail::device {

template bool sort_tile(const context&, columns<std::uint64_t, erased>, std::size_t, identity_codec);
template bool sort_tile(const context&, columns<uint128, erased>, std::size_t, identity_codec);
template bool resident_quicksort(const context&, columns<std::uint64_t, erased>, std::size_t, code_less, identity_codec,
                                 const front_keys<std::uint64_t>&);
template bool resident_quicksort(const context&, columns<uint128, erased>, std::size_t, code_less, identity_codec,
                                 const front_keys<uint128>&);

}  // namespace gpu::inline v1::detail::device
