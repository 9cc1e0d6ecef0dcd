// The least and the greatest of the numbers that the threads of a block hold.
#pragma once

#include <type_traits>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

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

/// Over the numbers of a warp, for each of its threads.
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

/// Over all numbers of all threads, for every thread. Synchronises once, not at the end.
template <int Threads, int Items, class Number>
__device__ range_of_numbers<Number> extremes(const Number (&numbers)[Items],
                                             extremes_storage<Number, Threads>& shared) {
  constexpr int warps = Threads / warp::threads;
  static_assert(warps <= warp::threads);
  range_of_numbers<Number> range{numbers[0], numbers[0]};
#pragma unroll
  for (int i = 1; i < Items; ++i) range.widen(numbers[i], numbers[i]);
  range = extremes_of_warp(range);
  if (threadIdx.x % warp::threads == 0) shared.of_warp[threadIdx.x / warp::threads] = range;
  __syncthreads();
  if constexpr (std::is_same_v<Number, unsigned>) {
    return extremes_of_warp(shared.of_warp[threadIdx.x % warps]);
  } else {  // wide numbers take more shuffles than reads
#pragma unroll
    for (const auto& other : shared.of_warp) range.widen(other.least, other.greatest);
    return range;
  }
}

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
