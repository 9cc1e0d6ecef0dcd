// Keys of up to 32 bits and their indices as one integer of 64 bits: no two are equal, so whatever sorts them sorts the
// indices stably by key.
#pragma once

#include <gpu/detail/device/permute.cuh>
#include <gpu/detail/key.hpp>

namespace gpu {
inline namespace v1 {
namespace detail::device {

template <class Bits>
__global__ void __launch_bounds__(permute_threads)
    pair_kernel(const Bits* keys, std::uint64_t* pairs, std::size_t n, key_codec<Bits> codec,
                floating_code_less<Bits> order, bool floating) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= n) return;
  const Bits code = codec.encode(keys[i]);
  pairs[i] = std::uint64_t{floating ? order.rank(code) : code} << 32 | i;
}

template <class Index>
__global__ void __launch_bounds__(permute_threads)
    take_index_kernel(const std::uint64_t* pairs, Index* indices, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i < n) indices[i] = static_cast<std::uint32_t>(pairs[i]);
}

/// pairs[i] = (rank of keys[i] in their order, i) for i < n. Equivalent keys have one rank.
template <class Bits>
void pair_with_index(const context& context, const Bits* keys, std::uint64_t* pairs, std::size_t n,
                     const key_format& format) {
  const bool floating = format.kind == key_class::floating_point;
  const auto order = floating ? make_floating_code_less<Bits>(format) : floating_code_less<Bits>{};
  launch(context, {divide_up(n, permute_threads), permute_threads}, pair_kernel<Bits>, keys, pairs, n,
         make_codec<Bits>(format), order, floating);
}

/// indices[i] = the index in pairs[i] for i < n.
template <class Index>
void take_indices(const context& context, const std::uint64_t* pairs, Index* indices, std::size_t n) {
  launch(context, {divide_up(n, permute_threads), permute_threads}, take_index_kernel<Index>, pairs, indices, n);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
