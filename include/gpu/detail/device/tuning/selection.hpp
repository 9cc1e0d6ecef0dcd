// Selections: which method takes the least time, how much samples draw, and how much kernels take at once.
#pragma once

#include <cstddef>

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// Up to this many elements are all kept,
inline constexpr std::size_t most_kept_whole = 4096;
/// and up to this many are put in order by comparing all with all: less than half as many are expected.
inline constexpr std::size_t most_enumerated = 16384;
/// Up to this many ranks that nothing else sorts are put in order by comparing all with all.
inline constexpr std::size_t most_wide_enumerated = std::size_t{1} << 16;
inline constexpr std::size_t most_selection_levels = 8;

/// Whether so large a part is put in order fastest by sorting all.
constexpr bool wants_most(std::size_t count, std::size_t selected) {
  return count > most_kept_whole && selected > count / 4;
}
/// The same for keys alone, copies of which are sorted.
constexpr bool wants_many(std::size_t count, std::size_t selected) {
  return count > most_kept_whole && selected > count / 16;
}

/// From this many elements on, samples for a caller's order are worth their launches, which take 0.3 ms.
inline constexpr std::size_t enough_to_compare = std::size_t{1} << 22;
/// Whether an argsort of all n by that order takes longer than selecting the `wanted` first.
constexpr bool selects_by_comparing(std::size_t n, std::size_t wanted) {
  return n >= enough_to_compare && wanted <= n / 16;
}
/// From this many elements on, sorting them in place by comparing them takes longer than selecting some: the larger
/// they are, the longer a sort takes; if they are too large to be moved by a sort, it sorts their indices.
constexpr std::size_t enough_to_part(std::size_t element_bytes) {
  return (element_bytes <= 8 ? 8 : element_bytes <= 64 ? 4 : 1) * enough_to_compare;
}
/// Whether it takes less time than sorting all to find the first few by their indices and bring them to the front,
constexpr bool brings_forward(std::size_t n, std::size_t wanted, std::size_t element_bytes) {
  return n >= enough_to_part(element_bytes) && wanted <= n / 1024;
}
/// or to find one, part the others around it, and sort `sorted` of them.
constexpr bool parts_by_comparing(std::size_t n, std::size_t sorted, std::size_t element_bytes) {
  const std::size_t enough = enough_to_part(element_bytes);
  return n >= enough && sorted <= n / (n >= 8 * enough ? 4 : 8);
}
/// The most pivots until the wanted element is found: some 2 ln n are expected. Only an order that contradicts itself
/// needs more.
inline constexpr unsigned most_pivots = 160;

/// Whether so few rows on one side of the border change places faster one by one than by a pass over all in tiles.
constexpr bool moves_by_lists(std::size_t n, std::size_t fewer, std::size_t tile) {
  return fewer < n / 64 || fewer < 16 * tile;
}

/// Standard deviations by which a sample may be wrong: it is wrong by more less than once in 10^9 selections.
inline constexpr double sample_margin = 6;

inline constexpr int selection_sampling_threads = 1024;
/// Ranks of a sample that one block holds in registers.
template <class Rank>
inline constexpr int sample_items = 128 / static_cast<int>(sizeof(Rank)) > 4 ? 128 / static_cast<int>(sizeof(Rank)) : 4;
template <class Rank>
inline constexpr std::size_t most_sampled = static_cast<std::size_t>(selection_sampling_threads) * sample_items<Rank>;
/// The most ranks that need no further level: as many as one block holds to find one among them, or as are enumerated.
template <class Rank>
constexpr std::size_t most_left(bool in_order) {
  return in_order ? most_enumerated : most_sampled<Rank>;
}
/// Ranks of a larger sample. A part of it that one block holds bounds those ranks of the sample that bound the wanted
/// one; the block then holds the ranks between. Worth two launches, of 10 us, if worth_refining fewer ranks have to be
/// kept.
template <class Rank>
inline constexpr bool refines = sizeof(Rank) <= 16;
template <class Rank>
inline constexpr std::size_t refined_sample = 8 * most_sampled<Rank>;
inline constexpr std::size_t worth_refining = std::size_t{1} << 19;

/// Up to this many elements, one block draws the sample, without waiting for the others.
inline constexpr std::size_t most_sampled_alone = std::size_t{1} << 21;
inline constexpr std::size_t sampled_alone = 4096;

/// Ranks that a block of a selection in one launch lists: more than are expected in all, should one block have them.
template <class Rank>
inline constexpr unsigned most_listed_by_block = most_sampled<Rank>;
/// Whether one launch, whose blocks wait for each other, takes less time than several: not where few blocks would have
/// much to put in order.
template <class Rank>
constexpr bool takes_one_launch(std::size_t n, std::size_t wanted) {
  return n > most_kept_whole && n <= std::size_t{1} << 30 && wanted <= n / 64 &&
         wanted <= most_listed_by_block<Rank> / 4;
}
/// Groups of that launch's threads whose least draws are splitters: with more of them the bound is closer, but putting
/// them in order takes longer.
inline constexpr unsigned enough_groups = 64;
/// Probability that the bound is too low.
inline constexpr double likely_to_mislead = 1e-9;

inline constexpr int held_threads = 1024;
/// Digits by which keys held in shared memory are counted.
inline constexpr int held_digit_bits = 11;
inline constexpr unsigned held_digits = 1u << held_digit_bits;
/// Up to this many keys that are alike so far are looked at by every block.
inline constexpr unsigned most_listed_alike = 4096;
/// Keys that are worth a block: fewer blocks wait less for each other.
inline constexpr std::size_t held_share = 4096;
/// Keys that 132 multiprocessors hold in addition to their counters.
constexpr std::size_t most_held(std::size_t key_bytes) { return (std::size_t{1} << 24) / key_bytes; }
/// Keys that one launch sorts on 132 multiprocessors.
inline constexpr std::size_t most_sorted_in_front = std::size_t{1} << 20;
/// Whether there is a sort for such keys alone.
constexpr bool sorts_front_of(std::size_t key_bytes) { return key_bytes == 4 || key_bytes == 8; }
/// Whether copies of so many keys, too many for the launch that draws a sample, are found among held keys.
constexpr bool copies_from_held(std::size_t count, std::size_t selected, std::size_t key_bytes) {
  return sorts_front_of(key_bytes) && count > most_kept_whole && count <= most_held(key_bytes) &&
         selected <= most_sorted_in_front;
}
/// Whether elements are found among held keys by their ranks, of which a sample leaves little if there are many.
constexpr bool ranks_from_held(std::size_t count, std::size_t selected, std::size_t key_bytes) {
  return sorts_front_of(key_bytes) && count > most_kept_whole && count <= most_held(key_bytes) &&
         selected <= count / (count <= std::size_t{1} << 21 ? 4 : 32);
}
/// Whether sorting all of so few keys takes less time than finding some of them and sorting these.
constexpr bool sorts_all_sooner(std::size_t count, std::size_t selected, std::size_t key_bytes) {
  return count <= most_sorted_in_front &&
         (count <= most_sorted_in_front / 4 || selected > count / (key_bytes > 4 ? 4 : 16));
}

inline constexpr int keeping_threads = 256;
/// Kept ranks that a warp collects before it claims room for them: an atomic addition to one word per rank would take
/// longer than reading it.
template <class Rank>
inline constexpr unsigned kept_together = sizeof(Rank) == 8 ? 256 : 128;

inline constexpr int comparing_threads = keeping_threads;
inline constexpr int compared_at_once = 8;
/// Elements up to so many bytes are copied to registers to be compared; of larger ones comparisons read what they need.
inline constexpr std::size_t most_bytes_copied = 16;

inline constexpr int rescue_threads = keeping_threads;

inline constexpr int enumeration_threads = 256;
/// Lanes that count for one rank, so that few ranks are work for many multiprocessors.
inline constexpr int enumeration_lanes = 8;
inline constexpr int enumerated_by_block = enumeration_threads / enumeration_lanes;
inline constexpr unsigned enumeration_tile = 1024;
/// Rows up to so many bytes are written by one lane.
inline constexpr std::size_t most_bytes_of_lane = 16;

inline constexpr int siding_threads = 256;
inline constexpr int siding_blocks_per_multiprocessor = 4;
/// Whether keys are brought to shared memory in tiles; larger ones change places one by one.
template <class Key>
inline constexpr bool moves_in_tiles_v = sizeof(Key) <= 64 && alignof(Key) <= 16;
/// Keys of a tile that a thread holds, and keys of a tile.
template <class Key>
inline constexpr int side_items = sizeof(Key) <= 4        ? 16
                                  : moves_in_tiles_v<Key> ? 64 / static_cast<int>(sizeof(Key))
                                                          : 1;
template <class Key>
inline constexpr unsigned side_tile = siding_threads * static_cast<unsigned>(side_items<Key>);

inline constexpr int exchange_threads = 256;

}  // namespace gpu::inline v1::detail::device
