// Sort of a tile of 64-bit codes by one block: they wait in shared memory while words of 32 bits are sorted, by
// thread_bins, which say how far a code lies in its bin, and where it waits. Stable.
#pragma once

#include <bit>
#include <cstdint>

#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "even_buckets.cuh"
#include "extremes.cuh"
#include "thread_bins.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Words for codes from `least` to `greatest` at positions below Tile. Where codes leave bits of a word unused,
/// positions take them: equal codes have several bins, too.
template <class Code, int Threads, unsigned Tile>
class placed_words {
  static constexpr unsigned position_bits = std::countr_zero(Tile);
  static constexpr unsigned word_bits = 32;

 public:
  static constexpr unsigned position_mask = Tile - 1;

  __device__ __forceinline__ placed_words(Code least, Code greatest)
      : least_{least},
        shift_{leading_zeros(static_cast<Code>(greatest - least))},
        bins_{0, widest(greatest - least), 0} {}

  /// A bin in the upper half, a word to sort by in the lower one.
  __device__ __forceinline__ std::uint64_t operator()(Code code, unsigned position) const {
    unsigned word = leading_word(static_cast<Code>(code - least_), shift_);
    if (tells_all()) word |= position << (unused() - position_bits);
    return (bins_.place(word) & ~std::uint64_t{position_mask}) | position;
  }

  /// Whether codes that differ have words that differ in more than the position, as all their bits count.
  __device__ __forceinline__ bool tells_all() const { return unused() >= position_bits && unused() <= word_bits; }

 private:
  /// Low bits of a leading word that no code has.
  __device__ __forceinline__ unsigned unused() const { return shift_ - (measured_bits<Code> - word_bits); }
  __device__ __forceinline__ unsigned widest(Code span) const {
    const unsigned all = unused() <= word_bits ? (1u << unused()) - 1 : 0;
    return leading_word(span, shift_) | all;
  }

  Code least_;
  unsigned shift_;
  even_bins<Threads> bins_;
};

/// Threads: a power of two. All members are called by every thread of the block.
template <class Code, int Threads, int Items>
class wide_bins {
  using word_bins = thread_bins<Threads, Items>;
  using words = placed_words<Code, Threads, word_bins::tile>;
  static constexpr unsigned position_mask = words::position_mask;

 public:
  static constexpr unsigned tile = word_bins::tile;

  struct storage {
    Code codes[tile];
    typename word_bins::storage bins;
    extremes_storage<unsigned, Threads> leading;
    extremes_storage<Code, Threads> exact;
  };

  __device__ explicit wide_bins(storage& shared) : shared_{shared} {}

  /// Brings source[0, n), encoded, in order, 0 < n <= tile; false if bins have no room for that. meanwhile() is called
  /// while they are read. Synchronises before and after.
  template <class Source, class Encoder, class Meanwhile>
  __device__ __forceinline__ bool sort(Source source, unsigned n, unsigned, Encoder encoder, Meanwhile meanwhile) {
    Code codes[Items];
    __syncthreads();
    codes[0] = static_cast<Code>(source[min(index(0), n - 1)]);
#pragma unroll
    for (int i = 1; i < Items; ++i) codes[i] = index(i) < n ? static_cast<Code>(source[index(i)]) : 0;
    meanwhile();
#pragma unroll
    for (int i = 1; i < Items; ++i)
      if (index(i) >= n) codes[i] = codes[0];  // within their range
    encode_items(codes, encoder);
#pragma unroll
    for (int i = 0; i < Items; ++i) shared_.codes[index(i)] = codes[i];
    return sort_words(codes, n);
  }

  /// As for thread_bins: any position will do.
  template <class Target>
  __device__ static unsigned begin_for(Target) {
    return 0;
  }

  /// Decodes the sorted tile into target[0, n).
  template <class Target, class Decoder>
  __device__ __forceinline__ void store(Target target, unsigned n, Decoder decoder) const {
    Code codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = code_of(shared_.bins.slots[index(i)]);  // beyond n, any of them
    decode_items(codes, decoder);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (index(i) < n) target[index(i)] = codes[i];
  }

 private:
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }

  /// The code that a word stands for.
  __device__ __forceinline__ Code code_of(unsigned word) const { return shared_.codes[word & position_mask]; }

  /// Sorts words for codes that are in shared memory, too. Synchronises, not before.
  __device__ __forceinline__ bool sort_words(const Code (&codes)[Items], unsigned n) {
    word_bins sorted{shared_.bins};
    sorted.clear(n);
    const auto range = range_of(codes);
    const words word_for{range.least, range.greatest};
    unsigned word[Items], bin[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const std::uint64_t placed = word_for(codes[i], index(i));
      word[i] = static_cast<unsigned>(placed), bin[i] = static_cast<unsigned>(placed >> 32);
    }
    const bool mend = !word_for.tells_all();
    const auto told = [&](const auto& own, int count, unsigned first) {
      if (mend && least_step(own, count) <= position_mask) insert(first, static_cast<unsigned>(count));
    };
    return sorted.sort(word, [&](int i) { return bin[i]; }, told);
  }

  /// The leading halves tell the range well enough, unless they hardly differ.
  __device__ __forceinline__ range_of_numbers<Code> range_of(const Code (&codes)[Items]) {
    constexpr unsigned enough = 16 * Threads;
    unsigned halves[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) halves[i] = leading_word(codes[i], 0);
    const auto range = extremes<Threads>(halves, shared_.leading);
    if (range.greatest - range.least < enough) return extremes<Threads>(codes, shared_.exact);
    return {Code{range.least} << 32, Code{range.greatest} << 32 | 0xffffffffu};
  }

  /// The least difference between neighbours.
  template <int Count>
  __device__ __forceinline__ static unsigned least_step(const unsigned (&words)[Count], int count) {
    unsigned least = ~0u;
#pragma unroll
    for (int i = 1; i < Count; ++i)
      if (i < count) least = min(least, words[i] - words[i - 1]);
    return least;
  }

  /// Where words agree but for the positions, codes decide: insertion, in a bin that has such words.
  __device__ void insert(unsigned first, unsigned count) {
    unsigned* const own = shared_.bins.slots + first;
#pragma unroll 1
    for (unsigned end = 1; end < count; ++end) {
      const unsigned word = own[end];
      const Code code = code_of(word);
      unsigned place = end;
#pragma unroll 1
      for (; place > 0 && code < code_of(own[place - 1]); --place) own[place] = own[place - 1];
      own[place] = word;
    }
  }

  storage& shared_;
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
