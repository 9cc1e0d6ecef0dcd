// Detects whether keys that seem evenly spread at large scale lie in small crowds: copies of each other, rows of a
// matrix, repeats of a genome. A sample of a few thousand is too sparse to show their density, but shows whether two of
// its keys are neighbours, as hardly any are if keys are evenly spread: with as many cells as there are keys, and twice
// the square root of that many draws, two pairs of draws meet in a cell (the birthday paradox).
#pragma once

#include <cmath>
#include <cstddef>

#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

/// A cell drawn before may be forgotten when another one takes its slot, but not that of a key that has been drawn four
/// times.
struct crowding_storage {
  static constexpr unsigned log_slots = 13, slots = 1u << log_slots;
  static constexpr unsigned count_bits = 10, log_marks = log_slots - count_bits;
  unsigned last[slots];  ///< the cell's bits that the slot does not imply; the key's mark; draws less one
  unsigned met;
  unsigned met_strangers;
  unsigned frequent;
};

/// How many other keys share a key's cell (`all`), and how many of these are different from it (`strangers`); the
/// number of keys drawn six times or more; and how often each would be drawn if all were equally frequent.
struct neighbourhood {
  float all;
  float strangers;
  unsigned frequent;
  float expected_draws;

  /// Whether at least `some` keys are far more frequent than others or, all being about equally frequent, only a few
  /// different ones fit into a base case.
  __device__ bool has_heavy_keys(unsigned some) const {
    constexpr float rare = 0.5f, few_fit = 800, none_fits = 4000;
    return (frequent >= some && expected_draws < rare) || (all > few_fit && all < none_fits);
  }
};

/// Twice the square root of n, rounded up to a multiple of the draws of a round; at most four times the number of
/// slots, before rounding.
GPUPAR_HOST_DEVICE inline unsigned draws_to_see_crowds(std::size_t n, unsigned round) {
  const auto wanted = static_cast<unsigned>(2 * sqrtf(static_cast<float>(min(n, std::size_t{1} << 28))));
  return (wanted + round - 1) / round * round;
}

/// The cells that a sample has drawn, recorded by one block.
class crowding {
 public:
  /// Synchronises before and after.
  __device__ explicit crowding(crowding_storage& shared) : shared_{shared} {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < crowding_storage::slots; i += blockDim.x) shared_.last[i] = none;
    if (threadIdx.x == 0) shared_.met = shared_.met_strangers = shared_.frequent = 0;
    __syncthreads();
  }

  /// Records one draw of the calling thread, in a cell below 2^32. `mark`: less than 2^log_marks, the same for equal
  /// keys.
  __device__ void add(unsigned cell, unsigned mark) {
    constexpr unsigned log_slots = crowding_storage::log_slots;
    const unsigned mixed = cell * 0x9e3779b1u, own = mixed << log_slots | mark << count_bits;
    unsigned& slot = shared_.last[mixed >> (32 - log_slots)];
    unsigned last = slot;
    if (same_key(last, own)) {
      if (count_of(last) >= often) return;
      last = atomicAdd(&slot, 1u);
      frequent_ += count_of(last) + 1 == often;
    } else if (last == none || count_of(last) < some) {
      last = atomicExch(&slot, own);
      if (same_key(last, own)) atomicAdd(&slot, count_of(last) + 1);  // drawn at the same time
    }
    const bool met = (last ^ own) >> log_slots == 0 && last != none;
    met_ += met && count_of(last) < some;  // otherwise a single frequent key would look like many
    met_strangers_ += met && !same_key(last, own);
  }

  /// The average neighbourhood of n keys, estimated from this number of draws. Synchronises.
  __device__ neighbourhood average(std::size_t n, unsigned draws) const {
    const unsigned met = warp::sum(met_), strangers = warp::sum(met_strangers_), frequent = warp::sum(frequent_);
    if (threadIdx.x % warp::threads == 0) {
      atomicAdd(&shared_.met, met);
      atomicAdd(&shared_.met_strangers, strangers);
      atomicAdd(&shared_.frequent, frequent);
    }
    __syncthreads();
    const auto count = static_cast<float>(draws), load = count / crowding_storage::slots;
    const float pairs = 0.5f * count * count * (1 - expf(-load)) / load;  // not forgotten before they meet
    const float neighbours = static_cast<float>(n) / pairs;               // per meeting
    const float all = static_cast<float>(shared_.met) * neighbours;
    return {all, static_cast<float>(shared_.met_strangers) * neighbours, shared_.frequent,
            all * count / static_cast<float>(n)};
  }

 private:
  static constexpr unsigned count_bits = crowding_storage::count_bits;
  static constexpr unsigned none = ~0u << count_bits;
  static constexpr unsigned some = 3;   ///< draws after the first from which on a key is not forgotten
  static constexpr unsigned often = 5;  ///< draws after the first of a frequent key

  __device__ static unsigned count_of(unsigned slot) { return slot % (1u << count_bits); }
  __device__ static bool same_key(unsigned slot, unsigned other) { return (slot ^ other) >> count_bits == 0; }

  crowding_storage& shared_;
  unsigned met_ = 0;
  unsigned met_strangers_ = 0;
  unsigned frequent_ = 0;
};

}  // namespace gpu::inline v1::detail::device::block
