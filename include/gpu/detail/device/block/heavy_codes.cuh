// Sets heavy codes aside, those that occur so often that a warp's sample shows them: they are counted, not sorted.
// Their places need not be known until the others are sorted.
#pragma once

#include <cstddef>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// Members are called by every thread of the block.
template <class Bits, int Threads>
class heavy_codes {
  static constexpr unsigned least_seen = 4;  ///< in a warp's sample
  static constexpr unsigned most = warp::threads / least_seen;
  static constexpr int at_once = 16;

 public:
  struct storage {
    Bits keys[most];   ///< not encoded
    Bits codes[most];  ///< in ascending order
    unsigned copies[most];
    unsigned begin[most];  ///< where they go
    unsigned found;
    unsigned others;
  };

  __device__ explicit heavy_codes(storage& shared) : shared_{shared} {}

  /// Looks for heavy codes in source[0, count); returns whether there are any. Synchronises before and after.
  template <class Source, class Encoder>
  __device__ bool look(Source source, std::size_t count, Encoder encoder) {
    __syncthreads();
    if (threadIdx.x < warp::threads) {
      const Bits key = static_cast<Bits>(source[threadIdx.x * count / warp::threads]);
      const Bits code = encoder.encode(key);
      const unsigned alike = __match_any_sync(warp::all_lanes, code);
      const bool heavy = __popc(alike) >= static_cast<int>(least_seen) && (alike & ((1u << threadIdx.x) - 1)) == 0;
      const unsigned all = __ballot_sync(warp::all_lanes, heavy);
      unsigned less = 0;
      for (unsigned rest = all; rest != 0; rest &= rest - 1)
        less += __shfl_sync(warp::all_lanes, code, __ffs(static_cast<int>(rest)) - 1) < code;
      if (heavy) shared_.keys[less] = key, shared_.codes[less] = code;
      if (threadIdx.x < most) shared_.copies[threadIdx.x] = 0;
      if (threadIdx.x == 0) shared_.found = static_cast<unsigned>(__popc(all)), shared_.others = 0;
    }
    __syncthreads();
    return shared_.found > 0;
  }

  /// Counts the heavy codes, and copies the others to rest, as they come; returns the number of the others.
  /// Synchronises after.
  template <class Source, class Target>
  __device__ unsigned set_aside(Source source, std::size_t count, Target rest) {
    const unsigned lane = threadIdx.x % warp::threads;
    unsigned copies = 0;  // of the lane's heavy code
    for (std::size_t first = 0; first < count; first += at_once * Threads) {
      Bits keys[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) keys[i] = static_cast<Bits>(source[min(index(first, i), count - 1)]);
      unsigned others[at_once];  // a bit for each lane
#pragma unroll
      for (int i = 0; i < at_once; ++i) others[i] = __ballot_sync(warp::all_lanes, index(first, i) < count);
      for (unsigned h = 0; h < shared_.found; ++h) {
        const Bits heavy = shared_.keys[h];
        unsigned equal = 0;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          const unsigned alike = __ballot_sync(warp::all_lanes, keys[i] == heavy) & others[i];
          equal += static_cast<unsigned>(__popc(alike));
          others[i] &= ~alike;
        }
        if (lane == h) copies += equal;
      }
      unsigned at = 0;
#pragma unroll
      for (int i = 0; i < at_once; ++i) at += static_cast<unsigned>(__popc(others[i]));
      if (lane == 0) at = atomicAdd(&shared_.others, at);
      at = __shfl_sync(warp::all_lanes, at, 0);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (others[i] >> lane & 1u)
          rest[at + static_cast<unsigned>(__popc(others[i] & warp::lanes_before()))] = keys[i];
        at += static_cast<unsigned>(__popc(others[i]));
      }
    }
    if (lane < shared_.found) atomicAdd(&shared_.copies[lane], copies);
    __syncthreads();
    return shared_.others;
  }

  /// Decodes the others, sorted[0, n) in ascending order, and the heavy codes into target. Synchronises.
  template <class Sorted, class Target, class Decoder>
  __device__ void store(const Sorted& sorted, unsigned n, Target target, Decoder decoder) {
    __syncthreads();
    if (threadIdx.x < shared_.found) {
      unsigned begin = 0;
      for (unsigned end = n; begin < end;) {
        const unsigned middle = (begin + end) / 2;
        sorted[middle] < shared_.codes[threadIdx.x] ? begin = middle + 1 : end = middle;
      }
      for (unsigned h = 0; h < threadIdx.x; ++h) begin += shared_.copies[h];
      shared_.begin[threadIdx.x] = begin;
    }
    for (unsigned i = threadIdx.x; i < n; i += Threads) {
      const Bits code = sorted[i];
      unsigned before = 0;
      for (unsigned h = 0; h < shared_.found; ++h) before += shared_.codes[h] < code ? shared_.copies[h] : 0;
      target[i + before] = decoder.decode(code);
    }
    __syncthreads();
    for (unsigned h = 0; h < shared_.found; ++h) {
      const Bits key = decoder.decode(shared_.codes[h]);
      for (unsigned c = threadIdx.x; c < shared_.copies[h]; c += Threads) target[shared_.begin[h] + c] = key;
    }
  }

 private:
  /// The index of the calling thread's item i while keys are read.
  __device__ static std::size_t index(std::size_t first, int i) {
    return first + static_cast<unsigned>(i) * Threads + threadIdx.x;
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
