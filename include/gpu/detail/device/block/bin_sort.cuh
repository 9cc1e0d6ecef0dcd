// Sort of a tile of codes by one block, by interpolation: a code's bin follows from its offset between the least and
// the greatest one of the tile, an atomic addition ranks it there, and neighbours that are still out of order, never
// farther apart than the largest bin, are exchanged. Bins that are too large for that are sorted by a warp each, and
// larger ones divided like the tile; if too many divisions are needed, the tile is merge-sorted. Neubert, "The
// Flashsort1 algorithm", 1998. Not stable, which makes no difference for codes.
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

/// Threads and Items: powers of two. Distinct: no two codes are equal; if bins overflow nevertheless, sort() returns
/// false, and the caller merges. All members are called by every thread of the block with the same n, up to the tile's
/// size.
template <class Bits, int Threads, int Items, bool Distinct = false>
class bin_sort {
  /// Two codes per bin, one if codes are wide: fewer bins cost exchanges, which are slower for wide codes, more bins
  /// cost clearing.
  static constexpr unsigned bins = Threads * Items / (sizeof(Bits) <= 8 ? 2 : 1);
  static constexpr unsigned bins_per_thread = bins / Threads;
  using overflow = overflowing_bins<Bits, Threads, Items>;
  static constexpr unsigned window = overflow::window;  ///< the most codes in a bin that is not overflowing
  using trades = transposition<Bits, Threads, Items, window>;
  static constexpr int few = 2;            ///< codes per thread in most bins that are divided
  static constexpr int most_divided = 16;  ///< bins, beyond which merging takes no longer
  static_assert((Threads & (Threads - 1)) == 0 && (Items & (Items - 1)) == 0 && bins_per_thread % 4 == 0);
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;  // raking takes more registers
  using merges = merge_sort<Bits, no_value, Threads, Items + 1, false>;        // an odd number: no bank conflicts

 public:
  static constexpr unsigned tile = Threads * Items;

  struct storage {
    union {
      Bits codes[tile + Threads];  ///< one unused after each thread's Items, to avoid bank conflicts
      typename merges::storage merging;
    };
    uint4 quads[bins / 4];  ///< four bins each: counts, below the bin's number, then first positions
    code_range_storage<Bits, Threads> range;
    typename scan::TempStorage scan;
    unsigned largest_bin;  ///< codes in the largest bin that is not overflowing
    typename overflow::storage overflowing;
  };

  __device__ explicit bin_sort(storage& shared) : shared_{shared} {}

  /// Encodes source[0, n), n > 0, and sorts it into shared memory. Returns false if that would take too long, or if
  /// more than `most` codes are in overflowing bins; merge() can then finish the sort. Synchronises before and after.
  template <class Source, class Encoder>
  __device__ bool sort(Source source, unsigned n, Encoder encoder, unsigned most = tile) {
    Bits codes[Items];
    __syncthreads();
    device::read_items(source, codes, [n](int i) { return present(i, n) ? index(i) : 0; });
    device::encode_items(codes, encoder);
    clear();
    return sort_in(block::range_of_codes<Threads, bins>(codes, shared_.range), codes, n, 0, most);
  }

  /// Sorts codes in registers, of a known range; item i of thread t is number i * Threads + t. Codes that differ only
  /// in the bits of `ignored` may stay in any order. The storage must not be in use by any thread.
  __device__ bool sort(Bits (&codes)[Items], unsigned n, code_range<Bits> range, Bits ignored = 0) {
    clear();
    __syncthreads();
    return sort_in(range, codes, n, ignored, tile);
  }

  /// Sorts by merging, after sort() has failed. Not inlined, so that this rare case takes no registers from the common
  /// one. Synchronises.
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
    __syncwarp();  // all reads come before the first write: without branches around them they overlap
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

  /// Writes codes to shared memory in the order of their numbers. Synchronises.
  __device__ void copy(const Bits (&codes)[Items], unsigned n) const {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (present(i, n)) shared_.codes[slot(i)] = codes[i];
    __syncthreads();
  }

  /// Bins must have been cleared, and that synchronised.
  __device__ __forceinline__ bool sort_in(code_range<Bits> range, Bits (&codes)[Items], unsigned n, Bits ignored,
                                          unsigned most) {
    if (range.all_equal()) return copy(codes, n), true;
    scatter(codes, 0, n, [&](int i) { return even_bin(range.offset(codes[i])); });
    if (overflowing().any())
      return !(Distinct && ignored == 0) && overflowing().codes() <= most && order_overflowing(n, ignored);
    trade(codes, n, false);
    return true;
  }

  /// Exchanges neighbours until all are in order, where each code is in its bin, at most a window from its final
  /// position, or already in order; `any_sorted`: whether some bins have been sorted. Synchronises.
  __device__ __forceinline__ void trade(Bits (&codes)[Items], unsigned n, bool any_sorted) const {
    const unsigned rounds = (shared_.largest_bin + 1) / 2;
    const trades neighbours{shared_.codes};
    neighbours.within_warps(codes, n, rounds, any_sorted);
    neighbours.across_seams(n, rounds);
  }

  /// Sorts a tile that has overflowing bins; returns false if that takes too long. Bins that are too long for a warp
  /// are divided like the tile, by bins of their own range. Not inlined, so that this rare case takes no registers from
  /// the common one. Synchronises.
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

  /// Distributes `count` codes from position `first` on, up to Each per thread, to bins of their own range.
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

  /// The index of the calling thread's item i while codes are loaded and stored.
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }
  /// Whether item i exists; one register serves all i.
  __device__ static bool present(int i, unsigned n) { return i * Threads < static_cast<int>(n - threadIdx.x); }
  /// The index in shared memory of a position of the tile, and of item i.
  __device__ static unsigned padded(unsigned position) { return block::padded<Items>(position); }
  __device__ static unsigned slot(int i) {
    return padded(threadIdx.x) + static_cast<unsigned>(i) * (Threads + Threads / Items);
  }

  /// Reads the calling thread's items from where sort() has left them.
  __device__ __forceinline__ void fetch(Bits (&codes)[Items]) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = shared_.codes[slot(i)];
  }
  /// Moves all codes from there to `keys`, which overlap them. Synchronises in between.
  __device__ __forceinline__ void move_to(Bits* keys) const {
    Bits codes[Items];
    fetch(codes);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) keys[index(i)] = codes[i];
  }

  /// Writes codes to shared memory, bin by bin, from position `first` on. Synchronises.
  template <int Each, class BinOf>
  __device__ __forceinline__ void scatter(const Bits (&codes)[Each], unsigned first, unsigned n, BinOf bin_of) {
    unsigned* const counts = reinterpret_cast<unsigned*>(shared_.quads);
    unsigned ranks[Each];  // upper half: bin; lower half: rank in it
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

  /// Turns counts into first positions; lists overflowing bins and finds the largest one of the others. The first bin
  /// starts at position `first`. Synchronises.
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
