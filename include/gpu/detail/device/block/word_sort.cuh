// Sort of a tile of codes by one block, for any distribution: merge sort of words of 32 or 64 bits, each made of the
// bits in which the tile's codes differ, followed by the position. Words are distinct, so that the sort is stable, and
// small: what belongs to the codes is moved once, afterwards, by the positions.
#pragma once

#include <bit>
#include <cstdint>

#include "../columns.cuh"
#include "even_buckets.cuh"
#include "extremes.cuh"
#include "merge_sort.cuh"

namespace gpu::inline v1::detail::device::block {

/// Threads and Items: powers of two. All members are called by every thread of the block.
template <class Code, int Threads, int Items>
class word_sort {
 public:
  static constexpr unsigned tile = Threads * Items;

 private:
  static constexpr unsigned position_bits = std::countr_zero(tile);
  static constexpr unsigned position_mask = tile - 1;
  template <class Word>
  using merges = merge_sort<Word, no_value, Threads, Items + 1, false>;  // an odd number: no bank conflicts
  static_assert((Threads & (Threads - 1)) == 0 && (Items & (Items - 1)) == 0);

 public:
  struct storage {
    union {
      typename merges<unsigned>::storage narrow;
      typename merges<std::uint64_t>::storage wide;
    };
    extremes_storage<Code, Threads> range;
    typename common_low_bits<Threads>::storage low_bits;
  };

  __device__ explicit word_sort(storage& shared) : shared_{shared} {}

  /// The index in the tile of the calling thread's item i, as sort() expects it.
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }

  /// Sorts n codes; those at indices from n on must equal `first`, the code at index 0. Returns false if no word can
  /// hold all bits in which the codes differ. Synchronises.
  __device__ bool sort(const Code (&codes)[Items], const Code& first, unsigned n) {
    __syncthreads();
    common_low_bits<Threads> low_bits{shared_.low_bits};
    low_bits.publish(codes, first);
    const auto range = block::extremes<Threads>(codes, shared_.range);
    const unsigned alike = low_bits.count();
    const Code span = static_cast<Code>(range.greatest - range.least);
    const unsigned wide = measured_bits<Code> - block::leading_zeros(span);
    const unsigned bits = wide > alike ? wide - alike : 0;
    narrow_ = bits + position_bits <= 32;
    if (narrow_)
      merge(shared_.narrow.keys, merges<unsigned>{shared_.narrow}, codes, range.least, alike, n);
    else if (bits + position_bits <= 64)
      merge(shared_.wide.keys, merges<std::uint64_t>{shared_.wide}, codes, range.least, alike, n);
    else
      return false;
    return true;
  }

  /// After sort(): the index of the code at a position of the sorted tile.
  __device__ unsigned operator[](unsigned position) const {
    return (narrow_ ? shared_.narrow.keys[position] : static_cast<unsigned>(shared_.wide.keys[position])) &
           position_mask;
  }

 private:
  template <class Word, class Merges>
  __device__ __forceinline__ static void merge(Word* words, Merges sorted, const Code (&codes)[Items],
                                               const Code& least, unsigned alike, unsigned n) {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      words[index(i)] = static_cast<Word>(static_cast<Code>(codes[i] - least) >> alike) << position_bits |
                        static_cast<Word>(index(i));
    sorted.sort(static_cast<int>(n), code_less{});
  }

  storage& shared_;
  bool narrow_ = false;
};

}  // namespace gpu::inline v1::detail::device::block
