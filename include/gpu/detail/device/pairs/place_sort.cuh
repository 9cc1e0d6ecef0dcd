// Sorts the places of keys and leaves the keys alone. Round one reads keys and counts places, the last step writes
// places, so that neither needs a pass of its own; one launch does both for as many as the device holds at once. More
// than that go as whole words, in columns or as pairs, whichever is fastest for such keys and so many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../stable_codec.hpp"
#include "../sort_apart.cuh"
#include "joined_places.cuh"
#include "wide_places.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// What joins codes of n keys with their places. Ranks that many share have codes that do not crowd.
template <class Key, class Codec>
auto codec_with_places(const Codec& codec, std::size_t) {
  return joined_codec<placed_bits<Key>, Key, std::uint32_t, Codec>{codec};
}
template <class Key>
auto codec_with_places(const rank_codec<Key>& ranks, std::size_t n) {
  return stable_codec<placed_bits<Key>, Key>{ranks.codec, ranks.order, n};
}

/// Whether it is worth it, for n keys of up to 8 bytes: more have places of more than 32 bits.
constexpr bool worth_sorting_places(std::size_t n) { return n <= std::size_t{1} << 32; }

/// Whether keys of 8 bytes are looked at before their places are sorted as pairs.
constexpr bool looks_for_duplicates(std::size_t n) { return n >= enough_to_look; }

/// Whether keys of 8 bytes and their places are sorted as pairs, not in columns: never as many as a leaf of pairs.
constexpr bool pairs_places(std::size_t n) {
  constexpr std::size_t leaf = pair_leaf_tile(2 * sizeof(std::uint64_t)).size();
  return n > leaf && (n <= most_paired_at_once || looks_for_duplicates(n));
}

/// Bytes of scratch that sort_places_of takes, at most: two homes for n pairs, and about 6 %; none for a few.
template <class Key>
[[nodiscard]] std::size_t sort_places_scratch_bytes(std::size_t n) {
  if (n <= sure_tile<placed_bits<Key>>) return 0;
  const auto by_rounds = [n] {
    if constexpr (sizeof(Key) <= 4) return device::scratch_bytes<joined_place_scratch<Key>>(n);
    if constexpr (sizeof(Key) > 4)
      return pairs_places(n) ? device::scratch_bytes<paired_place_scratch<Key>>(n, looks_for_duplicates(n))
                             : device::scratch_bytes<column_place_scratch<Key>>(n, true);
  };
  return std::max(device::sort_apart_scratch_bytes<placed_bits<Key>>(n), by_rounds());
}

/// Writes the places of keys[0, n) in their order to `places`: of equal codes the first one comes first. n as
/// worth_sorting_places() says; keys of 8 bytes only if blocks have pair_shared_bytes of shared memory. Enqueues on the
/// context's stream; launches depend on n alone. Throws std::bad_alloc before anything is written, gpu::error if a
/// launch is refused. Only codec.encode() matters.
template <class Key, class Index, class Codec>
void sort_places_of(const context& context, const Key* keys, Index* places, std::size_t n, Codec codec) {
  if (device::sort_placed<place_part>(context, keys, places, n, device::codec_with_places<Key>(codec, n))) return;
  if constexpr (sizeof(Key) <= 4) {
    const scratch<joined_place_scratch<Key>> memory{context, n};
    device::sort_joined_places(context, *memory, keys, places, codec);
  } else if (pairs_places(n)) {
    const bool looks = looks_for_duplicates(n);
    const scratch<paired_place_scratch<Key>> memory{context, n, looks};
    device::sort_places_in_pairs(context, *memory, keys, places, n, looks, codec);
  } else {
    const scratch<column_place_scratch<Key>> memory{context, n, sizeof(Index) > sizeof(std::uint32_t)};
    device::sort_places_in_columns(context, *memory, keys, places, n, codec);
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
