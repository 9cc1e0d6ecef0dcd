// How many elements of each digit lie in the preceding tiles of a radix sort pass. Adinets and Merrill, "Onesweep: a
// faster least significant digit radix sort for GPUs", 2022.
#pragma once

#include <cstddef>
#include <cuda/atomic>

#include "../block/digit_ranks.cuh"
#include "../tuning/radix.hpp"

namespace gpu::inline v1::detail::device {

using block::radix_digits;

/// Decoupled look-back as in scan.cuh, but with one thread per digit: how many elements of the digit lie in the
/// preceding tiles. A word holds a sum, an epoch of two bits, and whether the sum is that of all tiles up to this one.
/// The epoch tells words left by earlier passes and portions from current ones, so nobody has to clear them: it goes up
/// by one from each portion to the next. A shorter portion does not write all words, but the one after it does.
class digit_look_back {
 public:
  __device__ digit_look_back(unsigned* states, unsigned epoch, unsigned tile, unsigned digit)
      : states_{states}, epoch_{epoch % 4 * 2}, tile_{tile}, digit_{digit} {}

  /// Signals to the following tiles that this one has `sum` elements of the digit; they no longer wait for it.
  __device__ void publish(unsigned sum) const { publish(tile_ == 0, sum); }

  /// The elements in preceding tiles. Afterwards the following tiles need not look back beyond this one.
  __device__ unsigned before(unsigned sum) const {
    if (tile_ == 0) return 0;
    const unsigned total = tile_ < radix_tiles_at_once ? sum_before<words_at_once>() : sum_before<1>();
    publish(true, total + sum);
    return total;
  }

 private:
  using reference = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  /// The first tiles begin together: none of them finds a preceding tile that has already looked back, and they wait
  /// for each other's words more than for memory. Later tiles load one word at a time: with more loads under way, those
  /// that wait for a late tile would take bandwidth from it.
  static constexpr int words_at_once = 4;

  template <int Words>
  __device__ unsigned sum_before() const {
    unsigned total = 0;
    for (unsigned tile = tile_ - 1;;) {  // ends at the first tile, whose sum is inclusive
      unsigned words[Words];
#pragma unroll
      for (unsigned w = 0; w < Words; ++w)
        words[w] = reference{at(tile - min(tile, w))}.load(::cuda::memory_order_relaxed);
#pragma unroll
      for (const unsigned word : words) {
        if ((word & 6u) != epoch_) break;
        total += word >> 3;
        if (word & 1u) return total;
        --tile;
      }
    }
  }

  __device__ unsigned& at(unsigned tile) const { return states_[tile * std::size_t{radix_digits} + digit_]; }
  __device__ void publish(bool inclusive, unsigned sum) const {
    reference{at(tile_)}.store(sum << 3 | epoch_ | static_cast<unsigned>(inclusive), ::cuda::memory_order_relaxed);
  }

  unsigned* states_;
  unsigned epoch_;  ///< shifted to its place in a word
  unsigned tile_;
  unsigned digit_;
};

}  // namespace gpu::inline v1::detail::device
