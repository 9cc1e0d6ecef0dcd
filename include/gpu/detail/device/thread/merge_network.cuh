// Batcher's odd-even merges of numbers in the registers of one thread: the same comparators whatever the numbers, hence
// no branch and no address that depends on them. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M, and
// 5.3.4.
#pragma once

#include "../columns.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::thread {

template <class Number>
__device__ __forceinline__ void order_numbers(Number& first, Number& second) {
  const Number low = second < first ? second : first;
  second = second < first ? first : second;
  first = low;
}

/// Merges neighbouring ascending runs of Run numbers, a power of two, into runs of twice as many; the last may be
/// shorter. One step compares numbers that are Distance apart.
template <int Run, int Distance = Run, int Count, class Number>
__device__ __forceinline__ void merge_runs(Number (&numbers)[Count]) {
#pragma unroll
  for (int i = 0; i + Distance < Count; ++i)
    if (i / Distance % 2 == (Distance == Run ? 0 : 1) && i / (2 * Run) == (i + Distance) / (2 * Run))
      order_numbers(numbers[i], numbers[i + Distance]);
  if constexpr (Distance > 1) merge_runs<Run, Distance / 2>(numbers);
}

/// Sorts them, ascending.
template <int Run = 1, int Count, class Number>
__device__ __forceinline__ void sort_by_merges(Number (&numbers)[Count]) {
  if constexpr (Run < Count) {
    merge_runs<Run>(numbers);
    sort_by_merges<2 * Run>(numbers);
  }
}

}  // namespace detail::device::thread
}  // namespace v1
}  // namespace gpu
