// Kernels that examine samples of codes: compiled once, in samples.cu, since units for keys and values of several
// widths sort codes of the same width.
#pragma once

#include <gpu/detail/device/distribution/bucket_counts.cuh>
#include <gpu/detail/device/radix/choice.cuh>

#define GPUPAR_SPLITTERS(Extern, Bits, Less)                                                            \
  Extern template void launch_splitters<Bits>(const context&, const worklist_of<Bits, Less>&, unsigned, \
                                              const erased_codes<Bits>&, unsigned long long*, Less);
#define GPUPAR_ANALYSES(Extern, Bits)                                                                      \
  Extern template void analyze_digits(const context&, const Bits*, std::size_t, const digit_limits&,       \
                                      const leading_digits_prices&, const radix_choice&, Bits*, unsigned*, \
                                      std::size_t, const key_codec<Bits>&);

#define GPUPAR_SAMPLES(Extern)                                               \
  GPUPAR_SPLITTERS(Extern, std::uint32_t, code_less)                         \
  GPUPAR_SPLITTERS(Extern, std::uint32_t, floating_code_less<std::uint32_t>) \
  GPUPAR_SPLITTERS(Extern, std::uint64_t, code_less)                         \
  GPUPAR_SPLITTERS(Extern, std::uint64_t, floating_code_less<std::uint64_t>) \
  GPUPAR_SPLITTERS(Extern, uint128, code_less)                               \
  GPUPAR_ANALYSES(Extern, std::uint32_t)                                     \
  GPUPAR_ANALYSES(Extern, std::uint64_t)

namespace gpu::inline v1::detail::device {
GPUPAR_SAMPLES(extern)
}  // namespace gpu::inline v1::detail::device
