// The global and shared memory of a selection from held keys, and the writers that receive the keys. See held_keys.cuh.
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

/// The wanted key's code, and how many keys are less.
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
  unsigned long long set[rounds];    ///< bits that are set in some of the counted keys
  unsigned long long unset[rounds];  ///< bits that are unset in some of them
  unsigned listed;
  unsigned less, ties, greater;  ///< keys that have been given a position

  Bits list[most_listed_alike];
};

/// The device memory of a selection from held keys by at most `blocks` blocks, and its result.
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
  unsigned digit, before, count;  ///< the wanted key's digit; keys with a lesser digit; keys with this digit
  unsigned listed;
  unsigned less, ties, greater;  ///< where the block's keys of each kind go
  alignas(16) Bits list[most_listed_alike];

  /// The codes of the keys that the block holds, directly behind this object.
  __device__ Bits* codes() { return reinterpret_cast<Bits*>(this + 1); }
  static constexpr std::size_t bytes(std::size_t held) { return sizeof(held_storage) + held * sizeof(Bits); }
};

/// A key that the block holds: its code, the code that all equivalent keys share, and its index.
template <class Bits>
struct held_key {
  Bits code;
  Bits rank;
  unsigned index;
};

/// Writes keys to their sides, or only those that are less than the wanted one. The slots of ties follow those of all
/// lesser keys, the slots of greater keys come last.
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

/// Writes the ranks of keys that are less than the wanted one, which still have to be put in order, and the elements of
/// the first ties to their final positions.
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
