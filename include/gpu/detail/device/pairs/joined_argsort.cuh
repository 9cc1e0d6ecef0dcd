// Argsort of keys of up to 4 bytes: (key, index) is one word, which makes every sort of words a stable argsort.
// Words move whole, and the base cases write indices alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../rows/permute.cuh"
#include "../sort_out_of_place.cuh"
#include "pair_rounds.cuh"

namespace gpu::inline v1::detail::device {

/// The indices in codes, to be written.
template <class Bits, class Key, class Index>
struct indices_of_codes {
  Index* indices;

  struct reference {
    Index& index;
    __device__ void operator=(Bits code) const { index = indexed_key<Key, Bits>::low(code); }
  };
  __device__ reference operator[](std::size_t i) const { return {indices[i]}; }
};

/// Sorts base cases of codes and writes their indices; lists those that are too long for that.
template <class Bits, class Key, class Index>
__global__ void __launch_bounds__(bin_tile(sizeof(Bits)).threads, bin_blocks(sizeof(Bits)))
    argsort_base_cases_kernel(const base_case* base_cases, const unsigned* base_case_count, base_case_list merged,
                              const Bits* destination, const Bits* buffer, Index* indices) {
  await_predecessors();
  using base_case_sort = block::bin_sort<Bits, bin_tile(sizeof(Bits)).threads, bin_tile(sizeof(Bits)).items, true>;
  __shared__ typename base_case_sort::storage shared;
  const unsigned count = *base_case_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto source = [&] { return (base_cases[l].round % 2 == 0 ? buffer : destination) + base_cases[l].begin; };
    const auto target = [&] { return indices_of_codes<Bits, Key, Index>{indices + base_cases[l].begin}; };
    if (base_cases[l].all_equal) {
      for (std::size_t i = threadIdx.x; i < base_cases[l].count; i += blockDim.x) target()[i] = source()[i];
      continue;
    }
    base_case_sort tile{shared};
    const auto n = static_cast<unsigned>(min(std::size_t{base_cases[l].count}, std::size_t{base_case_sort::tile} + 1));
    if (n <= base_case_sort::tile) {
      if (!tile.sort(source(), n, identity_codec{})) tile.merge(n);
      tile.store(target(), n, identity_codec{});
    } else if (threadIdx.x == 0) {
      merged.add(l);
    }
  }
}

/// Writes the indices of the listed base cases, which are sorted by now.
template <class Bits, class Key, class Index>
__global__ void __launch_bounds__(permute_threads)
    write_indices_kernel(const base_case* base_cases, base_case_list listed, const Bits* destination, Index* indices) {
  await_predecessors();
  listed.for_each([&](unsigned number) {
    const base_case sorted = base_cases[number];
    for (std::size_t i = threadIdx.x; i < sorted.count; i += blockDim.x)
      indices[sorted.begin + i] = indexed_key<Key, Bits>::low(destination[sorted.begin + i]);
  });
}

/// Two arrays for joined keys and indices, and what dividing them takes.
template <class Key>
struct joined_argsort_scratch {
  using bits = indexed_bits<Key>;
  static constexpr std::size_t chunk = split_array<bits>::chunk;
  bits* buffer;
  bits* destination;
  pair_worklist<false, by_all<bits>> worklist;

  joined_argsort_scratch(carver& carve, std::size_t n)
      : buffer{carve.take<bits>(divide_up(n, chunk) * chunk)},
        destination{carve.take<bits>(divide_up(n, chunk) * chunk)},
        worklist{carve, n, bin_tile(sizeof(bits)).size()} {}
};

/// Whole words of a key of at most 4 bytes and its index, if `wanted`.
template <class Key, class Index>
void argsort_joined(const context& context, const joined_argsort_scratch<Key>& memory, const Key* keys, Index* indices,
                    const shared_codes<Key>& codes, condition wanted = {}) {
  using bits = indexed_bits<Key>;
  using array = split_array<bits>;
  const auto& parts = memory.worklist.parts;
  const joined_indices<Key> source{keys, 0};
  const joined_codec<bits, Key, std::uint32_t, shared_codes<Key>> joined{codes};
  device::begin_distribution(context, parts, wanted);
  device::distribute_pairs<false, by_all<bits>>(context, memory.worklist, source, source, array{memory.buffer},
                                                array{memory.destination}, joined, joined);
  constexpr int bin_threads = bin_tile(sizeof(bits)).threads;
  const std::size_t limit = parts.plan.base_case_limit();
  device::launch_early(context, shape{parts.plan.base_case_blocks(limit), bin_threads},
                       argsort_base_cases_kernel<bits, Key, Index>, parts.base_cases, parts.base_case_count,
                       parts.lists.merged, memory.destination, memory.buffer, indices);
  device::merge_listed_base_cases<true>(context, parts, limit, columns<bits, no_value>{memory.destination, nullptr},
                                        columns<bits, no_value>{memory.buffer, nullptr}, identity_codec{},
                                        identity_codec{});
  device::launch_persistent(context, {limit, permute_threads}, write_indices_kernel<bits, Key, Index>, parts.base_cases,
                            parts.lists.merged, memory.destination, indices);
}

}  // namespace gpu::inline v1::detail::device
