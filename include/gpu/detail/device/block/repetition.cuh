// How often keys repeat, estimated from a sample: by how many of its keys have been seen before. A bitmap that hashes
// mark serves instead of sorting. Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting algorithm for
// database applications", 1990.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// A bitmap of 2^LogMarks marks, and how many codes have met theirs in it.
template <unsigned LogMarks>
struct mark_storage {
  static constexpr unsigned marks = 1u << LogMarks;
  unsigned marked[marks / 32];
  unsigned seen_before;
};

using repetition_storage = mark_storage<16>;

/// A mark for a code, of 2^LogMarks; equal codes have the same one.
template <unsigned LogMarks, class Bits>
__device__ __forceinline__ unsigned mark_of(Bits code) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  auto word = static_cast<std::uint64_t>(code);
  if constexpr (sizeof(Bits) > sizeof(word)) word ^= static_cast<std::uint64_t>(code >> 64) * odd;
  word = (word ^ word >> 32) * odd;
  return static_cast<unsigned>(word >> (64 - LogMarks));
}

/// The part of a sample whose marks have been made by codes of it before. Synchronises before and after.
template <int Threads, int Items, class Bits, unsigned LogMarks>
__device__ float part_seen_before(const Bits (&sample)[Items], mark_storage<LogMarks>& shared) {
  __syncthreads();
  for (unsigned w = threadIdx.x; w < shared.marks / 32; w += Threads) shared.marked[w] = 0;
  if (threadIdx.x == 0) shared.seen_before = 0;
  __syncthreads();
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const unsigned mark = block::mark_of<LogMarks>(sample[i]);
    seen += atomicOr(&shared.marked[mark / 32], 1u << mark % 32) >> mark % 32 & 1u;
  }
  seen = warp::sum(seen);
  if (threadIdx.x % warp::threads == 0) atomicAdd(&shared.seen_before, seen);
  __syncthreads();
  return static_cast<float>(shared.seen_before) / (Threads * Items);
}

/// Whether codes occur in `count` of them at least four times each on the average, as a random sample of them, with
/// replacement, tells beyond chance. Synchronises before and after.
template <int Threads, int Items, class Bits>
__device__ bool repeats(const Bits (&sample)[Items], std::size_t count, repetition_storage& shared) {
  constexpr float size = Threads * Items;
  const float part = block::part_seen_before<Threads>(sample, shared);
  // Of d equally frequent marks, 1 - d / size (1 - exp(-size / d)) are seen before: size / d is about this.
  const float crowd = part * (2 - part) / fmaxf(1 - part, 1 / size);
  const auto all = static_cast<float>(count);
  constexpr float by_chance = 1.0f / repetition_storage::marks;
  const float times = all * (crowd / size - by_chance) - 1;  // less what the bitmap and drawing twice account for
  return times > 3 + all / (1u << 19);
}

}  // namespace gpu::inline v1::detail::device::block
