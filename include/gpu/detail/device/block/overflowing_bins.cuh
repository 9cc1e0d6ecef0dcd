// Bins of a tile in shared memory that hold too many codes for exchanges of neighbours: each is sorted by a warp in its
// registers. Bins that are too long for that are listed, to be divided.
#pragma once

#include "../columns.cuh"
#include "../warp/shuffle.cuh"
#include "../warp/sort.cuh"
#include "items.cuh"

namespace gpu::inline v1::detail::device::block {

/// For tiles of Threads * Items codes.
template <class Bits, int Threads, int Items>
class overflowing_bins {
  static constexpr int warps = Threads / warp::threads;
  static constexpr unsigned tile = Threads * Items;
  static constexpr int most_held = sizeof(Bits) <= 8 ? 16 : 8;              ///< codes in the registers of a thread
  static constexpr unsigned most_of_warp = most_held * warp::threads;       ///< codes in a bin that a warp can sort
  static constexpr unsigned most_long = 2 * tile / (most_of_warp + 1) + 1;  ///< long bins waiting

 public:
  static constexpr unsigned window = warp::threads / 2;  ///< bins of more codes are overflowing

  struct storage {
    unsigned count;
    unsigned listed[tile / (window + 1)];  ///< lower halves: first positions; upper halves: numbers of codes
    unsigned codes;                        ///< in all listed bins
    unsigned long_count;
    unsigned long_ones[most_long];  ///< in the same format
  };
  static_assert(tile / (window + 1) <= Threads);

  /// codes: the tile, in the padded layout.
  __device__ overflowing_bins(storage& shared, Bits* codes) : shared_{shared}, codes_{codes} {}

  /// Called by one thread, before bins are listed.
  __device__ void clear() { shared_.count = shared_.codes = shared_.long_count = 0; }

  /// Whether any bin is listed. Called after a barrier, when all threads have listed theirs.
  __device__ bool any() const { return shared_.count > 0; }
  /// How many codes the listed bins hold.
  __device__ unsigned codes() const { return shared_.codes; }

  /// Lists the overflowing ones among the calling thread's bins, which begin at starts[0, Bins) and end at `end`;
  /// returns the largest number of codes in the others. Not inlined, so that this rare case takes no registers from the
  /// common one.
  template <unsigned Bins>
  __device__ __noinline__ unsigned list(const unsigned* starts, unsigned end) {
    unsigned largest = 0, codes = 0;
#pragma unroll 1
    for (unsigned b = Bins; b-- > 0;) {
      const unsigned first = starts[b], count = end - first, bin = count << 16 | first;
      if (count <= window)
        largest = max(largest, count);
      else
        shared_.listed[atomicAdd(&shared_.count, 1u)] = bin, codes += count;
      end = first;
    }
    atomicAdd(&shared_.codes, codes);
    return largest;
  }

  /// Sorts all listed bins except long ones, which go to their own list. Codes that differ only in the bits of
  /// `ignored` may stay in any order. Synchronises.
  __device__ void sort(Bits ignored) {
    for (unsigned b = threadIdx.x / warp::threads; b < shared_.count; b += warps) {
      const unsigned first = shared_.listed[b] & 0xffffu, count = shared_.listed[b] >> 16;
      if constexpr (sizeof(Bits) <= 8)
        if (ignored == 0 && set_most_aside(first, count)) continue;
      if (count > most_of_warp)
        list_long(shared_.listed[b]);
      else if (sizeof(Bits) > 8 && count <= warp::threads)
        rank_bin(first, count, ignored);
      else if (count <= 2 * warp::threads)
        sort_bin<2>(first, count, ignored);
      else if (count <= 4 * warp::threads)
        sort_bin<4>(first, count, ignored);
      else if (most_held == 8 || count <= 8 * warp::threads)
        sort_bin<8>(first, count, ignored);
      else
        sort_bin<most_held>(first, count, ignored);
    }
    __syncthreads();
    if (threadIdx.x == 0) shared_.count = 0;
  }

  /// Whether two codes are equal except in the bits of `ignored`.
  __device__ static bool alike(Bits code, Bits other, Bits ignored) {
    return ((code ^ other) & static_cast<Bits>(~ignored)) == 0;
  }

  /// A long bin.
  struct long_bin {
    unsigned first;
    unsigned count;  ///< zero if there is none
  };
  /// Takes a long bin from the list, the same for all threads; returns false if too many were found. Synchronises.
  __device__ bool take_long(long_bin& taken) {
    const unsigned waiting = shared_.long_count;
    const unsigned bin = waiting > 0 ? shared_.long_ones[min(waiting, most_long) - 1] : 0;
    taken = {bin & 0xffffu, bin >> 16};
    __syncthreads();
    if (threadIdx.x == 0 && waiting > 0) shared_.long_count = waiting - 1;
    return waiting <= most_long;
  }

 private:
  __device__ Bits& code(unsigned position) const { return codes_[block::padded<Items>(position)]; }

  __device__ void list_long(unsigned bin) const {
    if (threadIdx.x % warp::threads > 0) return;
    if (const unsigned at = atomicAdd(&shared_.long_count, 1u); at < most_long) shared_.long_ones[at] = bin;
  }

  /// How many of the `count` codes from `first` on belong before `own`, which is number `lane` of them.
  __device__ __forceinline__ unsigned rank_among(unsigned first, unsigned count, Bits own) const {
    const unsigned lane = threadIdx.x % warp::threads;
    unsigned rank = 0;
#pragma unroll 4
    for (unsigned at = 0; at < count; ++at) {
      const Bits other = code(first + at);
      rank += other < own || (other == own && at < lane) ? 1 : 0;
    }
    return rank;
  }

  /// Sorts, by a warp, a bin most of whose codes are equal, if the others are no more than a warp has lanes: these are
  /// ranked, the equal ones counted. Returns false if this does not apply; codes of the bin may have been reordered
  /// then.
  __device__ __noinline__ bool set_most_aside(unsigned first, unsigned count) const {
    const unsigned lane = threadIdx.x % warp::threads;
    const Bits seen = code(first + lane * count / warp::threads);
    const auto alike = static_cast<unsigned>(__popc(__match_any_sync(warp::all_lanes, seen)));
    const unsigned best = warp::maximum(alike * warp::threads + lane);
    if (best < warp::threads / 2 * warp::threads) return false;
    const Bits most = warp::shuffle(seen, best % warp::threads);
    unsigned others = 0;  // so far; brought to the front of the bin
    for (unsigned from = 0; from < count; from += warp::threads) {
      const Bits own = from + lane < count ? code(first + from + lane) : most;
      const unsigned differ = __ballot_sync(warp::all_lanes, own != most);
      __syncwarp();  // all have been read
      if (own != most) code(first + others + static_cast<unsigned>(__popc(differ & warp::lanes_before()))) = own;
      others += static_cast<unsigned>(__popc(differ));
      __syncwarp();
      if (others <= warp::threads) continue;
      for (unsigned at = others + lane; at < min(from + warp::threads, count); at += warp::threads)
        code(first + at) = most;
      __syncwarp();
      return false;
    }
    const Bits own = lane < others ? code(first + lane) : most;
    const auto less = static_cast<unsigned>(__popc(__ballot_sync(warp::all_lanes, own < most)));
    const unsigned rank = rank_among(first, others, own);
    __syncwarp();  // all codes have been read
    const unsigned copies = count - others;
    for (unsigned at = lane; at < copies; at += warp::threads) code(first + less + at) = most;
    if (lane < others) code(first + rank + (own > most ? copies : 0)) = own;
    return true;
  }

  /// Sorts a bin by a warp, at most one code per lane, each of which is compared with all others.
  __device__ __noinline__ void rank_bin(unsigned first, unsigned count, Bits ignored) const {
    const unsigned lane = threadIdx.x % warp::threads;
    const Bits own = code(first + min(lane, count - 1));
    if (__all_sync(warp::all_lanes, alike(own, code(first), ignored))) return;
    const unsigned rank = rank_among(first, count, own);
    __syncwarp();  // all codes have been read
    if (lane < count) code(first + rank) = own;
  }

  /// Sorts a bin by a warp, at most Held codes in each lane.
  template <int Held>
  __device__ __noinline__ void sort_bin(unsigned first, unsigned count, Bits ignored) const {
    const unsigned lane = threadIdx.x % warp::threads;
    const unsigned lanes = count <= warp::threads / 2 * Held ? warp::threads / 2 : warp::threads;  // that hold codes
    const Bits any = code(first);
    Bits held[Held];
    bool all_alike = true;
#pragma unroll
    for (int i = 0; i < Held; ++i) {
      const unsigned at = lane * Held + static_cast<unsigned>(i);
      held[i] = at < count ? code(first + at) : static_cast<Bits>(~Bits{0});
      all_alike &= at >= count || alike(held[i], any, ignored);
    }
    if (__all_sync(warp::all_lanes, all_alike)) return;
    warp::sort_lane(held);
    warp::merge_in_groups(held, lanes);
    __syncwarp();  // all codes have been read
#pragma unroll
    for (int i = 0; i < Held; ++i) {
      const unsigned at = lane * Held + static_cast<unsigned>(i);
      if (at < count) code(first + at) = held[i];
    }
  }

  storage& shared_;
  Bits* codes_;
};

}  // namespace gpu::inline v1::detail::device::block
