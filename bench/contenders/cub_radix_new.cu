// The radix sort of another CUB than the toolkit's: see GPUPAR_BENCH_CCCL.
#include "cub_radix.cuh"

namespace bench {
namespace {

using elements =
    decltype(joined(element_list<element<std::uint16_t>, element<std::uint32_t>, element<std::uint64_t>,
                                 element<uint128>, element<std::int32_t>, element<float>, element<double>,
                                 element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>>{},
                    unequal_pairs{}));

const registered cub_radix_new{"cub_radix_new", true,
                               [](const problem& asked) { return offer_radix<elements>(asked, false); }};

}  // namespace
}  // namespace bench
