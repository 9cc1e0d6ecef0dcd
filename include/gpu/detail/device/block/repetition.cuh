// How often keys repeat, estimated from a sample: by how many of its keys have been seen before, as a table of the last
// ones by their hashes tells without sorting them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// Bits that equal codes have alike, and others hardly ever.
template <class Bits>
__device__ __forceinline__ std::uint64_t hash_of(Bits code) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  auto word = static_cast<std::uint64_t>(code);
  if constexpr (sizeof(Bits) > sizeof(word)) word ^= static_cast<std::uint64_t>(code >> 64) * odd;
  return (word ^ word >> 32) * odd;
}

/// What was seen last: a mark of where it was drawn below what its slot does not tell of 32 bits of its hash. A code
/// may be forgotten when another one takes its slot.
struct repetition_storage {
  static constexpr unsigned log_slots = 12, slots = 1u << log_slots, log_marks = log_slots;
  alignas(16) unsigned last[slots];
  unsigned sum;  ///< of what the threads have found
};

/// The part of a sample that has been seen before in it, drawn elsewhere: `places` are where the items come from. Of
/// few that repeat among 4096 a quarter are forgotten. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float part_seen_before(const Bits (&sample)[Items], const unsigned (&places)[Items],
                                  repetition_storage& shared) {
  constexpr unsigned log_slots = repetition_storage::log_slots, log_marks = repetition_storage::log_marks;
  __syncthreads();
  for (unsigned q = threadIdx.x; q < shared.slots / 4; q += Threads)
    reinterpret_cast<uint4*>(shared.last)[q] = {~0u, ~0u, ~0u, ~0u};
  if (threadIdx.x == 0) shared.sum = 0;
  __syncthreads();
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const auto hash = static_cast<unsigned>(block::hash_of(sample[i]) >> 32);
    const unsigned own = hash << log_slots | (places[i] & ((1u << log_marks) - 1));
    const unsigned last = atomicExch(&shared.last[hash >> (32 - log_slots)], own);
    seen += (last ^ own) >> log_marks == 0 && last != own;
  }
  seen = warp::sum(seen);
  if (threadIdx.x % warp::threads == 0) atomicAdd(&shared.sum, seen);
  __syncthreads();
  return static_cast<float>(shared.sum) / (Threads * Items);
}

/// Codes of a sample that occur at least `heavy` times in it, which others hardly ever seem to.
struct heavy_codes {
  static constexpr unsigned heavy = 6, heaviest = 16;
  unsigned different;
  unsigned all;
  bool uneven;  ///< one of them occurs more often than codes that are all equally frequent would
};
template <int Threads, int Items, class Bits>
__device__ heavy_codes heavy_codes_of(const Bits (&sample)[Items], repetition_storage& shared) {
  constexpr unsigned log_counters = repetition_storage::log_slots + 1, one = 1u << 16;  // two counters in each word
  static_assert(Threads * Items < one);
  __syncthreads();
  for (unsigned w = threadIdx.x; w < shared.slots; w += Threads) shared.last[w] = 0;
  if (threadIdx.x == 0) shared.sum = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const auto counter = static_cast<unsigned>(block::hash_of(sample[i]) >> (64 - log_counters));
    atomicAdd(&shared.last[counter / 2], counter % 2 == 0 ? 1u : one);
  }
  __syncthreads();
  unsigned found = 0;
  bool uneven = false;
  const auto add = [&](unsigned count) {
    found += count >= heavy_codes::heavy ? one | count : 0;
    uneven |= count >= heavy_codes::heaviest;
  };
  for (unsigned w = threadIdx.x; w < shared.slots; w += Threads) add(shared.last[w] % one), add(shared.last[w] / one);
  found = warp::sum(found);
  if (threadIdx.x % warp::threads == 0) atomicAdd(&shared.sum, found);
  uneven = __syncthreads_or(uneven);
  return {shared.sum / one, shared.sum % one, uneven};
}

/// About how many others one of `count` codes is equal to on the average, as a random sample tells, with replacement:
/// less than that by what is forgotten, and by half where the sample is as long. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float equal_others(const Bits (&sample)[Items], const unsigned (&places)[Items], std::size_t count,
                              repetition_storage& shared) {
  constexpr float size = Threads * Items;
  const float part = block::part_seen_before<Threads>(sample, places, shared);
  // Of d equally frequent codes, 1 - d / size (1 - exp(-size / d)) are seen before: size / d is about this.
  const float crowd = part * (2 - part) / fmaxf(1 - part, 1 / size);
  return static_cast<float>(count) * crowd / size;
}

}  // namespace gpu::inline v1::detail::device::block
