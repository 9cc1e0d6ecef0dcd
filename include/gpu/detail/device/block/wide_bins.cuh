// Sort of a tile of 64-bit codes by one block: they wait in shared memory while 32-bit words are sorted by thread_bins.
// A word holds the code's offset in its bin and its position in shared memory. Stable.
#pragma once

#include <bit>
#include <cstdint>

#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "even_buckets.cuh"
#include "extremes.cuh"
#include "thread_bins.cuh"

namespace gpu::inline v1::detail::device::block {

/// The range of 64-bit codes: their leading words, after a shift, less `least` modulo 2^32, are at most `span`.
struct word_range {
  unsigned shift;
  unsigned least;
  unsigned span;
  unsigned shared_bits = 0;  ///< low bits of codes that words leave out

  __device__ __forceinline__ unsigned operator()(std::uint64_t code) const { return leading_word(code, shift) - least; }

  /// The number of upper bits of a word that the span does not use; 31 at most, even for a span of zero.
  __device__ unsigned unused_bits() const { return min(static_cast<unsigned>(__clz(static_cast<int>(span))), 31u); }
  /// The range of words that include `bits` more of the lower bits, fewer than 32.
  __device__ word_range finer(unsigned bits) const {
    return {shift + bits, least << bits, (span << bits) + ((1u << bits) - 1)};
  }

  /// The number of last bits that all shifted codes share: 32 of them lie below the word, the others are the word's
  /// last bits.
  __device__ __forceinline__ unsigned same_bits() const { return shift + shared_bits; }
  /// The range of words for codes that share `low_bits` low bits with `code`, enough to make words share their last
  /// bits, which become zero.
  __device__ word_range without(unsigned low_bits, std::uint64_t code) const {
    const unsigned bits = min(low_bits, 63 - shift);
    const unsigned alike = (1u << (shift + bits - 32)) - 1;
    const unsigned last = leading_word(code, shift) - least & alike;
    return {shift, least + last, span | alike, bits};
  }
};

/// Makes words for codes in a range, at positions below Tile. Where codes leave bits of a word unused, positions fill
/// them, so that equal codes, too, are spread over several bins.
template <int Threads, unsigned Tile>
class indexed_words {
  static constexpr unsigned position_bits = std::bit_width(Tile - 1);
  static constexpr unsigned word_bits = 32;

 public:
  static constexpr unsigned position_mask = (1u << position_bits) - 1;

  /// `range`: as fine as a 32-bit span allows.
  __device__ __forceinline__ explicit indexed_words(const word_range& range)
      : range_{range},
        is_complete_{range.same_bits() >= enough_same_bits},
        spread_{is_complete_ ? 1u << (range.same_bits() - enough_same_bits) : 0},
        scale_{even_bins<Threads>::scale_for(range.span)} {}

  /// With at least this many same bits, a word has room for the position.
  static constexpr unsigned enough_same_bits = word_bits + position_bits;

  /// The bin in the upper half, the word to sort by in the lower one.
  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t code, unsigned position) const {
    const unsigned word = range_(code) + position * spread_;
    return (std::uint64_t{word} * scale_ & ~std::uint64_t{position_mask}) | position;
  }

  /// Whether words of different codes differ in more than the position: all bits in which codes differ count, and such
  /// words are multiples of what the position cuts off.
  __device__ __forceinline__ bool is_complete() const { return is_complete_; }

 private:
  word_range range_;
  bool is_complete_;
  unsigned spread_;  ///< of positions over the bits that codes leave unused
  unsigned scale_;
};

/// Threads: a power of two. All members are called by every thread of the block.
template <class Code, int Threads, int Items>
class wide_bins {
  using word_bins = thread_bins<Threads, Items>;
  using words = indexed_words<Threads, word_bins::tile>;
  static constexpr unsigned position_mask = words::position_mask;
  static constexpr int sure = Items - Items / 8;  ///< items that every thread of a base case usually has
  static constexpr int early = Items / 2;         ///< items whose codes go to shared memory at once

 public:
  static constexpr unsigned tile = word_bins::tile;

  /// The bins' slots later hold the other items' codes, then the sorted words.
  struct storage {
    Code codes[early * Threads];
    typename word_bins::storage bins;
    extremes_storage<unsigned, Threads> range[2];
    typename common_low_bits<Threads>::storage low_bits;

    __device__ Code& code(unsigned position) { return reinterpret_cast<Code*>(this)[position]; }
    __device__ unsigned* words() { return bins.slots + (Items - early) * Threads * sizeof(Code) / sizeof(unsigned); }
  };
  static_assert(sizeof(storage::bins.slots) >= (Items - early) * Threads * sizeof(Code) + tile * sizeof(unsigned));

  __device__ explicit wide_bins(storage& shared) : shared_{shared} {}

  /// Encodes and sorts source[0, n), 0 < n <= tile. Returns false if bins lack room. meanwhile() is called while the
  /// codes are being read. Synchronises before and after.
  template <class Source, class Encoder, class Meanwhile>
  __device__ __forceinline__ bool sort(Source source, unsigned n, unsigned, Encoder encoder, Meanwhile meanwhile) {
    Code codes[Items];
    __syncthreads();
    const bool mend = n >= sure * Threads ? scatter<sure>(codes, source, n, encoder, meanwhile)
                                          : scatter<0>(codes, source, n, encoder, meanwhile);
    return finalize(codes, mend);
  }

  /// Called before the other sort(), with a barrier between.
  __device__ void clear() { word_bins{shared_.bins}.clear(tile); }

  /// Sorts codes in registers, those of all threads whose bits in `present` are set, `n` in all, from `least` to
  /// `greatest`, which differ, and stores them, decoded, in target[0, n). Returns false, without storing anything, if
  /// bins lack room. Codes outside the range do no harm, but end up out of order. Synchronises before it stores.
  template <class Encoder, class Decoder>
  __device__ __forceinline__ bool sort(const Code (&codes)[Items], unsigned present, unsigned n, Code least,
                                       Code greatest, Code* target, Encoder, Decoder decoder) {
    if (!sort_words(codes, present, least, greatest)) return false;
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (index(i) < n) target[index(i)] = decoder.decode(code_of(shared_.words()[index(i)]));
    return true;
  }

  /// The `begin` for sort(), as in thread_bins: any position will do here.
  template <class Target>
  __device__ static unsigned begin_for(Target) {
    return 0;
  }

  /// Decodes the sorted tile into target[0, n).
  template <class Target, class Decoder>
  __device__ __forceinline__ void store(Target target, unsigned n, Decoder decoder) const {
    if (n >= sure * Threads)
      store_all<sure>(target, n, decoder);
    else
      store_all<0>(target, n, decoder);
  }

 private:
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }

  /// Sorts the codes' words, without storing the codes. Synchronises.
  __device__ __forceinline__ bool sort_words(const Code (&codes)[Items], unsigned present, Code least, Code greatest) {
    keep<0, early>(codes);
    const words word_for{range_between(least, greatest)};
    unsigned word[Items], bin[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const std::uint64_t indexed = word_for(codes[i], index(i));
      word[i] = static_cast<unsigned>(indexed);
      bin[i] = present >> i & 1u ? min(static_cast<unsigned>(indexed >> 32), Threads - 1u) : word_bins::nowhere();
    }
    word_bins{shared_.bins}.template scatter<Items>(word, [&](int i) { return bin[i]; });
    return finalize(codes, !word_for.is_complete());
  }

  /// Sorts the words of every bin, then codes whose words agree, if some may. Synchronises.
  __device__ __forceinline__ bool finalize(const Code (&codes)[Items], bool mend) {
    unsigned own_first = 0, own_count = 0;  // a bin with words that differ only in their positions, if any
    const auto take = [&]<int Count>(const unsigned(&own)[Count], int count, unsigned first) {
      unsigned* const target = shared_.words() + first;
#pragma unroll
      for (int i = 0; i < Count; ++i)
        if (i < count) target[i] = own[i];
      if (mend && least_step(own) < position_mask) own_first = first, own_count = static_cast<unsigned>(count);
    };
    if (!word_bins{shared_.bins}.finalize([&] { keep<early, Items>(codes); }, take)) return false;
    if (__syncthreads_or(own_count > 0)) {
      insert(own_first, own_count);
      __syncthreads();
    }
    return true;
  }

  /// Reads and encodes source[0, n), where every thread has at least Sure items; puts the first items of each thread
  /// into shared memory, and words for all items into their bins. Returns whether different codes may have equal words.
  /// Synchronises.
  template <int Sure, class Source, class Encoder, class Meanwhile>
  __device__ __forceinline__ bool scatter(Code (&codes)[Items], Source source, unsigned n, Encoder encoder,
                                          Meanwhile meanwhile) {
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = static_cast<Code>(source[i < Sure ? index(i) : min(index(i), n - 1)]);
    meanwhile();
    device::encode_items(codes, encoder);
    keep<0, early>(codes);
    word_bins sorted{shared_.bins};
    sorted.clear(n);
    const words word_for{range_of(codes)};
    unsigned word[Items], bin[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const std::uint64_t indexed = word_for(codes[i], index(i));
      word[i] = static_cast<unsigned>(indexed), bin[i] = static_cast<unsigned>(indexed >> 32);
    }
    sorted.template scatter<Sure>(word, [&](int i) { return bin[i]; });
    return !word_for.is_complete();
  }

  /// Writes items [First, Last) to shared memory.
  template <int First, int Last>
  __device__ __forceinline__ void keep(const Code (&codes)[Items]) const {
#pragma unroll
    for (int i = First; i < Last; ++i) shared_.code(index(i)) = codes[i];
  }

  template <int Sure, class Target, class Decoder>
  __device__ __forceinline__ void store_all(Target target, unsigned n, Decoder decoder) const {
    Code codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = code_of(shared_.words()[index(i)]);  // beyond n, any of them
    device::decode_items(codes, decoder);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i < Sure || index(i) < n) target[index(i)] = codes[i];
  }

  /// The code that a word stands for.
  __device__ __forceinline__ Code code_of(unsigned word) const { return shared_.code(word & position_mask); }

  /// The word range of codes between two different ones. The difference between their words may be one more than that
  /// between the codes if the bits cut off cause a carry.
  __device__ __forceinline__ static word_range range_between(Code least, Code greatest) {
    const unsigned zeros = block::leading_zeros(static_cast<Code>(greatest - least));
    const unsigned shift = min(max(zeros, 1u) - 1, 32u);  // words must not extend beyond the codes' bits
    const unsigned first = block::leading_word(least, shift);
    const word_range range{shift, first, block::leading_word(greatest, shift) - first};
    return range.finer(range.unused_bits());
  }

  /// The word range of all codes: leading halves suffice; where they hardly differ, words with more of the lower bits
  /// do. Whether codes may share low bits is checked for two of each thread's codes at the first barrier, which costs
  /// nothing more if they do not.
  __device__ __forceinline__ word_range range_of(const Code (&codes)[Items]) {
    constexpr unsigned enough = 16 * Threads, half = 32, worth_a_look = 256;
    unsigned word[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) word[i] = block::leading_word(codes[i], 0);
    bool alike = (codes[0] ^ codes[1]) % worth_a_look == 0;
    auto found = block::extremes<Threads>(word, shared_.range[0], [&] { alike = __syncthreads_and(alike); });
    word_range range{0, found.least, found.greatest - found.least};
#pragma unroll 1
    for (int pass = 1; range.span < enough && range.shift < half; ++pass) {
      range = range.finer(min(range.unused_bits(), half - range.shift));
#pragma unroll
      for (int i = 0; i < Items; ++i) word[i] = range(codes[i]);
      found = block::extremes<Threads>(word, shared_.range[pass % 2]);
      range.least += found.least, range.span = found.greatest - found.least;
    }
    range = range.finer(range.unused_bits());
    if (!alike || range.shift >= words::enough_same_bits) [[likely]]
      return range;
    return without_shared_bits(range, codes);
  }

  /// The range of words without the low bits that all codes share, if that makes words complete. Synchronises.
  __device__ __forceinline__ word_range without_shared_bits(const word_range& range, const Code (&codes)[Items]) {
    common_low_bits<Threads> shared_bits{shared_.low_bits};
    shared_bits.publish(codes, shared_.code(0));
    __syncthreads();
    const unsigned count = shared_bits.count();
    return range.shift + count < words::enough_same_bits ? range : range.without(count, codes[0]);
  }

  /// The least difference between neighbouring words, less one, which makes equal words, several greatest ones, count
  /// as far apart.
  template <int Count>
  __device__ __forceinline__ static unsigned least_step(const unsigned (&words)[Count]) {
    unsigned least = ~0u;
#pragma unroll
    for (int i = 1; i < Count; ++i) least = min(least, words[i] - words[i - 1] - 1);
    return least;
  }

  /// Sorts a bin some of whose words differ only in their positions, by insertion, comparing codes.
  __device__ void insert(unsigned first, unsigned count) {
    unsigned* const own = shared_.words() + first;
#pragma unroll 1
    for (unsigned end = 1; end < count; ++end) {
      const unsigned word = own[end];
      const Code code = code_of(word);
      unsigned slot = end;
#pragma unroll 1
      for (; slot > 0 && code < code_of(own[slot - 1]); --slot) own[slot] = own[slot - 1];
      own[slot] = word;
    }
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
