// Batcher's odd-even merges in the registers of one thread: the comparators do not depend on the elements, hence
// neither do branches or addresses. Not stable. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M, and
// 5.3.4.
#pragma once

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::thread {

/// Merges neighbouring ascending runs of Run elements, a power of two, into runs of twice that length; the last of the
/// runs, Count elements in all, may be shorter. exchange(i, j) puts elements i < j in order. One step compares elements
/// that are Distance apart.
template <int Count, int Run, int Distance = Run, class Exchange>
__device__ __forceinline__ void merge_runs_by(Exchange exchange) {
#pragma unroll
  for (int i = 0; i + Distance < Count; ++i)
    if (i / Distance % 2 == (Distance == Run ? 0 : 1) && i / (2 * Run) == (i + Distance) / (2 * Run))
      exchange(i, i + Distance);
  if constexpr (Distance > 1) thread::merge_runs_by<Count, Run, Distance / 2>(exchange);
}

/// Sorts Count elements, ascending, given sorted runs of Run elements.
template <int Count, int Run = 1, class Exchange>
__device__ __forceinline__ void sort_by(Exchange exchange) {
  if constexpr (Run < Count) {
    thread::merge_runs_by<Count, Run>(exchange);
    thread::sort_by<Count, 2 * Run>(exchange);
  }
}

/// Orders two numbers.
template <class Number>
__device__ __forceinline__ void order_numbers(Number& first, Number& second) {
  const Number low = second < first ? second : first;
  second = second < first ? first : second;
  first = low;
}
template <int Run, int Count, class Number>
__device__ __forceinline__ void merge_runs(Number (&numbers)[Count]) {
  thread::merge_runs_by<Count, Run>([&](int i, int j) { thread::order_numbers(numbers[i], numbers[j]); });
}
template <int Count, class Number>
__device__ __forceinline__ void sort_by_merges(Number (&numbers)[Count]) {
  thread::sort_by<Count>([&](int i, int j) { thread::order_numbers(numbers[i], numbers[j]); });
}

}  // namespace gpu::inline v1::detail::device::thread
