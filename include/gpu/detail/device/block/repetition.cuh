// How often keys repeat, estimated from a sample: a table of the keys seen last, indexed by their hashes, shows without
// sorting how many have been seen before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// A hash: equal for equal codes, and hardly ever for others.
template <class Bits>
__device__ __forceinline__ std::uint64_t hash_of(Bits code) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  auto word = static_cast<std::uint64_t>(code);
  if constexpr (sizeof(Bits) > sizeof(word)) word ^= static_cast<std::uint64_t>(code >> 64) * odd;
  return (word ^ word >> 32) * odd;
}

/// The codes seen last, by hash: each entry holds 20 of the 32 hash bits, the others being the slot's number, and below
/// them a mark of where the code was drawn. A code may be forgotten when another one takes its slot.
struct repetition_storage {
  static constexpr unsigned log_slots = 12, slots = 1u << log_slots, log_marks = log_slots;
  alignas(16) unsigned last[slots];
  unsigned sum;  ///< of the threads' results
};

/// The fraction of a sample that has been seen before in it, drawn from elsewhere: `indices` are where the items come
/// from. Of a few codes that repeat among 4096 a quarter are forgotten. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float part_seen_before(const Bits (&sample)[Items], const unsigned (&indices)[Items],
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
    const unsigned own = hash << log_slots | (indices[i] & ((1u << log_marks) - 1));
    const unsigned last = atomicExch(&shared.last[hash >> (32 - log_slots)], own);
    seen += (last ^ own) >> log_marks == 0 && last != own;
  }
  seen = warp::sum(seen);
  if (threadIdx.x % warp::threads == 0) atomicAdd(&shared.sum, seen);
  __syncthreads();
  return static_cast<float>(shared.sum) / (Threads * Items);
}

/// Codes that are frequent in a sample.
struct frequent_codes {
  unsigned count;
  float part;      ///< the fraction of the sample that they make up
  bool one_heavy;  ///< one occurs much more often than equally frequent codes that made up this part would

  /// Whether some codes are far more frequent than others.
  __device__ bool are_skewed() const { return count >= 3 && one_heavy; }
};

/// The number of occurrences of each code of a sample in it, or more where hashes collide.
template <int Threads>
class sample_counts {
  static constexpr unsigned log_counters = repetition_storage::log_slots + 1, half = 16;  // two counters in each word

 public:
  /// Synchronises before and after.
  template <int Items, class Bits>
  __device__ sample_counts(const Bits (&sample)[Items], repetition_storage& shared) : shared_{shared} {
    static_assert(Threads * Items < 1u << half);
    __syncthreads();
    for (unsigned w = threadIdx.x; w < shared_.slots; w += Threads) shared_.last[w] = 0;
    if (threadIdx.x == 0) shared_.sum = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned counter = counter_of(sample[i]);
      atomicAdd(&shared_.last[counter / 2], 1u << counter % 2 * half);
    }
    __syncthreads();
  }

  template <class Bits>
  __device__ unsigned operator[](Bits code) const {
    const unsigned counter = counter_of(code);
    return shared_.last[counter / 2] >> counter % 2 * half & ((1u << half) - 1);
  }

  /// The sum of all threads' `found`. Called once; synchronises.
  __device__ unsigned sum(unsigned found) const {
    found = warp::sum(found);
    if (threadIdx.x % warp::threads == 0) atomicAdd(&shared_.sum, found);
    __syncthreads();
    return shared_.sum;
  }

  /// The codes that occur six times or more in the sample, which has `size` items. Called once; synchronises.
  __device__ frequent_codes frequent(unsigned size) const {
    constexpr unsigned often = 6, one = 1u << half;
    unsigned found = 0, greatest = 0;
    for (unsigned w = threadIdx.x; w < shared_.slots; w += Threads)
      for (const unsigned count : {shared_.last[w] % one, shared_.last[w] / one}) {
        found += count >= often ? one | count : 0;
        greatest = max(greatest, count);
      }
    found = sum(found);
    const float part = static_cast<float>(found % one) / static_cast<float>(size);
    const unsigned heavy = part > 1.0f / 2 ? 64 : part > 1.0f / 8 ? 16 : 12;
    return {found / one, part, __syncthreads_or(greatest >= heavy) != 0};
  }

 private:
  template <class Bits>
  __device__ static unsigned counter_of(Bits code) {
    return static_cast<unsigned>(block::hash_of(code) >> (64 - log_counters));
  }

  repetition_storage& shared_;
};

/// Replaces heavy items of a sample, those of codes that occur at least `least` times in it, and their indices, by
/// other items. Returns the fraction that the others made up; 1, without any change, if that was all or hardly any.
/// Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float set_heavy_aside(Bits (&sample)[Items], unsigned (&indices)[Items], unsigned least,
                                 repetition_storage& shared) {
  constexpr unsigned size = Threads * Items, fewest_others = size / 8;
  const sample_counts<Threads> counts{sample, shared};
  unsigned heavy = 0;  // a bit for each item
#pragma unroll
  for (int i = 0; i < Items; ++i) heavy |= (counts[sample[i]] >= least ? 1u : 0u) << i;
  const unsigned others = size - counts.sum(static_cast<unsigned>(__popc(heavy)));
  if (others == size || others < fewest_others) return 1;

  // A thread's heavy items become copies of its preceding item that is not heavy, or of another thread's.
  Bits other = sample[0];
  unsigned index = indices[0];
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if ((heavy >> i & 1u) == 0) other = sample[i], index = indices[i];
  const unsigned lanes = __ballot_sync(warp::all_lanes, heavy != (1u << Items) - 1), lane = threadIdx.x % warp::threads;
  const auto next = static_cast<unsigned>(max(__ffs(static_cast<int>(__funnelshift_r(lanes, lanes, lane))) - 1, 0));
  other = warp::shuffle(other, (lane + next) % warp::threads);
  index = warp::shuffle(index, (lane + next) % warp::threads);
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (heavy >> i & 1u)
      sample[i] = other, indices[i] = index;
    else
      other = sample[i], index = indices[i];
  }
  return static_cast<float>(others) / size;
}

/// Estimates how many others one of `count` codes equals on average, from a random sample with replacement: too low by
/// what is forgotten, and by half where the sample is as long. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ float equal_others(const Bits (&sample)[Items], const unsigned (&indices)[Items], std::size_t count,
                              repetition_storage& shared) {
  constexpr float size = Threads * Items;
  // Of d equally frequent codes, 1 - d / size (1 - exp(-size / d)) have been seen before.
  const float seen = block::part_seen_before<Threads>(sample, indices, shared);
  const float crowd = seen * (2 - seen) / fmaxf(1 - seen, 1 / size);
  return crowd * static_cast<float>(count) / size;
}

}  // namespace gpu::inline v1::detail::device::block
