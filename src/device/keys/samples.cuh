// What looks at samples of codes: compiled once, in samples.cu, as units for keys and values of several widths sort
// codes of one.
#pragma once

#include <gpu/detail/device/distribution/bucket_counts.cuh>
#include <gpu/detail/device/radix_choice.cuh>

namespace gpu::inline v1::detail::device {

extern template void launch_splitters<std::uint32_t>(const context&, const worklist_of<std::uint32_t, code_less>&,
                                                     unsigned, const erased_codes<std::uint32_t>&, unsigned long long*,
                                                     code_less);
extern template void launch_splitters<std::uint64_t>(const context&, const worklist_of<std::uint64_t, code_less>&,
                                                     unsigned, const erased_codes<std::uint64_t>&, unsigned long long*,
                                                     code_less);
extern template void launch_splitters<uint128>(const context&, const worklist_of<uint128, code_less>&, unsigned,
                                               const erased_codes<uint128>&, unsigned long long*, code_less);

extern template void analyze_digits(const context&, const std::uint32_t*, std::size_t, const digit_limits&,
                                    const leading_digits_prices&, const radix_choice&, unsigned*, std::size_t,
                                    const key_codec<std::uint32_t>&, bool);
extern template void analyze_digits(const context&, const std::uint64_t*, std::size_t, const digit_limits&,
                                    const leading_digits_prices&, const radix_choice&, unsigned*, std::size_t,
                                    const key_codec<std::uint64_t>&, bool);

}  // namespace gpu::inline v1::detail::device
