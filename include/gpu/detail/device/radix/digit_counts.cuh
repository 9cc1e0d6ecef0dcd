// How often each digit occurs in the keys that a block looks at: a histogram per digit, in shared memory.
#pragma once

#include <cstddef>

#include "../distribution/tile_cursor.cuh"
#include "../tuning/radix.hpp"
#include "tile.cuh"

namespace gpu::inline v1::detail::device {

/// A block's counters. Each has several copies, for neighbouring lanes, and counters of several digits share a word, as
/// the tuning says.
template <class Bits>
class digit_counts {
  static constexpr unsigned passes = sizeof(Bits);
  static constexpr digit_counters layout = device::digit_counters_of(sizeof(Bits));
  static constexpr unsigned copies = layout.copies, per_word = layout.per_word, bits = 32 / per_word;
  static constexpr unsigned most = ~0u >> (32 - bits);  ///< that a counter can hold
  static constexpr unsigned rows = (passes + per_word - 1) / per_word * radix_digits;

 public:
  /// Shared memory of the counters.
  using memory = unsigned[rows][copies];

  /// Clears the counters; the block has to synchronise afterwards.
  __device__ explicit digit_counts(memory& words) : words_{words} { clear(); }

  /// Counts the digits of rank_of(key) for keys[0, count), a tile of Items per thread: all digits if All, else those
  /// from `first` on. Before a counter could overflow, adds all of them to `sums`; the block synchronises then.
  template <int Items, bool All = true, class Rank>
  __device__ void add_tile(const Bits* keys, unsigned count, Rank rank_of, unsigned long long* sums,
                           unsigned first = 0) {
    const unsigned each = blockDim.x / copies * Items;  // added to one counter, at most
    if (each > most - counted_) {
      __syncthreads();  // others may still count a tile before
      add_to(sums);
      __syncthreads();
      clear();
      __syncthreads();
    }
    counted_ += each;
    const unsigned copy = threadIdx.x % copies;
    const auto add = [&](Bits rank) {
#pragma unroll
      for (unsigned p = 0; p < passes; ++p)
        if (All || p >= first)
          atomicAdd(&words_[p / per_word * radix_digits + device::radix_digit(rank, p)][copy],
                    1u << p % per_word * bits);
    };
    if (count < blockDim.x * Items) {
      for (unsigned i = threadIdx.x; i < count; i += blockDim.x) add(rank_of(keys[i]));
      return;
    }
    Bits found[Items];
    device::load_items(keys, count, found);
#pragma unroll
    for (int i = 0; i < Items; ++i) add(rank_of(found[i]));
  }

  /// Adds the counts to sums[passes][digits]. The block must have synchronised before.
  __device__ void add_to(unsigned long long* sums) const {
    for (unsigned row = threadIdx.x; row < rows; row += blockDim.x) {
      unsigned of[per_word] = {};
      for (unsigned c = 0; c < copies; ++c) {
        const unsigned word = words_[row][(c + row) % copies];  // neighbours begin in different banks
#pragma unroll
        for (unsigned d = 0; d < per_word; ++d) of[d] += word >> d * bits & most;
      }
#pragma unroll
      for (unsigned d = 0; d < per_word; ++d) {
        const unsigned p = row / radix_digits * per_word + d;
        if (of[d] > 0) atomicAdd(&sums[p * radix_digits + row % radix_digits], static_cast<unsigned long long>(of[d]));
      }
    }
  }

 private:
  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < rows * copies; i += blockDim.x) words_[i / copies][i % copies] = 0;
    counted_ = 0;
  }

  memory& words_;
  unsigned counted_;  ///< in one counter, at most
};

}  // namespace gpu::inline v1::detail::device
