// Sort of a tile of codes by one block, by interpolation: a code's bin follows from its place between the tile's least
// and greatest code, an atomic addition ranks it there, and neighbours that are still out of order, never farther apart
// than the largest bin, trade places. Bins that are crowded, since few different codes repeat in them, are put in order
// value by value before; merging remains where that is not the reason. Neubert, "The Flashsort1 algorithm", 1998;
// odd-even transposition: Knuth, The Art of Computer Programming 3, 5.3.4, exercise 37. Not stable, which codes do not
// notice.
#pragma once

#include <bit>
#include <cub/block/block_scan.cuh>

#include "../../key.hpp"
#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "even_buckets.cuh"
#include "extremes.cuh"
#include "merge_sort.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Threads and Items: powers of two. Distinct: no two codes are equal. All members are called by every thread of the
/// block with the same n, up to the tile's size.
template <class Bits, int Threads, int Items, bool Distinct = false>
class bin_sort {
  static constexpr unsigned warp_tile = warp::threads * Items;
  /// Two codes each: fewer cost trades, which are dearer for wide codes, more cost clearing.
  static constexpr unsigned bins = Threads * Items / (sizeof(Bits) <= 8 ? 2 : 1);
  static constexpr unsigned bin_bits = std::countr_zero(bins);
  static constexpr unsigned bins_per_thread = bins / Threads;
  static constexpr unsigned window = warp::threads / 2;  ///< largest bin that the seams between warps allow for
  static constexpr int held = 8;               ///< codes of a crowded bin per thread of the warp that orders it
  static constexpr unsigned most_values = 10;  ///< in a crowded bin: each costs a walk through it
  static_assert((Threads & (Threads - 1)) == 0 && (Items & (Items - 1)) == 0 && bins_per_thread % 4 == 0);
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;  // raking takes more registers
  using merges = merge_sort<Bits, no_value, Threads, Items + 1, false>;        // an odd number: no bank conflicts

 public:
  static constexpr unsigned tile = Threads * Items;

  struct storage {
    union {
      Bits codes[tile + Threads];  ///< one unused after each thread's Items, against bank conflicts
      typename merges::storage merging;
    };
    uint4 quads[bins / 4];  ///< four bins each: counts, below the bin's number, then first places
    extremes_storage<unsigned, Threads> word_extremes;
    extremes_storage<Bits, Threads> code_extremes;
    typename scan::TempStorage scan;
    unsigned largest_bin;  ///< of those that are not crowded
    unsigned crowded_bins;
    unsigned crowded[tile / (window + 1)];  ///< first places and, in the upper halves, counts
    unsigned disorder[Threads / warp::threads];
  };

  __device__ explicit bin_sort(storage& shared) : shared_{shared} {}

  /// Brings source[0, n), encoded, to shared memory, n > 0, in order; false if bins are too crowded for that, when
  /// merge() does. Synchronises before and after.
  template <class Source, class Encoder>
  __device__ bool sort(Source source, unsigned n, Encoder encoder) {
    Bits codes[Items];
    __syncthreads();
    const auto first = static_cast<Bits>(source[0]);
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = present(i, n) ? static_cast<Bits>(source[index(i)]) : first;
    encode_items(codes, encoder);
    clear();
    return sort(codes, n, range(codes), 0);
  }

  /// The same for codes in registers, all from least to greatest; item i of thread t is number i * Threads + t. Codes
  /// that differ in the bits of `ignored` alone may stay in any order. Nobody may still use the storage.
  __device__ bool sort(Bits (&codes)[Items], unsigned n, Bits least, Bits greatest, Bits ignored) {
    clear();
    __syncthreads();
    const Bits difference = static_cast<Bits>(greatest - least);
    return sort(codes, n, {least, leading_zeros(difference), difference == 0}, ignored);
  }

  /// Puts what sort() has brought to shared memory in order, whatever its bins. Not inlined: what is rare shall take no
  /// registers from what is not. Synchronises.
  __device__ __noinline__ void merge(unsigned n) const {
    Bits codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = shared_.codes[place(i)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) shared_.merging.keys[index(i)] = codes[i];
    merges{shared_.merging}.sort(static_cast<int>(n), code_less{});
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = shared_.merging.keys[index(i)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) shared_.codes[place(i)] = codes[i];
    __syncthreads();
  }

  /// The code at a position of the sorted tile.
  __device__ Bits& operator[](unsigned position) const { return shared_.codes[padded(position)]; }

  /// Decodes the sorted tile into target[0, n).
  template <class Target, class Decoder>
  __device__ void store(Target target, unsigned n, Decoder decoder) const {
    Bits codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = shared_.codes[place(i)];
    __syncwarp();  // all are read before the first is written: without branches around reads they overlap
    decode_items(codes, decoder);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (present(i, n)) target[index(i)] = codes[i];
  }

 private:
  struct code_range {
    Bits least;
    unsigned shift;
    bool all_equal;
  };

  __device__ void clear() {
#pragma unroll
    for (unsigned b = 0; b < bins_per_thread / 4; ++b) {
      const unsigned quad = b * Threads + threadIdx.x, first = 4 * quad << 16, next = 1u << 16;
      shared_.quads[quad] = {first, first + next, first + 2 * next, first + 3 * next};
    }
    if (threadIdx.x == 0) shared_.largest_bin = shared_.crowded_bins = 0;
  }

  /// Bins must be clear, and that known to all threads.
  __device__ bool sort(Bits (&codes)[Items], unsigned n, code_range found, Bits ignored) {
    if (found.all_equal) return copy(codes, n), true;
    scatter(codes, n, found);
    const bool crowded = shared_.crowded_bins > 0;
    if (crowded && ((Distinct && ignored == 0) || !order_crowded(n, ignored))) return false;
    const unsigned rounds = (shared_.largest_bin + 1) / 2;
    trade_within_warps(codes, n, rounds, crowded);
    trade_across_seams(n, rounds);
    return true;
  }

  /// Item i of the calling thread while codes are loaded and stored.
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }
  /// Whether it is there; one register serves all i.
  __device__ static bool present(int i, unsigned n) { return i * Threads < static_cast<int>(n - threadIdx.x); }
  /// Where a position of the tile is in shared memory; and the place of item i.
  __device__ static unsigned padded(unsigned position) { return position + position / Items; }
  __device__ static unsigned place(int i) {
    return padded(threadIdx.x) + static_cast<unsigned>(i) * (Threads + Threads / Items);
  }

  /// The tile's range. Of wide codes the leading words tell it well enough, unless they hardly differ.
  __device__ code_range range(const Bits (&codes)[Items]) {
    constexpr unsigned enough = 8 * bins;
    constexpr unsigned below = measured_bits<Bits> - 32;
    unsigned words[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) words[i] = leading_word(codes[i], 0);
    const auto leading = extremes<Threads>(words, shared_.word_extremes);
    const unsigned span = leading.greatest - leading.least;
    if (sizeof(Bits) <= 4 || span >= enough)
      return {static_cast<Bits>(static_cast<Bits>(leading.least) << below), leading_zeros(span), span == 0};
    const auto exact = extremes<Threads>(codes, shared_.code_extremes);
    const Bits difference = static_cast<Bits>(exact.greatest - exact.least);
    return {exact.least, leading_zeros(difference), difference == 0};
  }

  /// Codes into shared memory as they come. Synchronises.
  __device__ void copy(const Bits (&codes)[Items], unsigned n) {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (present(i, n)) shared_.codes[place(i)] = codes[i];
    __syncthreads();
  }

  /// Codes into shared memory, bin by bin. Synchronises.
  __device__ void scatter(const Bits (&codes)[Items], unsigned n, code_range range) {
    unsigned* const counts = reinterpret_cast<unsigned*>(shared_.quads);
    unsigned places[Items];  // bin and, below, rank in it
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned bin = leading_word(static_cast<Bits>(codes[i] - range.least), range.shift) >> (32 - bin_bits);
      places[i] = 0;
      if (present(i, n)) places[i] = atomicAdd(&counts[bin], 1u);  // not used here, so that the next need not wait
    }
    __syncthreads();
    counts_to_starts();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned position = padded(counts[places[i] >> 16] + (places[i] & 0xffffu));
      if (present(i, n)) shared_.codes[position] = codes[i];
    }
    __syncthreads();
  }

  /// Lists crowded bins, and finds the largest one of the others, too. Synchronises.
  __device__ void counts_to_starts() {
    constexpr unsigned quads = bins_per_thread / 4;
    uint4 counts[quads];
    unsigned sum = 0, largest = 0;
#pragma unroll
    for (unsigned q = 0; q < quads; ++q) {
      const uint4 words = shared_.quads[threadIdx.x * quads + q];
      counts[q] = {words.x & 0xffffu, words.y & 0xffffu, words.z & 0xffffu, words.w & 0xffffu};
      sum += counts[q].x + counts[q].y + counts[q].z + counts[q].w;
      largest = max(max(max(largest, counts[q].x), max(counts[q].y, counts[q].z)), counts[q].w);
    }
    scan{shared_.scan}.ExclusiveSum(sum, sum);
#pragma unroll
    for (unsigned q = 0; q < quads; ++q) {
      const uint4 count = counts[q];
      const unsigned y = sum + count.x, z = y + count.y, w = z + count.z;
      shared_.quads[threadIdx.x * quads + q] = {sum, y, z, w};
      sum = w + count.w;
    }
    if (largest > window) largest = list_crowded(sum);
    largest = warp::maximum(largest);
    if (threadIdx.x % warp::threads == 0) atomicMax(&shared_.largest_bin, largest);
    __syncthreads();
  }

  /// Lists the crowded ones of the calling thread's bins, whose codes end at `end`; returns the largest count of its
  /// others. Not inlined, as merge().
  __device__ __noinline__ unsigned list_crowded(unsigned end) const {
    const unsigned* const starts = reinterpret_cast<const unsigned*>(shared_.quads) + threadIdx.x * bins_per_thread;
    unsigned largest = 0;
#pragma unroll 1
    for (unsigned b = bins_per_thread; b-- > 0;) {
      const unsigned first = starts[b], count = end - first;
      if (count > window)
        shared_.crowded[atomicAdd(&shared_.crowded_bins, 1u)] = count << 16 | first;
      else
        largest = max(largest, count);
      end = first;
    }
    return largest;
  }

  /// Puts those crowded bins in order that are not, a warp each; false if some cannot be. Synchronises.
  __device__ bool order_crowded(unsigned n, Bits ignored) {
    mark_disorder(n, ignored);
    const unsigned b = threadIdx.x % warp::threads * (Threads / warp::threads) + threadIdx.x / warp::threads;
    const unsigned listed = b < shared_.crowded_bins ? shared_.crowded[b] : 0;
    const unsigned first = listed & 0xffffu, count = listed >> 16;
    bool ordered = true;
    unsigned lanes = __ballot_sync(warp::all_lanes, count > 0 && in_disorder(first, count));
    for (; lanes != 0 && ordered; lanes &= lanes - 1) {
      const unsigned lane = __ffs(static_cast<int>(lanes)) - 1;
      ordered = order_bin(warp::shuffle(first, lane), warp::shuffle(count, lane), ignored);
    }
    return !__syncthreads_or(!ordered);
  }

  /// Tells of each thread's Items neighbours, and the one before them, whether they are in disorder. Synchronises.
  __device__ void mark_disorder(unsigned n, Bits ignored) {
    const unsigned begin = threadIdx.x * Items, end = min(begin + Items, n);
    auto before = static_cast<Bits>(shared_.codes[padded(max(begin, 1u) - 1)] | ignored);
    bool disorder = false;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      const auto code = static_cast<Bits>(shared_.codes[padded(begin + i)] | ignored);
      disorder |= begin + i < end && code < before;
      before = code;
    }
    const unsigned lanes = __ballot_sync(warp::all_lanes, disorder);
    if (threadIdx.x % warp::threads == 0) shared_.disorder[threadIdx.x / warp::threads] = lanes;
    __syncthreads();
  }

  /// Whether a bin may be, as marks say.
  __device__ bool in_disorder(unsigned first, unsigned count) const {
    const unsigned low = first / Items, high = (first + count - 1) / Items;
    unsigned found = 0;
    for (unsigned w = low / 32; w <= high / 32; ++w) {
      const unsigned from = w == low / 32 ? low % 32 : 0, to = w == high / 32 ? high % 32 : 31;
      found |= shared_.disorder[w] >> from << from << (31 - to);
    }
    return found != 0;
  }

  /// Puts a bin's codes in order by a warp, one value after the other, each as often as it occurs; false, and the codes
  /// are left in any order, if they are too many for that. Not inlined, as merge().
  __device__ __noinline__ bool order_bin(unsigned first, unsigned count, Bits ignored) const {
    if (count > held * warp::threads) return false;
    const unsigned lane = threadIdx.x % warp::threads;
    const int rows = static_cast<int>((count - 1) / warp::threads) + 1;  // of codes, one for each lane
    Bits codes[held];
    unsigned left = 0;  // a bit for each code
#pragma unroll
    for (int i = 0; i < held; ++i) {
      if (i == rows) break;
      const unsigned at = static_cast<unsigned>(i) * warp::threads + lane;
      codes[i] = shared_.codes[padded(first + min(at, count - 1))];
      if (at < count) left |= 1u << i;
    }
    for (unsigned values = 0; __any_sync(warp::all_lanes, left != 0); ++values) {
      auto least = static_cast<Bits>(~Bits{0});
#pragma unroll
      for (int i = 0; i < held; ++i) {
        if (i == rows) break;
        const auto value = static_cast<Bits>(codes[i] | ignored);
        if ((left >> i & 1u) && value < least) least = value;
      }
      least = warp::minimum(least);
#pragma unroll
      for (int i = 0; i < held; ++i) {
        if (i == rows) break;
        const bool next = (left >> i & 1u) && (values == most_values || static_cast<Bits>(codes[i] | ignored) == least);
        const unsigned alike = __ballot_sync(warp::all_lanes, next);
        if (next) shared_.codes[padded(first + __popc(alike & warp::lanes_before()))] = codes[i], left ^= 1u << i;
        first += __popc(alike);
      }
      if (values == most_values) return false;
    }
    return true;
  }

  /// Odd-even transposition among the codes of a warp, Items neighbours in each thread's registers. Synchronises.
  /// `crowded`: whether it is worth a look if they are in order without.
  __device__ void trade_within_warps(Bits (&codes)[Items], unsigned n, unsigned rounds, bool crowded) {
    const unsigned lane = threadIdx.x % warp::threads;
    const unsigned first = threadIdx.x * Items;
    const auto here = static_cast<int>(n - first);
    Bits* const own = shared_.codes + padded(first);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      codes[i] = own[i];
      if (i >= here) codes[i] = static_cast<Bits>(~Bits{0});
    }
    if (crowded && in_order(codes)) rounds = 0;
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
      for (int i = 0; i + 1 < Items; i += 2) thread::order_numbers(codes[i], codes[i + 1]);
#pragma unroll
      for (int i = 1; i + 1 < Items; i += 2) thread::order_numbers(codes[i], codes[i + 1]);
      const Bits after = warp::shuffle_down(codes[0]), before = warp::shuffle_up(codes[Items - 1]);
      if (lane + 1 < warp::threads && after < codes[Items - 1]) codes[Items - 1] = after;
      if (lane > 0 && codes[0] < before) codes[0] = before;
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) own[i] = codes[i];
    __syncthreads();
  }

  /// Whether the warp's codes are, Items neighbours in each thread's registers.
  __device__ static bool in_order(const Bits (&codes)[Items]) {
    const Bits before = warp::shuffle_up(codes[Items - 1]);  // the first lane's own
    bool ordered = threadIdx.x % warp::threads == 0 || before <= codes[0];
#pragma unroll
    for (int i = 1; i < Items; ++i) ordered &= codes[i - 1] <= codes[i];
    return __all_sync(warp::all_lanes, ordered);
  }

  /// A bin that lies across the seam of two warps' codes is in order on either side: trades around the seam, one code
  /// per lane. Synchronises.
  __device__ void trade_across_seams(unsigned n, unsigned rounds) {
    const unsigned seam = (threadIdx.x / warp::threads + 1) * warp_tile;
    if (seam < n) {  // the same for the whole warp
      const unsigned lane = threadIdx.x % warp::threads;
      const unsigned position = seam - window + lane;
      Bits& place = shared_.codes[padded(min(position, tile - 1))];
      Bits code = position < n ? place : static_cast<Bits>(~Bits{0});
      if (__all_sync(warp::all_lanes, warp::shuffle_up(code) <= code)) rounds = 0;
#pragma unroll 1
      for (unsigned round = 0; round < rounds; ++round) {
        trade(code, lane ^ 1u, lane);
        trade(code, ((lane + 1) ^ 1u) - 1, lane);
      }
      if (position < n) place = code;
    }
    __syncthreads();
  }

  /// The lower of two lanes keeps the lower code; a lane without partner keeps its own.
  __device__ static void trade(Bits& code, unsigned partner, unsigned lane) {
    const Bits other = warp::shuffle(code, partner % warp::threads);
    if (partner < warp::threads && (partner < lane ? code < other : other < code)) code = other;
  }

  storage& shared_;
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
