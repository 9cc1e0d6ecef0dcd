// Sorts the places of keys and leaves the keys alone: (key, place) as one integer, which makes every sort of them a
// stable one of the places. Round one reads keys and counts places, the last step writes places, so that neither needs
// a pass of its own; one launch does both for as many as the device holds at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../stable_codec.hpp"
#include "../rows/permute.cuh"
#include "../sort_apart.cuh"
#include "pair_rounds.cuh"
#include "pair_sort.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// The lower halves of codes, to be written.
template <class Bits, class Index>
struct places_of_codes {
  Index* places;

  struct reference {
    Index& place;
    __device__ void operator=(Bits code) const { place = static_cast<std::uint32_t>(code); }
  };
  __device__ reference operator[](std::size_t i) const { return {places[i]}; }
};

/// Sorts leaves of codes and writes their places; lists those that are too long for that.
template <class Bits, class Index>
__global__ void __launch_bounds__(bin_tile(sizeof(Bits)).threads, bin_blocks(sizeof(Bits)))
    place_leaves_kernel(const leaf* leaves, const unsigned* leaf_count, unsigned* crowded, unsigned* crowded_count,
                        const Bits* home, const Bits* buffer, Index* places) {
  using leaf_sort = block::bin_sort<Bits, bin_tile(sizeof(Bits)).threads, bin_tile(sizeof(Bits)).items, true>;
  __shared__ typename leaf_sort::storage shared;
  const unsigned count = *leaf_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto source = [&] { return (leaves[l].round % 2 == 0 ? buffer : home) + leaves[l].begin; };
    const auto target = [&] { return places_of_codes<Bits, Index>{places + leaves[l].begin}; };
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
template <class Bits, class Index>
__global__ void __launch_bounds__(permute_threads)
    write_places_kernel(const leaf* leaves, const unsigned* list, const unsigned* listed, const Bits* home,
                        Index* places) {
  const unsigned count = *listed;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const leaf sorted = leaves[list[l]];
    for (std::size_t i = threadIdx.x; i < sorted.count; i += blockDim.x)
      places[sorted.begin + i] = static_cast<std::uint32_t>(home[sorted.begin + i]);
  }
}

/// Two homes for joined keys and places, and what dividing them takes.
template <class Bits>
struct joined_place_scratch {
  static constexpr std::size_t chunk = split_array<Bits>::chunk;
  Bits* buffer;
  Bits* home;
  pair_division<false, by_all<Bits>> division;

  joined_place_scratch(carver& carve, std::size_t n)
      : buffer{carve.take<Bits>(divide_up(n, chunk) * chunk)},
        home{carve.take<Bits>(divide_up(n, chunk) * chunk)},
        division{carve, n, bin_tile(sizeof(Bits)).size()} {}
};

template <class Key, class Index, class Codec>
void sort_joined_places(const context& context, const joined_place_scratch<std::uint64_t>& memory, const Key* keys,
                        Index* places, std::size_t n, Codec codec) {
  using bits = std::uint64_t;
  using array = split_array<bits>;
  const auto& parts = memory.division.parts;
  const joined_places<Key> source{keys, 0};
  const joined_codec<bits, Key, std::uint32_t, Codec> joined{codec};
  distribute_pairs<false, by_all<bits>>(context, memory.division, source, source, array{memory.buffer},
                                        array{memory.home}, joined, joined);
  const auto sort = place_leaves_kernel<bits, Index>;
  const auto write = write_places_kernel<bits, Index>;
  constexpr int bin_threads = bin_tile(sizeof(bits)).threads;
  const std::size_t limit = parts.plan.leaf_limit();
  const std::size_t even_leaves = divide_up(n, parts.plan.even_leaf);
  launch(context, shape{even_leaves < limit ? even_leaves : limit, bin_threads}, sort, parts.leaves, parts.leaf_count,
         parts.crowded, parts.crowded_count, memory.home, memory.buffer, places);
  merge_crowded_leaves<true>(context, parts, limit, columns<bits, no_value>{memory.home, nullptr},
                             columns<bits, no_value>{memory.buffer, nullptr}, identity_codec{}, identity_codec{});
  launch(context, persistent_shape(context, write, limit, permute_threads), write, parts.leaves, parts.crowded,
         parts.crowded_count, memory.home, places);
}

/// Columns for keys of 8 bytes and for values on their way, and what sorting pairs takes.
template <class Key>
struct paired_place_scratch {
  Key* keys;
  Key* values;
  pair_sort_scratch<true, Key> pairs;

  paired_place_scratch(carver& carve, std::size_t n)
      : keys{carve.take<Key>(n)}, values{carve.take<Key>(n)}, pairs{carve, n} {}
};

/// Keys of up to 4 bytes fit a word with their places; wider ones are sorted as pairs, stably.
template <class Key>
using place_scratch =
    std::conditional_t<(sizeof(Key) <= 4), joined_place_scratch<std::uint64_t>, paired_place_scratch<Key>>;

/// Whether it is worth it, for n keys of up to 8 bytes. Of wide keys that are just too many for one launch, sorts of
/// copies take less time.
constexpr bool worth_sorting_places(std::size_t n, std::size_t key_bytes) {
  const bool just_too_many = key_bytes > 4 && n > most_placed(key_bytes) && n <= most_copied;
  return n <= std::size_t{1} << 32 && !just_too_many;
}

/// What joins codes of n keys with their places. Ranks that many share have codes that do not crowd.
template <class Key, class Codec>
auto codec_with_places(const Codec& codec, std::size_t) {
  return joined_codec<placed_bits<Key>, Key, std::uint32_t, Codec>{codec};
}
template <class Key>
auto codec_with_places(const rank_codec<Key>& ranks, std::size_t n) {
  return stable_codec<placed_bits<Key>, Key>{ranks.codec, ranks.order, n};
}

/// Bytes of scratch that sort_places_of takes, at most: two homes for n pairs, and about 6 %; none for a few.
template <class Key>
[[nodiscard]] std::size_t sort_places_scratch_bytes(std::size_t n) {
  if (fits_tile<placed_bits<Key>>(n)) return 0;
  return std::max(sort_apart_scratch_bytes<placed_bits<Key>>(n), scratch_bytes<place_scratch<Key>>(n));
}

/// Writes the places of keys[0, n) in their order to `places`: of equal codes the first one comes first. n as
/// worth_sorting_places() says; keys of 8 bytes only if blocks have pair_shared_bytes of shared memory. Enqueues on the
/// context's stream; launches depend on n alone. Throws std::bad_alloc before anything is written, gpu::error if a
/// launch is refused. Only codec.encode() matters.
template <class Key, class Index, class Codec>
void sort_places_of(const context& context, const Key* keys, Index* places, std::size_t n, Codec codec) {
  if (sort_placed<place_part>(context, keys, places, n, codec_with_places<Key>(codec, n))) return;
  const scratch<place_scratch<Key>> memory{context, n};
  if constexpr (sizeof(Key) <= 4)
    sort_joined_places(context, *memory, keys, places, n, codec);
  else
    sort_pairs<true>(context, memory->pairs, keys, placed_keys<Key>{keys, 0}, columns<Key, Index>{memory->keys, places},
                     memory->values, n, false, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
