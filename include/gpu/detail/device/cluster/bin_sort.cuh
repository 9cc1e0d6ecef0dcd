// Sort of few codes by a cluster of blocks, by interpolation: every block reads all codes and keeps those in its own
// share of their range; the share's position in the result is the number of codes below it. A code's bin follows from
// its offset in the range, an atomic addition ranks it there, and each thread sorts one bin in its registers. A share
// whose bins are too full for that is sorted by a tile sort. After flashsort, see block/bin_sort.cuh.
#pragma once

#include "../../keys/key.hpp"
#include "../block/bin_sort.cuh"
#include "../block/claims.cuh"
#include "../block/code_range.cuh"
#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "cluster.cuh"

namespace gpu::inline v1::detail::device::cluster {

/// Threads: of each of most_blocks blocks, a power of two.
template <class Bits, int Threads>
class bin_sort {
  static constexpr int items = most_blocks;  ///< codes that a thread reads, so that bins hold one code each on average
  static constexpr unsigned bins = Threads;  ///< of a block, one for each thread
  static constexpr unsigned all_bins = most_blocks * bins;
  static constexpr unsigned slots = 8;              ///< of a bin
  static constexpr unsigned few_slots = slots / 2;  ///< which hold most bins
  static constexpr unsigned longest = 2 * slots;    ///< bin that a thread can sort, if need be
  static constexpr unsigned warps = Threads / warp::threads;
  static constexpr unsigned nobodys = all_bins + warp::threads;  ///< absent codes' bin, beyond any counter
  static constexpr unsigned too_high = Threads * items;          ///< for a rank in a bin: marks other blocks' codes
  using tile_sort = block::bin_sort<Bits, Threads, items>;

 public:
  static constexpr unsigned tile = Threads * items;

  struct storage {
    union {
      struct {
        union {
          Bits slot[slots * bins];  ///< number s of bin b at s * bins + b
          Bits share[tile];
        };
        unsigned counts[bins + warp::threads];  ///< per bin, then where bins begin; beyond bins: other blocks' codes
        unsigned counts_of_warp[warps];
        unsigned below_of_warp[warps];  ///< a warp's codes that belong to preceding blocks
        block::code_range_storage<Bits, Threads> range;
      };
      typename tile_sort::storage sorting;
    };
  };

  __device__ explicit bin_sort(storage& shared) : shared_{shared} {}

  /// Sorts data[0, n) in place, 0 < n <= tile. Called by every thread of the cluster.
  template <class Data, class Codec>
  __device__ void sort(const Data& data, unsigned n, const Codec& codec) {
    load(data, n, codec);
    const auto range = block::range_of_codes<Threads, all_bins>(codes_, shared_.range);
    if (range.all_equal()) return;
    find_bins(range, n);
    claim_slots();
    arrive_relaxed();  // this thread has read all its codes
    __syncthreads();
    const unsigned count = shared_.counts[threadIdx.x];
    const unsigned end = counts_to(count);
    const bool overflowing = __syncthreads_or(count > slots);
    const unsigned begin = counts_before() + end - count;
    if (overflowing) {
      gather(begin);
      return sort_share<Data, Codec>(shared_, begin, count, data, below(), codec);
    }
    const unsigned first = below() + begin;
    if (__any_sync(warp::all_lanes, count > few_slots))
      sort_bin<slots>(data, first, count, codec);
    else
      sort_bin<few_slots>(data, first, count, codec);
  }

 private:
  template <class Data, class Codec>
  __device__ __forceinline__ void load(const Data& data, unsigned n, const Codec& codec) {
    device::read_items(data, codes_,
                       [n](int i) { return min(static_cast<unsigned>(i) * Threads + threadIdx.x, n - 1); });
    shared_.counts[threadIdx.x] = 0;
    if (threadIdx.x < warp::threads) shared_.counts[bins + threadIdx.x] = too_high;
    device::encode_items(codes_, codec);
  }

  /// Sets the counter of each code: its bin, numbered from the block's first one, or, for other blocks' codes, a
  /// counter per lane, as a branch would wait for each addition. Also counts the codes below the block's share.
  __device__ __forceinline__ void find_bins(const block::code_range<Bits>& range, unsigned n) {
    if (range.template most_are_low<Threads>(codes_[0])) {
      find_bins_by(n, [&](int i) { return range.template logarithmic_bin<all_bins>(codes_[i]); });
    } else {
      constexpr float less = 1 - 0x1p-20f;  // whatever the rounding, no code gets a bin beyond the last
      const auto factor =
          static_cast<unsigned>(__fdividef(float{all_bins} * 0x1p32f * less, __uint2float_ru(range.span)));
      find_bins_by(n, [&](int i) { return __umulhi(range.offset(codes_[i]), factor); });
    }
  }
  template <class BinOf>
  __device__ __forceinline__ void find_bins_by(unsigned n, BinOf bin_of) {
    const unsigned first = blockIdx.x * bins, others = bins + threadIdx.x % warp::threads;
    unsigned below = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      unsigned bin = bin_of(i);
      if (i * Threads >= static_cast<int>(n - threadIdx.x)) bin = nobodys;
      bin -= first;
      below += bin >> 31;
      slots_[i] = min(bin, others);
    }
    below = warp::sum(below);
    if (threadIdx.x % warp::threads == 0) shared_.below_of_warp[threadIdx.x / warp::threads] = below;
  }

  /// Ranks codes in their bins and puts them into the bins' slots if there is room. Where half of a warp's first codes
  /// share a bin, lanes share additions.
  __device__ __forceinline__ void claim_slots() {
    unsigned ranks[items];
    const unsigned common = warp::shuffle(slots_[0], 0);
    if (__popc(__ballot_sync(warp::all_lanes, slots_[0] == common)) < warp::threads / 2) {
#pragma unroll
      for (int i = 0; i < items; ++i) ranks[i] = atomicAdd(&shared_.counts[slots_[i]], 1u);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i) ranks[i] = block::claim_with_first(shared_.counts, slots_[i]);
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      slots_[i] += ranks[i] * bins;
      if (slots_[i] < slots * bins) shared_.slot[slots_[i]] = codes_[i];
    }
  }

  /// The number of codes in the bins of the calling thread's warp, up to and including its own; also records the warp's
  /// total.
  __device__ __forceinline__ unsigned counts_to(unsigned count) const {
    const auto end = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(count)));
    if (threadIdx.x % warp::threads == warp::threads - 1) shared_.counts_of_warp[threadIdx.x / warp::threads] = end;
    return end;
  }

  /// The number of codes in the bins of preceding warps.
  __device__ __forceinline__ unsigned counts_before() const {
    const unsigned lane = threadIdx.x % warp::threads;
    return warp::sum(lane < threadIdx.x / warp::threads ? shared_.counts_of_warp[lane] : 0u);
  }

  /// The number of codes of preceding blocks.
  __device__ __forceinline__ unsigned below() const {
    const unsigned lane = threadIdx.x % warp::threads;
    return warp::sum(lane < warps ? shared_.below_of_warp[lane] : 0u);
  }

  /// Sorts the calling thread's bin, of at most Slots codes, and stores it from data[first] on.
  template <unsigned Slots, class Data, class Codec>
  __device__ __forceinline__ void sort_bin(const Data& data, unsigned first, unsigned count, const Codec& codec) const {
    Bits bin[Slots];
#pragma unroll
    for (unsigned s = 0; s < Slots; ++s) {
      bin[s] = shared_.slot[s * bins + threadIdx.x];
      if (s >= count) bin[s] = static_cast<Bits>(~Bits{0});
    }
    thread::sort_by_merges(bin);
    device::decode_items(bin, codec);
    wait();
    device::write_items(
        data, bin, [first](int s) { return first + static_cast<unsigned>(s); },
        [count](int s) { return static_cast<unsigned>(s) < count; });
  }

  /// Writes the block's share to shared memory, bin by bin. The slots are no longer needed.
  __device__ __forceinline__ void gather(unsigned begin) {
    shared_.counts[threadIdx.x] = begin;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (slots_[i] < too_high * bins) shared_.share[shared_.counts[slots_[i] % bins] + slots_[i] / bins] = codes_[i];
  }

  /// Sorts the gathered share and stores it from data[first] on: done once short bins are in order, if all codes of
  /// each long bin are equal. Not inlined, so that this rare case takes no registers from the common one.
  template <class Data, class Codec>
  __device__ __noinline__ static void sort_share(storage& shared, unsigned begin, unsigned count,
                                                 as_argument<Data> data, unsigned first, as_argument<Codec> codec) {
    __syncthreads();
    if (count > 1 && count <= longest) order_gathered(shared.share + begin, count);
    const unsigned lane = threadIdx.x % warp::threads;
    const unsigned n = warp::sum(lane < warps ? shared.counts_of_warp[lane] : 0u);
    __syncthreads();
    bool found = false;
    for (unsigned i = threadIdx.x; i + 1 < n; i += Threads) found |= shared.share[i + 1] < shared.share[i];
    if (__syncthreads_or(found)) return sort_tile(shared, n, data, first, codec);
    wait();
    for (unsigned i = threadIdx.x; i < n; i += Threads) data[first + i] = codec.decode(shared.share[i]);
  }

  /// Sorts a bin that fits in registers.
  __device__ __forceinline__ static void order_gathered(Bits* codes, unsigned count) {
    Bits bin[longest];
#pragma unroll
    for (unsigned s = 0; s < longest; ++s) bin[s] = s < count ? codes[s] : static_cast<Bits>(~Bits{0});
    bool ordered = true;
#pragma unroll
    for (unsigned s = 1; s < longest; ++s) ordered &= bin[s - 1] <= bin[s];
    if (ordered) return;  // as equal codes are
    thread::sort_by_merges(bin);
#pragma unroll
    for (unsigned s = 0; s < longest; ++s)
      if (s < count) codes[s] = bin[s];
  }

  /// Sorts the share as a tile, by bins over the share's own range.
  template <class Data, class Codec>
  __device__ __forceinline__ static void sort_tile(storage& shared, unsigned n, const Data& data, unsigned first,
                                                   const Codec& codec) {
    Bits codes[items];
#pragma unroll
    for (int i = 0; i < items; ++i)
      codes[i] = shared.share[min(static_cast<unsigned>(i) * Threads + threadIdx.x, n - 1)];
    const auto range = block::range_of_codes<Threads, tile>(codes, shared.range);
    tile_sort sorted{shared.sorting};
    if (!sorted.sort(codes, n, range)) sorted.merge(n);
    wait();
    sorted.store(data, n, codec, first);
  }

  storage& shared_;
  Bits codes_[items];
  unsigned slots_[items];  ///< the code's counter plus its rank times bins; other blocks' codes have too high ranks
};

}  // namespace gpu::inline v1::detail::device::cluster
