// Common properties of the numbers held by the threads of a block: their range, and shared low bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

template <class Number>
struct range_of_numbers {
  Number least;
  Number greatest;

  __device__ void widen(const Number& low, const Number& high) {
    if (low < least) least = low;
    if (greatest < high) greatest = high;
  }
};

template <class Number, int Threads>
struct extremes_storage {
  range_of_numbers<Number> of_warp[Threads / warp::threads];
};

/// The union of the ranges of a warp's threads, in every thread.
template <class Number>
__device__ __forceinline__ range_of_numbers<Number> extremes_of_warp(range_of_numbers<Number> range) {
  if constexpr (std::is_same_v<Number, unsigned>) {
    return {warp::minimum(range.least), warp::maximum(range.greatest)};
  } else {
#pragma unroll
    for (int mask = 1; mask < warp::threads; mask *= 2)
      range.widen(warp::shuffle_xor(range.least, mask), warp::shuffle_xor(range.greatest, mask));
    return range;
  }
}

/// The union of the ranges of all threads, in every thread. Synchronises once, by barrier(), but not at the end.
template <int Threads, class Number, class Barrier>
__device__ __forceinline__ range_of_numbers<Number> common_range(range_of_numbers<Number> range,
                                                                 extremes_storage<Number, Threads>& shared,
                                                                 Barrier barrier) {
  constexpr int warps = Threads / warp::threads;
  static_assert(warps <= warp::threads);
  range = block::extremes_of_warp(range);
  if (threadIdx.x % warp::threads == 0) shared.of_warp[threadIdx.x / warp::threads] = range;
  barrier();
  if constexpr (std::is_same_v<Number, unsigned>) {
    return block::extremes_of_warp(shared.of_warp[threadIdx.x % warps]);
  } else {  // for wide numbers reads are cheaper than shuffles
#pragma unroll
    for (const auto& other : shared.of_warp) range.widen(other.least, other.greatest);
    return range;
  }
}

/// The least and the greatest of all threads' numbers, in every thread.
template <int Threads, int Items, class Number, class Barrier>
__device__ range_of_numbers<Number> extremes(const Number (&numbers)[Items], extremes_storage<Number, Threads>& shared,
                                             Barrier barrier) {
  range_of_numbers<Number> range{numbers[0], numbers[0]};
#pragma unroll
  for (int i = 1; i < Items; ++i) range.widen(numbers[i], numbers[i]);
  return block::common_range<Threads>(range, shared, barrier);
}

template <int Threads, int Items, class Number>
__device__ range_of_numbers<Number> extremes(const Number (&numbers)[Items],
                                             extremes_storage<Number, Threads>& shared) {
  return block::extremes<Threads>(numbers, shared, [] { __syncthreads(); });
}

/// The number of low bits that all threads' numbers share.
template <int Threads>
class common_low_bits {
  static constexpr unsigned warps = Threads / warp::threads;
  static_assert(warps <= warp::threads);

 public:
  struct storage {
    unsigned of_warp[warps];
  };

  __device__ explicit common_low_bits(storage& shared) : shared_{shared} {}

  /// Publishes how many low bits the calling thread's numbers share with `one`, which is the same for all threads.
  template <int Items, class Number>
  __device__ __forceinline__ void publish(const Number (&numbers)[Items], const Number& one) {
    static_assert(sizeof(Number) <= sizeof(std::uint64_t));
    constexpr unsigned most = 8 * sizeof(Number) - 1;
    Number differing = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) differing |= static_cast<Number>(numbers[i] ^ one);
    const auto lowest = static_cast<unsigned>(__ffsll(static_cast<long long>(differing)));  // from one on; zero: none
    const unsigned least = warp::minimum(min(lowest - 1, most));
    if (threadIdx.x % warp::threads == 0) shared_.of_warp[threadIdx.x / warp::threads] = least;
  }

  /// The number of shared low bits; one fewer than all bits if all numbers are equal. Called after a barrier that
  /// follows publish().
  __device__ __forceinline__ unsigned count() const { return warp::minimum(shared_.of_warp[threadIdx.x % warps]); }

 private:
  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
