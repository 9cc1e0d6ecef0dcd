// Whether keys that lie evenly from afar lie in small crowds: copies of each other, rows of a matrix, repeats of a
// genome. A sample of a few thousand is too sparse to see their density, but not that two of its keys are neighbours,
// which of evenly spread ones hardly any are: with as many cells as there are keys, and twice the square root of so
// many draws, two pairs of them meet in a cell. What is known as the birthday paradox.
#pragma once

#include <cmath>
#include <cstddef>

#include "../warp/shuffle.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// A cell that has been drawn may be forgotten when another one is remembered in its slot.
struct crowding_storage {
  static constexpr unsigned log_slots = 13, slots = 1u << log_slots;
  unsigned last[slots];  ///< cell drawn; each has one slot
  unsigned met;
};

/// Twice the square root of n, rounded up to the draws of a round; at most four times as many as there are slots.
__device__ inline unsigned draws_to_see_crowds(std::size_t n, unsigned round) {
  const auto wanted = static_cast<unsigned>(2 * sqrtf(static_cast<float>(min(n, std::size_t{1} << 28))));
  return (wanted + round - 1) / round * round;
}

/// The cells that a sample has met, by one block.
class crowding {
 public:
  /// Synchronises before and after.
  __device__ explicit crowding(crowding_storage& shared) : shared_{shared} {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < crowding_storage::slots; i += blockDim.x) shared_.last[i] = none;
    if (threadIdx.x == 0) shared_.met = 0;
    __syncthreads();
  }

  /// One draw of the calling thread, in a cell below 2^32 - 1.
  __device__ void add(unsigned cell) {
    const unsigned slot = cell * 0x9e3779b1u >> (32 - crowding_storage::log_slots);
    met_ += atomicExch(&shared_.last[slot], cell) == cell;
  }

  /// With how many other keys a key shares its cell, on the average over n keys, as so many draws tell. Synchronises.
  __device__ float neighbours(std::size_t n, unsigned draws) const {
    const unsigned met = warp::sum(met_);
    if (threadIdx.x % warp::threads == 0) atomicAdd(&shared_.met, met);
    __syncthreads();
    const auto count = static_cast<float>(draws), load = count / crowding_storage::slots;
    const float pairs = 0.5f * count * count * (1 - expf(-load)) / load;  // that are not forgotten before they meet
    return static_cast<float>(shared_.met) * static_cast<float>(n) / pairs;
  }

 private:
  static constexpr unsigned none = 0xffffffffu;

  crowding_storage& shared_;
  unsigned met_ = 0;
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
