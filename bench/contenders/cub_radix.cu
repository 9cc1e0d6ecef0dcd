// CUB's radix sort, by all bits and by those that a user would specify.
#include "cub_radix.cuh"

namespace bench {
namespace {

using elements = decltype(joined(
    element_list<element<std::uint8_t>, element<std::uint16_t>, element<std::uint32_t>, element<std::uint64_t>,
                 element<uint128>, element<std::int32_t>, element<std::int64_t>, element<float>, element<double>,
                 element<__half>, element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>>{},
    unequal_pairs{}));

const registered cub_radix{"cub_radix", true, [](const problem& asked) { return offer_radix<elements>(asked, false); }};
const registered cub_radix_told{"cub_radix_told", true,
                                [](const problem& asked) { return offer_radix<elements>(asked, true); }};

}  // namespace
}  // namespace bench
