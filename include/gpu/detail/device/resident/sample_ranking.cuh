// Sorts a sample by all blocks of a launch together: a key's rank is the number of keys that go before it, which one
// warp of some block counts. The number of comparisons is the square of the sample's length, shared by all
// multiprocessors; no barrier is needed but the one that publishes the ranks.
#pragma once

#include "../tuning/resident.hpp"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

/// Ranks at most resident_sample keys, by blocks of Threads threads.
template <class Key, int Threads>
class sample_ranking {
  /// Keys that a thread compares with another key at once: sixteen bytes, if a whole number of keys fills these.
  static constexpr unsigned side_by_side = 16 % sizeof(Key) == 0 ? 16 / sizeof(Key) : 1;
  struct alignas(side_by_side > 1 ? 16 : alignof(Key)) neighbours {
    Key keys[side_by_side];
  };

 public:
  /// Keys that a warp compares with another key at once.
  static constexpr unsigned row = side_by_side * warp::threads;

  /// `shared`: room for the sample in shared memory, aligned to sixteen bytes.
  __device__ explicit sample_ranking(Key* shared) : shared_{shared} {}

  /// Writes sample[0, size) to ranked[0, size) in order, stably; `size` is a multiple of `row`. If `less` is no strict
  /// weak order, ranks may collide, and elsewhere `ranked` keeps what it held before. Called by every thread of every
  /// block; synchronises at the beginning.
  template <class Less>
  __device__ void rank(const Key* sample, Key* ranked, unsigned size, const Less& less) const {
    constexpr unsigned warps = Threads / warp::threads;
    __syncthreads();
#pragma unroll
    for (unsigned first = 0; first < resident_sample; first += Threads) {
      const unsigned i = first + threadIdx.x;
      if (i < size) shared_[i] = sample[i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x / warp::threads * gridDim.x + blockIdx.x; i < size; i += warps * gridDim.x) {
      const Key key = shared_[i];
      unsigned before = count(i / row, i / row + 1, [&](const Key& other, unsigned j) {
        return j < i ? !less(key, other) : j > i && less(other, key);
      });
      before += count(0, i / row, [&](const Key& other, unsigned) { return !less(key, other); });
      before += count(i / row + 1, size / row, [&](const Key& other, unsigned) { return less(other, key); });
      before = warp::sum(before);
      if (threadIdx.x % warp::threads == 0) ranked[before] = key;
    }
  }

 private:
  /// The number of keys in rows [begin, end) for which `goes_before` holds, among those that the calling thread looks
  /// at.
  template <class GoesBefore>
  __device__ __forceinline__ unsigned count(unsigned begin, unsigned end, GoesBefore goes_before) const {
    unsigned found = 0;
#pragma unroll 4
    for (unsigned r = begin; r < end; ++r) {
      const unsigned at = r * warp::threads + threadIdx.x % warp::threads;
      const neighbours others = reinterpret_cast<const neighbours*>(shared_)[at];
#pragma unroll
      for (unsigned k = 0; k < side_by_side; ++k) found += goes_before(others.keys[k], at * side_by_side + k);
    }
    return found;
  }

  Key* shared_;
};

}  // namespace gpu::inline v1::detail::device
