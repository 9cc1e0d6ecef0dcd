// The least and the greatest of the numbers that the threads of a block hold.
#pragma once

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

/// Over all numbers of all threads, for every thread. Synchronises once, not at the end.
template <int Threads, int Items, class Number>
__device__ range_of_numbers<Number> extremes(const Number (&numbers)[Items],
                                             extremes_storage<Number, Threads>& shared) {
  range_of_numbers<Number> range{numbers[0], numbers[0]};
#pragma unroll
  for (int i = 1; i < Items; ++i) range.widen(numbers[i], numbers[i]);
#pragma unroll
  for (int mask = 1; mask < warp::threads; mask *= 2)
    range.widen(warp::shuffle_xor(range.least, mask), warp::shuffle_xor(range.greatest, mask));
  if (threadIdx.x % warp::threads == 0) shared.of_warp[threadIdx.x / warp::threads] = range;
  __syncthreads();
#pragma unroll
  for (const auto& other : shared.of_warp) range.widen(other.least, other.greatest);
  return range;
}

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
