// Sort of a tile of codes by one block, for codes that lie evenly between two known ones: a code's bin follows from its
// place between them, an atomic addition ranks it there, and so it finds a slot near its own. Every thread sorts the
// slots of a stretch by a network, then merges the upper half of its stretch with the lower half of the next one, in
// turns, until all are in order. Neubert, "The Flashsort1 algorithm", 1998; merge-splitting: Baudet and Stevenson,
// "Optimal sorting algorithms for parallel computers", 1978. Not stable, which codes do not notice.
#pragma once

#include <cub/block/block_scan.cuh>

#include "../columns.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Bins of equal width for 4- or 8-byte codes from `least` on. Any code has a bin.
template <class Code, unsigned Bins>
class equal_bins {
 public:
  __device__ __forceinline__ equal_bins(Code least, Code greatest) : least_{least}, drop_{0} {
    const Code span = greatest - least;
    if constexpr (sizeof(Code) == 8) drop_ = 32 - min(__clzll(static_cast<long long>(span)), 32);
    constexpr float all = 4294967296.f * static_cast<float>(Bins);
    scale_ = __float2uint_rz(all / __uint2float_ru(max(word(span), 1u)));
  }

  __device__ __forceinline__ unsigned of(Code code) const {
    return min(__umulhi(word(static_cast<Code>(code - least_)), scale_), Bins - 1);
  }

 private:
  /// The leading bits in which codes can differ.
  __device__ __forceinline__ unsigned word(Code difference) const {
    if constexpr (sizeof(Code) == 8)
      return __funnelshift_rc(static_cast<unsigned>(difference), static_cast<unsigned>(difference >> 32), drop_);
    else
      return difference;
  }

  Code least_;
  unsigned drop_;
  unsigned scale_;
};

/// Items: odd, so that stretches of neighbouring threads begin in different banks. All members are called by every
/// thread of the block.
template <class Code, int Threads, int Items>
class slot_sort {
  static constexpr unsigned bins_per_thread = 8;  ///< some two codes each: fewer cost rounds, more cost clearing
  static constexpr unsigned bins = Threads * bins_per_thread;
  static constexpr int shift = Items / 2;       ///< of the stretches that are merged, against those that are sorted
  static constexpr int longer = Items - shift;  ///< part of them
  static constexpr int most_rounds = 8;         ///< beyond which two at a time is faster
  static constexpr Code last_code = static_cast<Code>(~Code{0});
  static_assert(Items % 2 == 1 && (longer & (longer - 1)) == 0);
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;  // raking takes more registers

  /// What a warp tells the others of the codes that its threads have merged.
  struct seam {
    Code first;
    Code last;
    bool disorder;
  };

 public:
  static constexpr unsigned tile = Threads * Items;

  struct storage {
    Code slots[tile + shift];
    alignas(16) unsigned counts[bins];  ///< then first slots
    typename scan::TempStorage scan;
    seam seams[Threads / warp::threads];
  };

  __device__ explicit slot_sort(storage& shared) : shared_{shared} {}

  /// Before sort, with a barrier between.
  __device__ void clear() { quads()[threadIdx.x] = quads()[Threads + threadIdx.x] = {0, 0, 0, 0}; }

  /// Leaves those codes of all threads whose bits of `present` are set, `n` in all, in order in shared memory; false if
  /// they do not lie evenly enough from least to greatest. Synchronises before it returns.
  template <int Held>
  __device__ __forceinline__ bool sort(const Code (&codes)[Held], unsigned present, unsigned n, Code least,
                                       Code greatest) {
    scatter(codes, present, n, equal_bins<Code, bins>{least, greatest});
    return settle();
  }

  /// The code at a position of the sorted tile.
  __device__ __forceinline__ const Code& operator[](unsigned position) const { return shared_.slots[position]; }

 private:
  /// Codes into slots, bin by bin; the greatest code into those from n on. Synchronises.
  template <int Held>
  __device__ __forceinline__ void scatter(const Code (&codes)[Held], unsigned present, unsigned n,
                                          const equal_bins<Code, bins>& bins_of_codes) {
    constexpr unsigned absent = ~0u;
    unsigned places[Held];  // rank in a bin and the bin, 16 bits each
#pragma unroll
    for (int i = 0; i < Held; ++i) {
      places[i] = absent;
      if ((present >> i & 1u) == 0) continue;
      const unsigned bin = bins_of_codes.of(codes[i]);
      places[i] = atomicAdd(&shared_.counts[bin], 1u) << 16 | bin;
    }
    __syncthreads();
    counts_to_starts();
#pragma unroll
    for (int i = 0; i < Held; ++i) {
      if (places[i] != absent) shared_.slots[shared_.counts[places[i] & 0xffffu] + (places[i] >> 16)] = codes[i];
    }
    for (unsigned i = n + threadIdx.x; i < tile + shift; i += Threads) shared_.slots[i] = last_code;
    __syncthreads();
  }

  /// Four bins each.
  __device__ __forceinline__ uint4* quads() const { return reinterpret_cast<uint4*>(shared_.counts); }

  /// A thread's two quads lie half the bins apart, so that neighbours read neighbouring quads; their sums share a word.
  /// Synchronises.
  __device__ __forceinline__ void counts_to_starts() {
    const uint4 low = quads()[threadIdx.x], high = quads()[Threads + threadIdx.x];
    unsigned sums = (low.x + low.y + low.z + low.w) | (high.x + high.y + high.z + high.w) << 16, all = 0;
    scan{shared_.scan}.ExclusiveSum(sums, sums, all);
    quads()[threadIdx.x] = starts(low, sums & 0xffffu);
    quads()[Threads + threadIdx.x] = starts(high, (sums >> 16) + (all & 0xffffu));
    __syncthreads();
  }
  __device__ static uint4 starts(uint4 counts, unsigned first) {
    const unsigned y = first + counts.x, z = y + counts.y;
    return {first, y, z, z + counts.z};
  }

  /// Puts all slots in order, if no code has to go far; returns whether they are. Synchronises.
  __device__ __forceinline__ bool settle() {
    Code* const own = shared_.slots + threadIdx.x * Items;
    Code codes[Items];
    read(codes, own);
    thread::sort_by_merges(codes);
    pass_to_previous(codes, own);
#pragma unroll 1
    for (int round = 0; round < most_rounds; ++round) {
      thread::merge_runs<longer>(codes);
      write(codes, own + shift);
      if (in_order(codes, own)) return true;
      read(codes, own);
      thread::sort_by_merges(codes);
      write(codes, own);
      __syncthreads();
      read(codes, own + shift);
    }
    return false;
  }

  /// The first codes of every stretch go behind those of the one before, whose own first ones leave; those of the first
  /// stretch stay in their slots. Between warps they go through shared memory. Synchronises.
  __device__ __forceinline__ void pass_to_previous(Code (&codes)[Items], Code* own) {
    const unsigned lane = threadIdx.x % warp::threads;
    if (lane == 0)
#pragma unroll
      for (int i = 0; i < shift; ++i) own[i] = codes[i];
    __syncthreads();
    Code next[shift];
#pragma unroll
    for (int i = 0; i < shift; ++i) next[i] = warp::shuffle_down(codes[i]);
    if (lane + 1 == warp::threads)
#pragma unroll
      for (int i = 0; i < shift; ++i) next[i] = own[Items + i];
#pragma unroll
    for (int i = 0; i < longer; ++i) codes[i] = codes[shift + i];
#pragma unroll
    for (int i = 0; i < shift; ++i) codes[longer + i] = next[i];
  }

  /// Whether all stretches of merged codes follow one another in order. Synchronises.
  __device__ __forceinline__ bool in_order(const Code (&codes)[Items], const Code* own) {
    const unsigned lane = threadIdx.x % warp::threads;
    const Code before = warp::shuffle_up(codes[Items - 1]);
    const bool first_of_all = threadIdx.x == 0;
    const bool disorder = first_of_all ? codes[0] < own[shift - 1] : lane > 0 && codes[0] < before;
    const bool any = __any_sync(warp::all_lanes, disorder);
    seam& mine = shared_.seams[threadIdx.x / warp::threads];
    if (lane == 0) mine.first = codes[0], mine.disorder = any;
    if (lane + 1 == warp::threads) mine.last = codes[Items - 1];
    __syncthreads();
    bool found = false;
    if (lane < Threads / warp::threads) {
      const seam& other = shared_.seams[lane];
      found = other.disorder || (lane > 0 && other.first < shared_.seams[lane - 1].last);
    }
    return !__any_sync(warp::all_lanes, found);
  }

  __device__ __forceinline__ static void read(Code (&codes)[Items], const Code* from) {
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = from[i];
  }
  __device__ __forceinline__ static void write(const Code (&codes)[Items], Code* to) {
#pragma unroll
    for (int i = 0; i < Items; ++i) to[i] = codes[i];
  }

  storage& shared_;
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
