// Sort of a few codes by one block: each thread counts the codes smaller than its own, which gives its position. n^2
// comparisons, but no step waits for another. Comparison counting, Knuth, "The Art of Computer Programming", volume 3,
// 5.2; on parallel machines enumeration sort, Muller and Preparata, 1975.
#pragma once

namespace gpu::inline v1::detail::device::block {

/// For at most Most codes, a multiple of 16.
template <class Bits, int Most>
struct rank_storage {
  alignas(16) Bits codes[Most];
  unsigned claimed[Most];  ///< how many positions from this one on equal codes have taken
};

/// Sorts data[0, n) in place, 0 < n <= Most. Called by every thread of a block of n threads or more, at most Most.
template <class Bits, int Most, class Data, class Codec>
__device__ void rank_sort(rank_storage<Bits, Most>& shared, Data data, unsigned n, Codec codec) {
  constexpr unsigned read_at_once = 16 / sizeof(Bits);
  const unsigned thread = threadIdx.x;
  const bool present = thread < n;
  const Bits code = codec.encode(static_cast<Bits>(data[present ? thread : 0]));
  shared.codes[thread] = present ? code : static_cast<Bits>(~Bits{0});  // never counted as smaller
  shared.claimed[thread] = 0;
  __syncthreads();
  unsigned rank = 0;
#pragma unroll 4
  for (unsigned first = 0; first < n; first += read_at_once)
#pragma unroll
    for (unsigned i = 0; i < read_at_once; ++i) rank += shared.codes[first + i] < code ? 1 : 0;
  if (!present) return;
  rank += atomicAdd(&shared.claimed[rank], 1u);
  data[rank] = codec.decode(code);
}

}  // namespace gpu::inline v1::detail::device::block
