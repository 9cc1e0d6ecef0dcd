// What a selection from held keys keeps in global and in shared memory, and who takes the keys from it. See
// held_keys.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "ordering.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// The wanted key, by its code, and how many are less.
template <class Bits>
struct found_key {
  unsigned long long less;
  Bits code;
};

/// What the blocks share, at fixed addresses.
template <class Bits>
struct held_state {
  static constexpr unsigned rounds = static_cast<unsigned>(divide_up(8 * sizeof(Bits), held_digit_bits));

  // Begin as zeros:
  unsigned counts[rounds][held_digits];
  unsigned long long set[rounds];    ///< bits that some keys have of those that are counted,
  unsigned long long unset[rounds];  ///< and that some have not
  unsigned listed;
  unsigned less, ties, greater;  ///< that have been given a position

  Bits list[most_listed_alike];
};

/// What a selection from held keys works with, by so many blocks at most, and what it finds.
template <class Bits>
struct held_memory {
  held_state<Bits>* state;
  found_key<Bits>* found;
  unsigned* ties;  ///< of each block

  held_memory(carver& carve, std::size_t blocks)
      : state{carve.take<held_state<Bits>>(1)},
        found{carve.take<found_key<Bits>>(1)},
        ties{carve.take<unsigned>(blocks)} {}
};

/// held_memory, and memory for ranks if these are wanted.
template <class Bits, class Rank>
struct held_scratch {
  held_memory<Bits> memory;
  Rank* ranks;

  held_scratch(carver& carve, const context& context, std::size_t ranks_wanted = 0)
      : memory{carve, static_cast<std::size_t>(context.device.multiprocessors)},
        ranks{carve.take<Rank>(ranks_wanted)} {}
};

template <class Bits>
struct held_storage {
  static constexpr unsigned warps = held_threads / warp::threads;

  unsigned counts[held_digits];
  unsigned long long set, unset;
  unsigned sums[2][warps];
  unsigned digit, before, count;  ///< of the wanted one
  unsigned listed;
  unsigned less, ties, greater;  ///< where the block's go
  alignas(16) Bits list[most_listed_alike];

  /// Behind this, as many as the block holds.
  __device__ Bits* codes() { return reinterpret_cast<Bits*>(this + 1); }
  static constexpr std::size_t bytes(std::size_t held) { return sizeof(held_storage) + held * sizeof(Bits); }
};

/// A key that the block holds: its code, one that equivalent keys share, and its index.
template <class Bits>
struct held_key {
  Bits code;
  Bits rank;
  unsigned index;
};

/// Brings keys to their sides, or only those that are less than the wanted one. Slots of ties are behind all that are
/// less, those of greater keys behind these.
template <class Bits>
struct side_writer {
  static constexpr bool orders_ties = false;
  Bits* to;
  bool only_less;
  key_codec<Bits> codec;

  __device__ void write_less(unsigned slot, const held_key<Bits>& key) const { to[slot] = codec.decode(key.code); }
  __device__ void write_tie(unsigned slot, const held_key<Bits>& key) const {
    if (!only_less) to[slot] = codec.decode(key.code);
  }
  __device__ void write_greater(unsigned slot, const held_key<Bits>& key) const {
    if (!only_less) to[slot] = codec.decode(key.code);
  }
};

/// Writes the ranks of what is less than the wanted one, which are still to be put in order; and the first ties where
/// they belong.
template <class Bits, class Rank>
struct rank_writer {
  static constexpr bool orders_ties = true;
  Rank* ranks;
  unsigned wanted;
  selected_output output;

  __device__ void write_less(unsigned slot, const held_key<Bits>& key) const {
    ranks[slot] = rank_parts<Rank>::make(key.rank, key.index);
  }
  __device__ void write_tie(unsigned slot, const held_key<Bits>& key) const {
    if (slot < wanted) output.write(key.index, slot, 0, 1);
  }
  __device__ void write_greater(unsigned, const held_key<Bits>&) const {}
};

}  // namespace gpu::inline v1::detail::device
