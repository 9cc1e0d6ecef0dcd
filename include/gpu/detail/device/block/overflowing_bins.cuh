// Bins of a tile in shared memory that hold more codes than neighbours' trades put in order, since few different ones
// repeat in them: those in disorder are put in order by a warp each, value by value.
#pragma once

#include "../columns.cuh"
#include "../warp/shuffle.cuh"
#include "items.cuh"

namespace gpu::inline v1::detail::device::block {

/// Of tiles of Threads * Items codes.
template <class Bits, int Threads, int Items>
class overflowing_bins {
  static constexpr int warps = Threads / warp::threads;
  static constexpr int held = 8;               ///< codes of a bin per thread of the warp that orders it
  static constexpr unsigned most_values = 10;  ///< in a bin: each costs a walk through it

 public:
  static constexpr unsigned window = warp::threads / 2;  ///< bins of more codes are overflowing

  struct storage {
    unsigned count;
    unsigned listed[Threads * Items / (window + 1)];  ///< first positions and, in the upper halves, numbers of codes
    unsigned disorder[warps];                         ///< a bit for each thread's Items neighbours
  };
  static_assert(Threads * Items / (window + 1) <= Threads);

  /// codes: the tile, padded.
  __device__ overflowing_bins(storage& shared, Bits* codes) : shared_{shared}, codes_{codes} {}

  /// By one thread, before bins are listed.
  __device__ void clear() { shared_.count = 0; }

  /// Whether there are any. After a barrier, when all threads have listed theirs.
  __device__ bool any() const { return shared_.count > 0; }

  /// Whether a listed bin holds more codes than so many. Synchronises before and after.
  __device__ bool larger_than(unsigned count) const {
    return __syncthreads_or(threadIdx.x < shared_.count && shared_.listed[threadIdx.x] >> 16 > count);
  }

  /// Lists the overflowing ones of the calling thread's bins, which begin at starts[0, Bins) and end at `end`; returns
  /// the largest number of codes of its others. Not inlined: what is rare shall take no registers from what is not.
  template <unsigned Bins>
  __device__ __noinline__ unsigned list(const unsigned* starts, unsigned end) {
    unsigned largest = 0;
#pragma unroll 1
    for (unsigned b = Bins; b-- > 0;) {
      const unsigned first = starts[b], count = end - first;
      if (count > window)
        shared_.listed[atomicAdd(&shared_.count, 1u)] = count << 16 | first;
      else
        largest = max(largest, count);
      end = first;
    }
    return largest;
  }

  /// Puts listed bins in order, in tiles of n codes; those that differ in the bits of `ignored` alone may stay in any
  /// order. False if some bins hold too many values, or too many codes of several. Synchronises.
  __device__ bool order(unsigned n, Bits ignored) {
    mark_disorder(n, ignored);
    const unsigned b = threadIdx.x % warp::threads * warps + threadIdx.x / warp::threads;
    const unsigned listed = b < shared_.count ? shared_.listed[b] : 0;
    const unsigned first = listed & 0xffffu, count = listed >> 16;
    bool ordered = true;
    unsigned lanes = __ballot_sync(warp::all_lanes, count > 0 && in_disorder(first, count));
    for (; lanes != 0 && ordered; lanes &= lanes - 1) {
      const unsigned lane = __ffs(static_cast<int>(lanes)) - 1;
      ordered = order_bin(warp::shuffle(first, lane), warp::shuffle(count, lane), ignored);
    }
    return !__syncthreads_or(!ordered);
  }

 private:
  __device__ Bits& code(unsigned position) const { return codes_[block::padded<Items>(position)]; }

  /// Tells of each thread's Items neighbours, and the one before them, whether they are in disorder. Synchronises.
  __device__ void mark_disorder(unsigned n, Bits ignored) {
    const unsigned begin = threadIdx.x * Items, end = min(begin + Items, n);
    auto before = static_cast<Bits>(code(max(begin, 1u) - 1) | ignored);
    bool disorder = false;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      const auto value = static_cast<Bits>(code(begin + i) | ignored);
      disorder |= begin + i < end && value < before;
      before = value;
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

  /// Puts a bin's codes in order by a warp: the least that are left, as many as there are, then the next ones. False,
  /// and the codes are left in any order, if that takes too long. Not inlined, as list().
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
      codes[i] = code(first + min(at, count - 1));
      if (at < count) left |= 1u << i;
    }
    __syncwarp();  // all codes have been read
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
        if (next) code(first + __popc(alike & warp::lanes_before())) = codes[i], left ^= 1u << i;
        first += __popc(alike);
      }
      if (values == most_values) return false;
    }
    return true;
  }

  storage& shared_;
  Bits* codes_;
};

}  // namespace gpu::inline v1::detail::device::block
