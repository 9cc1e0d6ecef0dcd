// Sort of a tile of codes by one block, by interpolation: a code's bin follows from its offset between the least and
// the greatest one of the tile, an atomic addition ranks it there, and neighbours that are still out of order, never
// farther apart than the largest bin, trade places. Bins that are too large for that are sorted by a warp each, and
// larger ones divided like the tile; what takes too many divisions is merged. Neubert, "The Flashsort1 algorithm",
// 1998. Not stable, which codes do not notice.
#pragma once

#include <bit>
#include <cub/block/block_scan.cuh>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "../warp/shuffle.cuh"
#include "code_range.cuh"
#include "merge_sort.cuh"
#include "overflowing_bins.cuh"
#include "transposition.cuh"

namespace gpu::inline v1::detail::device::block {

/// Threads and Items: powers of two. Distinct: no two codes are equal; where bins overflow all the same, others merge
/// them. All members are called by every thread of the block with the same n, up to the tile's size.
template <class Bits, int Threads, int Items, bool Distinct = false>
class bin_sort {
  /// Two codes each: fewer cost trades, which are dearer for wide codes, more cost clearing.
  static constexpr unsigned bins = Threads * Items / (sizeof(Bits) <= 8 ? 2 : 1);
  static constexpr unsigned bins_per_thread = bins / Threads;
  using overflow = overflowing_bins<Bits, Threads, Items>;
  static constexpr unsigned window = overflow::window;  ///< of bins that are not overflowing
  using trades = transposition<Bits, Threads, Items, window>;
  static constexpr int few = 2;            ///< codes for each thread of most bins that are divided
  static constexpr int most_divided = 16;  ///< bins: merging takes no longer
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
    uint4 quads[bins / 4];  ///< four bins each: counts, below the bin's number, then first positions
    code_range_storage<Bits, Threads> range;
    typename scan::TempStorage scan;
    unsigned largest_bin;  ///< of those that are not overflowing
    typename overflow::storage overflowing;
  };

  __device__ explicit bin_sort(storage& shared) : shared_{shared} {}

  /// Brings source[0, n), encoded, to shared memory, n > 0, in order; false if that would take too long, when merge()
  /// remains, or more than `most` codes are in overflowing bins. Synchronises before and after.
  template <class Source, class Encoder>
  __device__ bool sort(Source source, unsigned n, Encoder encoder, unsigned most = tile) {
    Bits codes[Items];
    __syncthreads();
    device::read_items(source, codes, [n](int i) { return present(i, n) ? index(i) : 0; });
    device::encode_items(codes, encoder);
    clear();
    return sort_in(block::range_of_codes<Threads, bins>(codes, shared_.range), codes, n, 0, most);
  }

  /// Sorts codes in registers, of a known range; item i of thread t is number i * Threads + t. Codes that differ
  /// in the bits of `ignored` alone may stay in any order. Nobody may still use the storage.
  __device__ bool sort(Bits (&codes)[Items], unsigned n, code_range<Bits> range, Bits ignored = 0) {
    clear();
    __syncthreads();
    return sort_in(range, codes, n, ignored, tile);
  }

  /// Sorts by merging, whatever the bins. Not inlined: what is rare shall take no registers from what is not.
  /// Synchronises.
  __device__ __noinline__ void merge(unsigned n) const {
    move_to(shared_.merging.keys);
    merges{shared_.merging}.sort(static_cast<int>(n), code_less{});
    Bits codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = shared_.merging.keys[index(i)];
    __syncthreads();
    copy(codes, n);
  }

  /// The code at a position of the sorted tile.
  __device__ Bits& operator[](unsigned position) const { return shared_.codes[padded(position)]; }

  /// Decodes the sorted tile into target[first, first + n).
  template <class Target, class Decoder>
  __device__ void store(const Target& target, unsigned n, const Decoder& decoder, unsigned first = 0) const {
    Bits codes[Items];
    fetch(codes);
    __syncwarp();  // all are read before the first is written: without branches around reads they overlap
    device::decode_items(codes, decoder);
    device::write_items(
        target, codes, [first](int i) { return first + index(i); }, [n](int i) { return present(i, n); });
  }

 private:
  __device__ void clear() {
    clear_bins();
    if (threadIdx.x > 0) return;
    shared_.largest_bin = 0;
    overflowing().clear();
  }
  __device__ void clear_bins() {
#pragma unroll
    for (unsigned b = 0; b < bins_per_thread / 4; ++b) {
      const unsigned quad = b * Threads + threadIdx.x, first = 4 * quad << 16, next = 1u << 16;
      shared_.quads[quad] = {first, first + next, first + 2 * next, first + 3 * next};
    }
  }

  __device__ overflow overflowing() const { return {shared_.overflowing, shared_.codes}; }

  /// Codes into shared memory as they come. Synchronises.
  __device__ void copy(const Bits (&codes)[Items], unsigned n) const {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (present(i, n)) shared_.codes[slot(i)] = codes[i];
    __syncthreads();
  }

  /// Bins must be clear, and that known to all threads.
  __device__ __forceinline__ bool sort_in(code_range<Bits> range, Bits (&codes)[Items], unsigned n, Bits ignored,
                                          unsigned most) {
    if (range.all_equal()) return copy(codes, n), true;
    scatter(codes, 0, n, [&](int i) { return even_bin(range.offset(codes[i])); });
    if (overflowing().any())
      return !(Distinct && ignored == 0) && overflowing().codes() <= most && order_overflowing(n, ignored);
    trade(codes, n, false);
    return true;
  }

  /// Puts in order what lies in its bin, at most a window from its position, or was sorted there, if any was.
  /// Synchronises.
  __device__ __forceinline__ void trade(Bits (&codes)[Items], unsigned n, bool any_sorted) const {
    const unsigned rounds = (shared_.largest_bin + 1) / 2;
    const trades neighbours{shared_.codes};
    neighbours.within_warps(codes, n, rounds, any_sorted);
    neighbours.across_seams(n, rounds);
  }

  /// Sorts a tile of which bins are overflowing; false if that takes too long. Those that are too long for a warp are
  /// divided like the tile, by bins of their own range. Not inlined: what is rare shall take no registers from what is
  /// not. Synchronises.
  __device__ __noinline__ bool order_overflowing(unsigned n, Bits ignored) {
    typename overflow::long_bin taken;
    for (int divided = 0;; ++divided) {
      overflowing().sort(ignored);
      if (!overflowing().take_long(taken) || divided > most_divided) return false;
      if (taken.count == 0) break;
      if (taken.count <= few * Threads)
        divide<few>(taken.first, taken.count, ignored);
      else
        divide<Items>(taken.first, taken.count, ignored);
    }
    Bits codes[Items];
    trade(codes, n, true);
    return true;
  }

  /// Brings `count` codes from position `first` on, up to Each for each thread, to bins of their own range.
  /// Synchronises.
  template <int Each>
  __device__ __forceinline__ void divide(unsigned first, unsigned count, Bits ignored) {
    Bits codes[Each];
    bool differ = false;
    const Bits any = (*this)[first];
#pragma unroll
    for (int i = 0; i < Each; ++i) {
      codes[i] = (*this)[first + min(index(i), count - 1)];
      differ |= !overflow::alike(codes[i], any, ignored);
    }
    if (!__syncthreads_or(differ)) return;
    clear_bins();
    const auto range = block::range_of_codes<Threads, bins>(codes, shared_.range);
    const bool most_are_low = range.template most_are_low<Threads>(codes[0]);
    scatter(codes, first, count, [&](int i) {
      return most_are_low ? range.template logarithmic_bin<bins>(codes[i]) : even_bin(range.offset(codes[i]));
    });
  }

  /// The bin of an offset among bins of equal width.
  __device__ static unsigned even_bin(unsigned offset) { return offset >> (32 - log_of<bins>); }

  /// Item i of the calling thread while codes are loaded and stored.
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }
  /// Whether it is there; one register serves all i.
  __device__ static bool present(int i, unsigned n) { return i * Threads < static_cast<int>(n - threadIdx.x); }
  /// Where a position of the tile is in shared memory; and the slot of item i.
  __device__ static unsigned padded(unsigned position) { return block::padded<Items>(position); }
  __device__ static unsigned slot(int i) {
    return padded(threadIdx.x) + static_cast<unsigned>(i) * (Threads + Threads / Items);
  }

  /// The items of the calling thread, from where sort() has brought codes.
  __device__ __forceinline__ void fetch(Bits (&codes)[Items]) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = shared_.codes[slot(i)];
  }
  /// All codes from there to `keys`, which lie in the same memory. Synchronises between.
  __device__ __forceinline__ void move_to(Bits* keys) const {
    Bits codes[Items];
    fetch(codes);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[index(i)] = codes[i];
  }

  /// Codes into shared memory, bin by bin, from position `first` on. Synchronises.
  template <int Each, class BinOf>
  __device__ __forceinline__ void scatter(const Bits (&codes)[Each], unsigned first, unsigned n, BinOf bin_of) {
    unsigned* const counts = reinterpret_cast<unsigned*>(shared_.quads);
    unsigned ranks[Each];  // bin and, below, rank in it
#pragma unroll
    for (int i = 0; i < Each; ++i) {
      const unsigned bin = bin_of(i);
      ranks[i] = 0;
      if (present(i, n)) ranks[i] = atomicAdd(&counts[bin], 1u);  // not used here, so that the next need not wait
    }
    __syncthreads();
    counts_to_starts(first);
#pragma unroll
    for (int i = 0; i < Each; ++i) {
      const unsigned position = padded(counts[ranks[i] >> 16] + (ranks[i] & 0xffffu));
      if (present(i, n)) shared_.codes[position] = codes[i];
    }
    __syncthreads();
  }

  /// Lists overflowing bins, and finds the largest one of the others, too. The first bin starts at position `first`.
  /// Synchronises.
  __device__ void counts_to_starts(unsigned first) {
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
    sum += first;
#pragma unroll
    for (unsigned q = 0; q < quads; ++q) {
      const uint4 count = counts[q];
      const unsigned y = sum + count.x, z = y + count.y, w = z + count.z;
      shared_.quads[threadIdx.x * quads + q] = {sum, y, z, w};
      sum = w + count.w;
    }
    const unsigned* const starts = reinterpret_cast<const unsigned*>(shared_.quads) + threadIdx.x * bins_per_thread;
    if (largest > window) largest = overflowing().template list<bins_per_thread>(starts, sum);
    largest = warp::maximum(largest);
    if (threadIdx.x % warp::threads == 0) atomicMax(&shared_.largest_bin, largest);
    __syncthreads();
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
