// Distribution of a tile into buckets by one block, where the number of elements per bucket is known beforehand: so are
// the first slots of all buckets, and each element goes straight to its slot in shared memory by one atomic addition,
// without being held in registers. From there each bucket's run is written where the caller says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"
#include "claims.cuh"
#include "items.cuh"

namespace gpu::inline v1::detail::device::block {

/// What shared memory holds for an element of T: the element itself if it is narrow, else its index in the tile.
template <class T>
inline constexpr bool is_staged_v = sizeof(T) <= 16;
template <class T>
using staged = std::conditional_t<is_staged_v<T>, T, std::uint16_t>;

/// AtOnce: elements of a run that a lane processes at once. Checked: whether elements may differ from the counts. All
/// members are called by every thread of the block.
template <int Threads, unsigned Buckets, int AtOnce, bool Checked>
class counted_distribute {
  static constexpr unsigned warps = Threads / warp::threads;
  static constexpr unsigned per_thread = (Buckets + Threads - 1) / Threads;
  static constexpr unsigned aligned = 8;    ///< elements: warps write from multiples of this offset on, to fill sectors
  static constexpr unsigned run_cost = 64;  ///< elements that a warp writes in the time it takes to begin a run
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;  // raking takes more registers

 public:
  struct storage {
    typename scan::TempStorage scan;
    unsigned next[Buckets];      ///< the next slot of each bucket; in the end, where the next bucket begins
    std::size_t offsets[Buckets];  ///< where the bucket's first element goes, less its slot, modulo 2^64
    unsigned end[Checked ? Buckets : 1];
  };

  /// counts[b]: the number of elements of the tile in bucket b < buckets. claim(b, count), called if count > 0, returns
  /// where they go; its results are not used before finalize(). Synchronises before and after.
  template <class Claim>
  __device__ counted_distribute(storage& shared, const std::uint16_t* counts, unsigned buckets, Claim claim)
      : shared_{shared}, buckets_{buckets} {
    unsigned count[per_thread];
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      const unsigned b = own_bucket(j);
      count[j] = b < buckets ? counts[b] : 0;
      offsets_[j] = count[j] > 0 ? static_cast<std::size_t>(claim(b, count[j])) : 0;
    }
    __syncthreads();
    scan{shared.scan}.ExclusiveSum(count, first_);
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      if (own_bucket(j) >= buckets) continue;
      shared.next[own_bucket(j)] = first_[j];
      if constexpr (Checked) shared.end[own_bucket(j)] = first_[j] + count[j];
    }
    __syncthreads();
  }

  /// Calls put(i, slot) for each of a thread's items that is among the first `count` of its batch and gets a slot in
  /// bucket(i), which all have unless Checked. `skewed`: few buckets take most elements.
  template <int Items, class Bucket, class Put>
  __device__ __forceinline__ void take(unsigned count, bool skewed, Bucket bucket, Put put) {
    const auto put_counted = [&](int i, unsigned slot) {
      if constexpr (Checked)
        if (slot >= shared_.end[bucket(i)]) return;
      put(i, slot);
    };
    if (count == Threads * Items) {
      block::claim_each<Items>(shared_.next, skewed, bucket, put_counted);
    } else {
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (block::item_index<Items>(i) < count) put_counted(i, atomicAdd(&shared_.next[bucket(i)], 1u));
    }
  }

  /// Called when all elements have slots. Synchronises after.
  __device__ void finalize() {
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j)
      if (own_bucket(j) < buckets_) shared_.offsets[own_bucket(j)] = offsets_[j] - first_[j];
    __syncthreads();
  }

  /// After finalize(): whether the number of elements in each bucket is the one counted. Synchronises.
  __device__ bool is_as_counted() const {
    bool as_counted = true;
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j)
      as_counted &= own_bucket(j) >= buckets_ || shared_.next[own_bucket(j)] == shared_.end[own_bucket(j)];
    return __syncthreads_and(as_counted);
  }

  /// Calls write(slot, position) for each of the tile's `count` slots, run after run; each warp takes a stretch of
  /// them. Beginning a run counts as run_cost elements in the lengths of stretches, as short runs take more time per
  /// element.
  template <class Write>
  __device__ void write(unsigned count, Write write) const {
    const unsigned share = static_cast<unsigned>(divide_up(count + buckets_ * run_cost, warps));
    const unsigned number = threadIdx.x / warp::threads, lane = threadIdx.x % warp::threads;
    const stretch_begin mine = stretch_from((number + lane % 2) * share, count);
    const int end = __shfl_sync(warp::all_lanes, static_cast<int>(mine.slot), 1);
    int first = __shfl_sync(warp::all_lanes, static_cast<int>(mine.slot), 0);
    for (unsigned b = __shfl_sync(warp::all_lanes, mine.bucket, 0); first < end; ++b) {
      const int last = min(static_cast<int>(shared_.next[b]), end);
      const std::size_t offset = shared_.offsets[b];
      const int before = static_cast<int>((offset + static_cast<unsigned>(first)) % aligned);
#pragma unroll 1
      for (int slot = first - before + static_cast<int>(threadIdx.x % warp::threads); slot < last;
           slot += AtOnce * warp::threads)
#pragma unroll
        for (int i = 0; i < AtOnce; ++i) {
          const int step = i * warp::threads;
          if (step < last - slot && (i > 0 || slot >= first))
            write(static_cast<unsigned>(slot + step),
                  offset + static_cast<std::size_t>(slot) + static_cast<unsigned>(step));
        }
      first = last;
    }
  }

 private:
  /// The j-th bucket that the thread is responsible for, if below Buckets.
  __device__ static unsigned own_bucket(unsigned j) { return threadIdx.x * per_thread + j; }

  struct stretch_begin {
    unsigned bucket;
    unsigned slot;
  };

  /// Where a stretch begins after `done` units of work: slots, and beginnings of runs, each of which counts as run_cost
  /// slots.
  __device__ stretch_begin stretch_from(unsigned done, unsigned count) const {
    unsigned b = 0;
    for (unsigned step = Buckets / 2; step > 0; step /= 2)
      if (b + step <= buckets_ && shared_.next[b + step - 1] + (b + step) * run_cost <= done) b += step;
    if (b >= buckets_) return {b, count};
    const unsigned start = b > 0 ? shared_.next[b - 1] : 0;
    const unsigned begun = (b + 1) * run_cost;
    return {b, min(max(done > begun ? done - begun : 0, start), shared_.next[b])};
  }

  storage& shared_;
  unsigned buckets_;
  unsigned first_[per_thread];  ///< first slot of each own bucket
  std::size_t offsets_[per_thread];
};

}  // namespace gpu::inline v1::detail::device::block
