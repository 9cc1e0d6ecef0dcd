// Steps of sorts by rounds and by digits that do not depend on values: compiled once, in passes.cu, since units for
// keys alone and with values share them.
#pragma once

#include <gpu/detail/device/distribution/partitions.cuh>
#include <gpu/detail/device/distribution/shared_buckets.cuh>
#include <gpu/detail/device/radix_sort.cuh>
#include <gpu/detail/device/sample_sort.cuh>
#include <gpu/detail/device/scan.cuh>
#include <gpu/detail/device/stable_floats.cuh>
#include <gpu/detail/keys/key.hpp>

#include <cstddef>
#include <cstdint>

#define GPUPAR_COUNT_DIGITS(Extern, Bits, Rank)                                                               \
  Extern template void count_digits(const context&, const Bits*, std::size_t, unsigned long long*, unsigned*, \
                                    const unsigned*, Rank, key_codec<Bits>);
#define GPUPAR_COUNT_BUCKETS(Extern, Bits, Counters, Less, Codec)                                                 \
  Extern template void count_buckets<Bits>(const context&, const worklist_of<Bits, Less>&, unsigned, const Bits*, \
                                           Counters, Less, Codec);

#define GPUPAR_PASSES(Extern)                                                                                     \
  GPUPAR_COUNT_DIGITS(Extern, std::uint8_t, code_rank)                                                            \
  GPUPAR_COUNT_DIGITS(Extern, std::uint16_t, code_rank)                                                           \
  GPUPAR_COUNT_DIGITS(Extern, std::uint16_t, floating_rank<std::uint16_t>)                                        \
  GPUPAR_COUNT_DIGITS(Extern, std::uint32_t, code_rank)                                                           \
  GPUPAR_COUNT_DIGITS(Extern, std::uint32_t, floating_rank<std::uint32_t>)                                        \
  GPUPAR_COUNT_DIGITS(Extern, std::uint64_t, code_rank)                                                           \
  GPUPAR_COUNT_DIGITS(Extern, std::uint64_t, floating_rank<std::uint64_t>)                                        \
  GPUPAR_COUNT_DIGITS(Extern, uint128, code_rank)                                                                 \
  Extern template void finish_radix(const context&, const radix_column&, const radix_column&, std::size_t,        \
                                    const unsigned*, bool);                                                       \
  Extern template void exclusive_scan(const context&, unsigned long long*, const unsigned long long*,             \
                                      const scan_scratch&);                                                       \
  GPUPAR_COUNT_BUCKETS(Extern, std::uint32_t, tile_range_counters, code_less, key_codec<std::uint32_t>)           \
  GPUPAR_COUNT_BUCKETS(Extern, std::uint32_t, tile_range_counters, floating_code_less<std::uint32_t>,             \
                       key_codec<std::uint32_t>)                                                                  \
  GPUPAR_COUNT_BUCKETS(Extern, std::uint64_t, tile_range_counters, code_less, key_codec<std::uint64_t>)           \
  GPUPAR_COUNT_BUCKETS(Extern, std::uint64_t, tile_range_counters, floating_code_less<std::uint64_t>,             \
                       key_codec<std::uint64_t>)                                                                  \
  GPUPAR_COUNT_BUCKETS(Extern, uint128, tile_range_counters, code_less, key_codec<uint128>)                       \
  GPUPAR_COUNT_BUCKETS(Extern, uint128, tile_counters, code_less, round_codec<key_codec<uint128>>)                \
  Extern template void begin_distribution(const context&, const worklist&, const unsigned*);                      \
  Extern template void divide_samples(const context&, const worklist&, unsigned, const unsigned long long*);      \
  Extern template void offset_partitions(const context&, const worklist&, unsigned, unsigned long long*);         \
  Extern template void begin_sample(const context&, const worklist&, unsigned);                                   \
  Extern template void begin_elements(const context&, const worklist&, std::size_t);                              \
  Extern template void order_buckets(const context&, const worklist&, const std::uint16_t*, unsigned long long*); \
  Extern template void decide_equivalents(const context&, const equivalents*, unsigned*);

namespace gpu::inline v1::detail::device {
GPUPAR_PASSES(extern)
}  // namespace gpu::inline v1::detail::device
