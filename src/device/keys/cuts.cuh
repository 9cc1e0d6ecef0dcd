// Where the tiles of merges begin in their inputs, which depends on the keys alone: compiled once, in cuts.cu, since
// merges of keys alone and with values of any width use the same searches.
#pragma once

#include <gpu/detail/device/merge_sort.cuh>
#include <gpu/detail/device/merging/merge.cuh>
#include <gpu/detail/device/merging/multiway_selection.cuh>

#include <cstddef>
#include <cstdint>

#define GPUPAR_CUTS_OF_PAIRS(Extern, Bits, Less, Codec)                                                      \
  Extern template void find_cuts_of_keys(const context&, const single_pair<Bits, no_value>&, std::size_t,    \
                                         std::size_t*, Less, Codec);                                         \
  Extern template void select_cuts_of_keys(const context&, const sequence_set<Bits, no_value>&, std::size_t, \
                                           std::size_t, std::size_t, std::size_t*, Bits*, Less, Codec);
#define GPUPAR_CUTS_OF_RUNS(Extern, Bits, Less)                                                                 \
  Extern template void find_cuts_of_keys(const context&, const neighbouring_runs<Bits, no_value>&, std::size_t, \
                                         std::size_t*, Less, identity_codec);

// For the orders that with_exact_less() names, and for codes that merge sorts sort.
#define GPUPAR_CUTS(Extern)                                                                                \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint8_t, code_less, integer_codec<std::uint8_t>)                       \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint16_t, code_less, integer_codec<std::uint16_t>)                     \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint16_t, floating_code_less<std::uint16_t>, key_codec<std::uint16_t>) \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint32_t, code_less, integer_codec<std::uint32_t>)                     \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint32_t, floating_code_less<std::uint32_t>, key_codec<std::uint32_t>) \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint64_t, code_less, integer_codec<std::uint64_t>)                     \
  GPUPAR_CUTS_OF_PAIRS(Extern, std::uint64_t, floating_code_less<std::uint64_t>, key_codec<std::uint64_t>) \
  GPUPAR_CUTS_OF_PAIRS(Extern, uint128, code_less, integer_codec<uint128>)                                 \
  GPUPAR_CUTS_OF_RUNS(Extern, std::uint32_t, code_less)                                                    \
  GPUPAR_CUTS_OF_RUNS(Extern, std::uint32_t, floating_code_less<std::uint32_t>)                            \
  GPUPAR_CUTS_OF_RUNS(Extern, std::uint64_t, code_less)                                                    \
  GPUPAR_CUTS_OF_RUNS(Extern, std::uint64_t, floating_code_less<std::uint64_t>)                            \
  GPUPAR_CUTS_OF_RUNS(Extern, uint128, code_less)

namespace gpu::inline v1::detail::device {
GPUPAR_CUTS(extern)
}  // namespace gpu::inline v1::detail::device
