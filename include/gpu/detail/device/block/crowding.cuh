// Whether keys that lie evenly from afar lie in small crowds: copies of each other, rows of a matrix, repeats of a
// genome. A sample of a few thousand is too sparse to see their density, but not that two of its keys are neighbours,
// which of evenly spread ones hardly any are: with as many cells as there are keys, and twice the square root of so
// many draws, two pairs of them meet in a cell. What is known as the birthday paradox.
#pragma once

#include <cmath>
#include <cstddef>

#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// A cell that has been drawn may be forgotten when another one is remembered in its slot.
struct crowding_storage {
  static constexpr unsigned log_slots = 13, slots = 1u << log_slots, log_marks = log_slots;
  unsigned last[slots];  ///< cell drawn, by the bits that its slot does not tell, and a mark of the key
  unsigned met;
  unsigned met_strangers;
};

/// With how many others a key shares its cell, and with how many that are different.
struct neighbourhood {
  float all;
  float strangers;
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
    if (threadIdx.x == 0) shared_.met = shared_.met_strangers = 0;
    __syncthreads();
  }

  /// One draw of the calling thread, in a cell below 2^32. `mark`: less than 2^log_marks, the same for equal keys.
  __device__ void add(unsigned cell, unsigned mark) {
    constexpr unsigned log_slots = crowding_storage::log_slots;
    const unsigned mixed = cell * 0x9e3779b1u, own = mixed << log_slots | mark;
    const unsigned last = atomicExch(&shared_.last[mixed >> (32 - log_slots)], own);
    const bool met = (last ^ own) >> crowding_storage::log_marks == 0;
    met_ += met;
    met_strangers_ += met && last != own;
  }

  /// On the average over n keys, as so many draws tell. Synchronises.
  __device__ neighbourhood average(std::size_t n, unsigned draws) const {
    const unsigned met = warp::sum(met_), strangers = warp::sum(met_strangers_);
    if (threadIdx.x % warp::threads == 0) {
      atomicAdd(&shared_.met, met);
      atomicAdd(&shared_.met_strangers, strangers);
    }
    __syncthreads();
    const auto count = static_cast<float>(draws), load = count / crowding_storage::slots;
    const float pairs = 0.5f * count * count * (1 - expf(-load)) / load;  // that are not forgotten before they meet
    const float neighbours = static_cast<float>(n) / pairs;               // for each meeting
    return {static_cast<float>(shared_.met) * neighbours, static_cast<float>(shared_.met_strangers) * neighbours};
  }

 private:
  static constexpr unsigned none = 0xffffffffu;

  crowding_storage& shared_;
  unsigned met_ = 0;
  unsigned met_strangers_ = 0;
};

}  // namespace gpu::inline v1::detail::device::block
