// Odd-even transposition sort of a tile's codes that are nearly in order: neighbours are exchanged until all are in
// order, first within each warp, in registers, then around the seams between warps. Knuth, The Art of Computer
// Programming 3, 5.3.4, exercise 37.
#pragma once

#include "../columns.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "items.cuh"

namespace gpu::inline v1::detail::device::block {

/// For Threads * Items codes in shared memory, padded. Window: disorder never spans more than this many neighbours, as
/// many as the steps across the seams between warps can handle. All members are called by every thread of the block
/// with the same n.
template <class Bits, int Threads, int Items, unsigned Window>
class transposition {
  static constexpr unsigned warp_tile = warp::threads * Items;

 public:
  __device__ explicit transposition(Bits* codes) : codes_{codes} {}

  /// Odd-even transposition among the codes of a warp, Items neighbours in each thread's registers. Synchronises.
  /// `any_sorted`: whether to check first if they are already in order.
  __device__ void within_warps(Bits (&codes)[Items], unsigned n, unsigned rounds, bool any_sorted) const {
    const unsigned lane = threadIdx.x % warp::threads;
    const unsigned first = threadIdx.x * Items;
    const auto here = static_cast<int>(n - first);
    Bits* const own = codes_ + block::padded<Items>(first);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      codes[i] = own[i];
      if (i >= here) codes[i] = static_cast<Bits>(~Bits{0});
    }
    if (any_sorted && in_order(codes)) rounds = 0;
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

  /// Exchanges codes around the seams, one code per lane: a bin that lies across the seam between two warps is in order
  /// on either side. Synchronises.
  __device__ void across_seams(unsigned n, unsigned rounds) const {
    const unsigned seam = (threadIdx.x / warp::threads + 1) * warp_tile;
    if (seam < n) {  // the same for the whole warp
      const unsigned lane = threadIdx.x % warp::threads;
      const unsigned position = seam - Window + lane;
      Bits& slot = codes_[block::padded<Items>(min(position, Threads * Items - 1u))];
      Bits code = position < n ? slot : static_cast<Bits>(~Bits{0});
      if (__all_sync(warp::all_lanes, warp::shuffle_up(code) <= code)) rounds = 0;
#pragma unroll 1
      for (unsigned round = 0; round < rounds; ++round) {
        trade(code, lane ^ 1u, lane);
        trade(code, ((lane + 1) ^ 1u) - 1, lane);
      }
      if (position < n) slot = code;
    }
    __syncthreads();
  }

 private:
  /// Whether the warp's codes are in order, Items neighbours in each thread's registers.
  __device__ static bool in_order(const Bits (&codes)[Items]) {
    const Bits before = warp::shuffle_up(codes[Items - 1]);  // the first lane's own
    bool ordered = threadIdx.x % warp::threads == 0 || before <= codes[0];
#pragma unroll
    for (int i = 1; i < Items; ++i) ordered &= codes[i - 1] <= codes[i];
    return __all_sync(warp::all_lanes, ordered);
  }

  /// The lower of two lanes keeps the lower code; a lane without partner keeps its own.
  __device__ static void trade(Bits& code, unsigned partner, unsigned lane) {
    const Bits other = warp::shuffle(code, partner % warp::threads);
    if (partner < warp::threads && (partner < lane ? code < other : other < code)) code = other;
  }

  Bits* codes_;
};

}  // namespace gpu::inline v1::detail::device::block
