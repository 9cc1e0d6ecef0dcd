// Pairs on their way to their destination: the arrays that they lie in, and base cases in these arrays. A base case
// that already lies at its destination becomes columns there, in place, chunk by chunk.
#pragma once

#include <cstddef>

#include "../distribution/subproblems.cuh"
#include "../launching/launch.cuh"
#include "../warp/shuffle.cuh"
#include "pairs.cuh"

namespace gpu::inline v1::detail::device {

/// The two arrays of n pairs, one of which may lie where the sorted columns go.
template <class Key>
struct pair_destinations {
  split_array<key_value<Key>> buffer;
  split_array<key_value<Key>> destination;
  columns<Key, Key> data;
  std::size_t n;
};

/// Turns the chunk that has `position` inside it, not at its beginning, into columns. Called by a full warp; does
/// nothing if another warp has done so: `finalized` has a bit for each chunk.
template <class Key>
__device__ void finalize_chunk(std::size_t position, const pair_destinations<Key>& pairs, unsigned* finalized) {
  constexpr std::size_t chunk = split_array<key_value<Key>>::chunk;
  if (position % chunk == 0) return;
  const unsigned lane = threadIdx.x % warp::threads;
  const std::size_t number = position / chunk;
  const unsigned bit = 1u << number % 32;
  const unsigned before = lane == 0 ? atomicOr(&finalized[number / 32], bit) : 0;
  if (__shfl_sync(warp::all_lanes, before, 0) & bit) return;
  const std::size_t own = number * chunk + lane;
  const bool present = lane < chunk && own < pairs.n;
  key_value<Key> pair{};
  if (present) pair = pairs.destination[own];
  __syncwarp();
  if (present) pairs.data.set(own, pair.key, pair.value);
}

inline constexpr int finalize_threads = 256;

/// Turns chunks that several base cases share into columns beforehand, since one base case would overwrite them while
/// another one reads them; the last chunk, too, if it is not full. Base cases in the buffer do not need this, and their
/// destination may never have been written to. One warp per base case; all bits of `finalized` zero before.
template <class Key>
__global__ void __launch_bounds__(finalize_threads)
    finalize_chunks_kernel(const base_case* base_cases, const unsigned* base_case_count,
                           pair_destinations<Key> pairs, unsigned* finalized) {
  await_predecessors();
  constexpr unsigned warps = finalize_threads / warp::threads;
  const unsigned count = *base_case_count;
  for (unsigned l = blockIdx.x * warps + threadIdx.x / warp::threads; l < count; l += gridDim.x * warps) {
    const base_case listed = base_cases[l];
    if (listed.round % 2 == 0) continue;
    device::finalize_chunk(listed.begin, pairs, finalized);
    device::finalize_chunk(listed.begin + listed.count, pairs, finalized);
  }
}

/// A base case of pairs, wherever they lie.
template <class Key>
struct base_case_of_pairs {
  static constexpr std::size_t chunk = split_array<key_value<Key>>::chunk;
  split_array<key_value<Key>> pairs;
  columns<Key, Key> data;
  std::size_t count;
  std::size_t whole_begin;  ///< pairs outside [whole_begin, whole_end) lie in columns
  std::size_t whole_end;

  __device__ base_case_of_pairs(const base_case& listed, const pair_destinations<Key>& of)
      : pairs{(listed.round % 2 == 0 ? of.buffer : of.destination) + listed.begin},
        data{of.data + listed.begin},
        count{listed.count},
        whole_begin{0},
        whole_end{listed.count} {
    if (listed.round % 2 == 0) return;
    const std::size_t end = (listed.begin + listed.count) / chunk * chunk;
    whole_begin = (chunk - listed.begin % chunk) % chunk;
    whole_end = end > listed.begin + whole_begin ? end - listed.begin : whole_begin;
  }

  __device__ key_value<Key> operator[](std::size_t i) const {
    return i >= whole_begin && i < whole_end ? pairs[i] : in_columns(i);
  }
  __device__ key_value<Key> in_columns(std::size_t i) const { return {data.keys[i], data.values[i]}; }

  /// Writes the base case as columns to data, where it may lie itself. Called by every thread of the block: a warp has
  /// whole chunks, and reads them before it writes.
  template <class Decoder>
  __device__ void unpack(Decoder decoder) const {
    for (std::size_t first = 0; first < count + chunk; first += blockDim.x) {
      const std::size_t i = first + threadIdx.x + whole_begin - chunk;
      const bool present = i < count;
      key_value<Key> pair{};
      if (present) pair = (*this)[i];
      __syncwarp();
      if (present) data.set(i, decoder.decode(pair.key), pair.value);
    }
  }
};

/// Loads pairs into shared memory, and their keys into registers, too; keys from n on are the first, which is returned.
template <int Threads, int Items, class Key>
__device__ __forceinline__ Key load_pairs(const base_case_of_pairs<Key>& base_case, unsigned n,
                                          key_value<Key>* loaded, Key (&keys)[Items]) {
  const auto index = [](int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; };
  const auto whole_begin = static_cast<unsigned>(base_case.whole_begin),
             whole_end = static_cast<unsigned>(base_case.whole_end);
  const key_value<Key>* const own = &base_case.pairs[threadIdx.x];
  const std::size_t step = base_case.pairs.distance(Threads);
  const key_value<Key> first = base_case[0];
  key_value<Key> pairs[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    pairs[i] = first;
    if (index(i) - whole_begin < whole_end - whole_begin)
      pairs[i] = own[static_cast<std::size_t>(i) * step];
    else if (index(i) < n)
      pairs[i] = base_case.in_columns(index(i));
  }
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    keys[i] = pairs[i].key;
    loaded[index(i)] = pairs[i];
  }
  return first.key;
}

}  // namespace gpu::inline v1::detail::device
