// Groups of neighbouring lanes of a warp that work together, while other lanes of the warp may be executing other code.
#pragma once

#include "shuffle.cuh"

namespace gpu::inline v1::detail::device::warp {

/// Lanes: a power of two, at most a warp's. All lanes of a group call; each gets the result.
template <int Lanes>
struct group {
  static_assert(Lanes > 0 && Lanes <= threads && (Lanes & (Lanes - 1)) == 0);

  /// The calling thread's index in its group.
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % Lanes; }

  template <class Number>
  __device__ static Number sum(Number number) {
    return reduce(number, [](Number left, Number right) { return left + right; });
  }
  template <class Number>
  __device__ static Number least(Number number) {
    return reduce(number, [](Number left, Number right) { return min(left, right); });
  }
  template <class Number>
  __device__ static Number greatest(Number number) {
    return reduce(number, [](Number left, Number right) { return max(left, right); });
  }
  /// The sum of the numbers of the calling lane and of those before it.
  template <class Number>
  __device__ static Number inclusive_sum(Number number) {
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2) {
      const Number before = __shfl_up_sync(members(), number, distance, Lanes);
      if (lane() >= distance) number += before;
    }
    return number;
  }
  /// The number of the group's lane `from`.
  template <class Number>
  __device__ static Number shuffle(Number number, int from) {
    return __shfl_sync(members(), number, from, Lanes);
  }
  __device__ static bool any(bool predicate) { return __any_sync(members(), predicate); }

 private:
  __device__ static unsigned members() {
    if constexpr (Lanes == threads)
      return all_lanes;
    else
      return ((1u << Lanes) - 1) << (threadIdx.x % threads / Lanes * Lanes);
  }

  template <class Number, class Operation>
  __device__ static Number reduce(Number number, Operation operation) {
#pragma unroll
    for (int mask = Lanes / 2; mask > 0; mask /= 2)
      number = operation(number, __shfl_xor_sync(members(), number, mask, Lanes));
    return number;
  }
};

}  // namespace gpu::inline v1::detail::device::warp
