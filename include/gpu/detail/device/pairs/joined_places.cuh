// Places of keys of up to 4 bytes: (key, place) as one word, which makes every sort of them a stable one of the places.
// Words move whole, and the leaves write places alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../rows/permute.cuh"
#include "../sort_apart.cuh"
#include "pair_rounds.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// The places in codes, to be written.
template <class Bits, class Key, class Index>
struct places_of_codes {
  Index* places;

  struct reference {
    Index& place;
    __device__ void operator=(Bits code) const { place = placed<Key, Bits>::low(code); }
  };
  __device__ reference operator[](std::size_t i) const { return {places[i]}; }
};

/// Sorts leaves of codes and writes their places; lists those that are too long for that.
template <class Bits, class Key, class Index>
__global__ void __launch_bounds__(bin_tile(sizeof(Bits)).threads, bin_blocks(sizeof(Bits)))
    place_leaves_kernel(const leaf* leaves, const unsigned* leaf_count, unsigned* crowded, unsigned* crowded_count,
                        const Bits* home, const Bits* buffer, Index* places) {
  await_predecessors();
  using leaf_sort = block::bin_sort<Bits, bin_tile(sizeof(Bits)).threads, bin_tile(sizeof(Bits)).items, true>;
  __shared__ typename leaf_sort::storage shared;
  const unsigned count = *leaf_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto source = [&] { return (leaves[l].round % 2 == 0 ? buffer : home) + leaves[l].begin; };
    const auto target = [&] { return places_of_codes<Bits, Key, Index>{places + leaves[l].begin}; };
    if (leaves[l].ordered) {
      for (std::size_t i = threadIdx.x; i < leaves[l].count; i += blockDim.x) target()[i] = source()[i];
      continue;
    }
    leaf_sort tile{shared};
    const auto n = static_cast<unsigned>(min(std::size_t{leaves[l].count}, std::size_t{leaf_sort::tile} + 1));
    if (n <= leaf_sort::tile) {
      if (!tile.sort(source(), n, identity_codec{})) tile.merge(n);
      tile.store(target(), n, identity_codec{});
    } else if (threadIdx.x == 0) {
      crowded[atomicAdd(crowded_count, 1u)] = l;
    }
  }
}

/// Writes the places of the listed leaves, which are sorted by now.
template <class Bits, class Key, class Index>
__global__ void __launch_bounds__(permute_threads)
    write_places_kernel(const leaf* leaves, const unsigned* list, const unsigned* listed, const Bits* home,
                        Index* places) {
  await_predecessors();
  const unsigned count = *listed;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const leaf sorted = leaves[list[l]];
    for (std::size_t i = threadIdx.x; i < sorted.count; i += blockDim.x)
      places[sorted.begin + i] = placed<Key, Bits>::low(home[sorted.begin + i]);
  }
}

/// Two homes for joined keys and places, and what dividing them takes.
template <class Key>
struct joined_place_scratch {
  using bits = placed_bits<Key>;
  static constexpr std::size_t chunk = split_array<bits>::chunk;
  bits* buffer;
  bits* home;
  pair_division<false, by_all<bits>> division;

  joined_place_scratch(carver& carve, std::size_t n)
      : buffer{carve.take<bits>(divide_up(n, chunk) * chunk)},
        home{carve.take<bits>(divide_up(n, chunk) * chunk)},
        division{carve, n, bin_tile(sizeof(bits)).size()} {}
};

/// Whole words of a key of at most 4 bytes and its place, if `wanted`.
template <class Key, class Index, class Codec>
void sort_joined_places(const context& context, const joined_place_scratch<Key>& memory, const Key* keys, Index* places,
                        Codec codec, condition wanted = {}) {
  using bits = placed_bits<Key>;
  using array = split_array<bits>;
  const auto& parts = memory.division.parts;
  const joined_places<Key> source{keys, 0};
  const joined_codec<bits, Key, std::uint32_t, Codec> joined{codec};
  device::begin_division(context, parts, wanted);
  device::distribute_pairs<false, by_all<bits>>(context, memory.division, source, source, array{memory.buffer},
                                                array{memory.home}, joined, joined);
  const auto sort = place_leaves_kernel<bits, Key, Index>;
  const auto write = write_places_kernel<bits, Key, Index>;
  constexpr int bin_threads = bin_tile(sizeof(bits)).threads;
  const std::size_t limit = parts.plan.leaf_limit();
  device::launch_early(context, shape{parts.plan.leaf_blocks(limit), bin_threads}, sort, parts.leaves, parts.leaf_count,
                       parts.crowded, parts.crowded_count, memory.home, memory.buffer, places);
  device::merge_crowded_leaves<true>(context, parts, limit, columns<bits, no_value>{memory.home, nullptr},
                                     columns<bits, no_value>{memory.buffer, nullptr}, identity_codec{},
                                     identity_codec{});
  device::launch_early(context, device::persistent_shape(context, write, limit, permute_threads), write, parts.leaves,
                       parts.crowded, parts.crowded_count, memory.home, places);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
