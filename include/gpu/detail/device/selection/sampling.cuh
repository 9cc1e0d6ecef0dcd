// The bounds of a level, from a sample of its input: all blocks draw, and the last one to finish chooses. Positions are
// drawn with the process's key, and all ranks are different, so that a sample is equally reliable for every input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../sample_key.hpp"
#include "../launching/launch.cuh"
#include "../warp/shuffle.cuh"
#include "levels.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

struct bound_storage {
  static constexpr int turns = 3;
  static constexpr unsigned most_words = 8;  ///< of a rank, 32 bits each
  alignas(16) unsigned counts[turns][256];   ///< of digits
  unsigned set[most_words];                  ///< bits that are set, and unset, in some ranks
  unsigned unset[most_words];
  unsigned last;
};

/// A digit, how many ranks have it, and how many have a lesser one.
struct chosen_digit {
  unsigned digit, count, before;
};

/// The least digit such that at least `wanted` ranks have it or a lesser one. All lanes of a warp call, with the same
/// arguments.
__device__ inline chosen_digit choose_digit(const unsigned (&counts)[256], unsigned wanted) {
  constexpr unsigned each = 256 / warp::threads;
  const unsigned lane = threadIdx.x % warp::threads;
  unsigned own[each];
#pragma unroll
  for (unsigned i = 0; i < each; ++i) own[i] = counts[lane * each + i];
  unsigned sum = 0;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) sum += own[i];
  const auto up_to = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(sum)));
  const unsigned reached = __ballot_sync(warp::all_lanes, up_to >= wanted);
  const int at = reached == 0 ? warp::threads - 1 : __ffs(static_cast<int>(reached)) - 1;
  chosen_digit chosen{lane * each, own[0], up_to - sum};
#pragma unroll
  for (unsigned i = 1; i < each; ++i)
    if (chosen.before + chosen.count < wanted) chosen = {lane * each + i, own[i], chosen.before + chosen.count};
  return {__shfl_sync(warp::all_lanes, chosen.digit, at), __shfl_sync(warp::all_lanes, chosen.count, at),
          __shfl_sync(warp::all_lanes, chosen.before, at)};
}

/// Whether it is worth looking for digits in which ranks do not differ: only where ranks have many digits.
template <class Rank>
inline constexpr bool has_many_digits = rank_parts<Rank>::digits > 8;

/// Counts the given digit of those of the thread's ranks that agree with `bound` in all digits before it. Where ranks
/// have many digits, a run of the same digit takes one atomic addition: where all or half of the keys are equal, most
/// ranks are in such runs.
template <int Items, class Rank>
__device__ void count_digits(const Rank (&ranks)[Items], int held, const Rank& bound, int digit,
                             unsigned (&counts)[256]) {
  using parts = rank_parts<Rank>;
  unsigned last = 0, times = 0;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (i >= held || !parts::agree(ranks[i], bound, digit)) continue;
    const unsigned own = parts::digit(ranks[i], digit);
    if constexpr (!has_many_digits<Rank>) {
      atomicAdd(&counts[own], 1u);
      continue;
    }
    if (own != last && times > 0) {
      atomicAdd(&counts[last], times);
      times = 0;
    }
    last = own;
    ++times;
  }
  if (times > 0) atomicAdd(&counts[last], times);
}

/// Considers those of the block's ranks that agree with `bound` before digit `from`: calls use(digit, value) for each
/// digit from there on that all of them share, and returns the first in which they differ. All threads call, with the
/// same arguments except for the ranks.
template <int Items, class Rank, class Use>
__device__ int common_digits(const Rank (&ranks)[Items], int held, const Rank& bound, int from, bound_storage& shared,
                             const Use& use) {
  using parts = rank_parts<Rank>;
  constexpr unsigned words = sizeof(Rank) / sizeof(unsigned);
  static_assert(words <= bound_storage::most_words);
  if (threadIdx.x < words) shared.set[threadIdx.x] = shared.unset[threadIdx.x] = 0;
  __syncthreads();
  unsigned set[words] = {}, unset[words] = {};
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    unsigned rank[words];
    std::memcpy(rank, &ranks[i], sizeof(Rank));
    if (i >= held || !parts::agree(ranks[i], bound, from)) continue;
#pragma unroll
    for (unsigned w = 0; w < words; ++w) set[w] |= rank[w], unset[w] |= ~rank[w];
  }
#pragma unroll
  for (unsigned w = 0; w < words; ++w) {
    if (set[w] != 0) atomicOr(&shared.set[w], set[w]);
    if (unset[w] != 0) atomicOr(&shared.unset[w], unset[w]);
  }
  __syncthreads();
  Rank all, none;
  std::memcpy(&all, shared.set, sizeof(Rank));
  std::memcpy(&none, shared.unset, sizeof(Rank));
  int digit = from;
  for (; digit < parts::digits && (parts::digit(all, digit) & parts::digit(none, digit)) == 0; ++digit)
    use(digit, parts::digit(all, digit));
  return digit;
}

/// A rank such that at least `least` and at most `most` of the block's ranks are not greater than it; if there is none,
/// the least rank for which at least `least` are not greater. All ranks are between `low` and `high`. Found digit by
/// digit; digits in which the ranks do not differ are skipped. All threads get the same result.
template <int Items, class Rank>
__device__ Rank find_bound(const Rank (&ranks)[Items], int held, const Rank& low, const Rank& high, unsigned least,
                           unsigned most, bound_storage& shared) {
  using parts = rank_parts<Rank>;
  constexpr int turns = bound_storage::turns;
  const auto clear = [&](int turn) {
    if (threadIdx.x < 256) shared.counts[turn][threadIdx.x] = 0;
  };
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) clear(turn);
  __syncthreads();
  Rank bound{};
  int digit = 0;
  for (; digit < parts::digits - 1 && parts::digit(low, digit) == parts::digit(high, digit); ++digit)
    bound = parts::with_digit(bound, digit, parts::digit(low, digit));
  unsigned up_to = most + 1, before = 0, agreeing = 0;
  for (int turn = 0; digit < parts::digits && up_to > most; ++digit, turn = (turn + 1) % turns) {
    device::count_digits(ranks, held, bound, digit, shared.counts[turn]);
    __syncthreads();
    clear((turn + 2) % turns);  // whose counts were read in the previous turn
    const chosen_digit chosen = device::choose_digit(shared.counts[turn], least - before);
    bound = parts::with_digit(bound, digit, chosen.digit);
    before += chosen.before;
    up_to = before + chosen.count;
    if constexpr (has_many_digits<Rank>) {
      if (up_to > most && chosen.count == agreeing)  // they share this digit, and perhaps further ones
        digit =
            device::common_digits(ranks, held, bound, digit + 1, shared,
                                  [&](int same, unsigned value) { bound = parts::with_digit(bound, same, value); }) -
            1;
      agreeing = chosen.count;
    }
  }
  for (; digit < parts::digits; ++digit) bound = parts::with_digit(bound, digit, 0xff);
  return bound;
}

/// Loads the first `count` ranks, as far as the block has room, into its threads' registers; returns how many the
/// calling thread has.
template <int Items, class Rank>
__device__ int hold(const Rank* from, unsigned count, Rank (&ranks)[Items]) {
  int held = 0;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const unsigned at = static_cast<unsigned>(i) * selection_sampling_threads + threadIdx.x;
    ranks[i] = from[at < count ? at : 0];
    held += at < count;
  }
  return held;
}

/// Chooses the level's bounds from a sample. `sample`: `size` ranks of it, all between the bounds that the level has so
/// far; the block uses as many as it has room for. `below`: how many ranks of the sample are less than all of these,
/// and are not in memory.
template <int Items, class Rank>
__device__ void choose_bounds(const Rank* sample, unsigned size, const sample_bounds& bounds, unsigned below,
                              selection_state<Rank>& state, bound_storage& shared) {
  Rank ranks[Items];
  const int held = device::hold(sample, size, ranks);
  const Rank low = state.has_low ? state.low : Rank{};
  const Rank high = state.has_high ? state.high : rank_parts<Rank>::greatest();
  const auto find = [&](int position, int slack) {
    const unsigned least = static_cast<unsigned>(position) - below;
    return device::find_bound(ranks, held, low, high, least, least + static_cast<unsigned>(slack), shared);
  };
  Rank chosen_low{}, chosen_high{};
  if (bounds.has_high()) chosen_high = find(bounds.high + 1, bounds.slack);
  if (bounds.has_low()) chosen_low = find(bounds.low - bounds.slack, bounds.slack);
  __syncthreads();
  if (threadIdx.x > 0) return;
  state.low = chosen_low, state.has_low = bounds.has_low();
  state.high = chosen_high, state.has_high = bounds.has_high();
}

/// Initialises a level's state from that of the previous level.
template <class Rank>
__device__ void begin_level(selection_state<Rank>& state, const selection_state<Rank>& before, std::size_t capacity) {
  state.count = before.kept;
  state.wanted = before.wanted - before.below;
  state.low = before.low, state.has_low = before.has_low;
  state.high = before.high, state.has_high = before.has_high;
  state.misled = before.misled || before.kept > capacity || before.wanted <= before.below ||
                 before.wanted - before.below > before.kept;
}

/// Whether all other blocks have called this before, so that what they wrote can be read. `arrived` begins as zero,
/// unless there is only one block.
__device__ inline bool is_last_block(unsigned& arrived, unsigned& shared) {
  __threadfence();
  __syncthreads();
  if (gridDim.x == 1) return true;
  if (threadIdx.x == 0) shared = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return shared != 0;
}

/// Initialises the only level of a selection from few elements, which keeps all.
template <class Rank>
__global__ void begin_whole_kernel(selection_state<Rank>* level, std::size_t n, std::size_t wanted) {
  await_predecessors();
  *level = {};
  level->count = n;
  level->wanted = wanted;
}

/// Draws `size` of the source's ranks and chooses the level's bounds. `before`: the previous level, which keeps at most
/// `capacity` ranks; null for the first level, whose input is `n` elements of which the `wanted`-th is looked for.
template <class Source, class Rank>
__global__ void __launch_bounds__(selection_sampling_threads)
    sampling_kernel(Source source, std::size_t n, std::size_t wanted, const selection_state<Rank>* before,
                    std::size_t capacity, unsigned size, bool one_sided, std::uint64_t word, Rank* sample,
                    selection_state<Rank>* level) {
  await_predecessors();
  __shared__ bound_storage shared;
  __shared__ alignas(16) unsigned char own_state[sizeof(selection_state<Rank>)];
  selection_state<Rank>& state = *reinterpret_cast<selection_state<Rank>*>(own_state);
  if (threadIdx.x == 0) {
    state.below = state.kept = state.misled = state.has_low = state.has_high = 0;
    if (before != nullptr)
      begin_level(state, *before, capacity);
    else
      state.count = n, state.wanted = wanted;
  }
  __syncthreads();
  const unsigned threads = gridDim.x * selection_sampling_threads;
  constexpr int together = 4;
  for (unsigned first = blockIdx.x * selection_sampling_threads + threadIdx.x; !state.misled && first < size;
       first += together * threads) {
    std::size_t indices[together];
    Rank ranks[together];
#pragma unroll
    for (int i = 0; i < together; ++i)
      indices[i] =
          random_position(word, before == nullptr ? 0 : 1, first + static_cast<unsigned>(i) * threads, state.count);
    source.load(indices, ranks);
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (first + static_cast<unsigned>(i) * threads < size)
        sample[first + static_cast<unsigned>(i) * threads] = ranks[i];
  }
  if (!is_last_block(level->arrived, shared.last)) return;
  if (!state.misled) {
    constexpr unsigned most = most_sampled<Rank>, few = sampled_alone / selection_sampling_threads;
    const sample_bounds bounds = bounds_in_sample(static_cast<double>(state.wanted), static_cast<double>(state.count),
                                                  static_cast<int>(size), one_sided);
    if (size <= sampled_alone)
      device::choose_bounds<few>(sample, size, bounds, 0, state, shared);
    else
      device::choose_bounds<sample_items<Rank>>(sample, size, size > most ? bounds.within(size, most) : bounds, 0,
                                                state, shared);
  }
  if (threadIdx.x == 0) *level = state;
}

/// Chooses the bounds of the first level, of n elements, from what is kept of a sample of `size` ranks that has been
/// narrowed by bounds from a part of itself.
template <class Rank>
__global__ void __launch_bounds__(selection_sampling_threads)
    refining_kernel(const selection_state<Rank>* narrowed, const Rank* kept, unsigned size, std::size_t n,
                    std::size_t wanted, bool one_sided, selection_state<Rank>* level) {
  await_predecessors();
  __shared__ bound_storage shared;
  __shared__ alignas(16) unsigned char own_state[sizeof(selection_state<Rank>)];
  selection_state<Rank>& state = *reinterpret_cast<selection_state<Rank>*>(own_state);
  if (threadIdx.x == 0) {
    state = *narrowed;
    state.below = state.kept = 0;
    state.count = n, state.wanted = wanted;
  }
  __syncthreads();
  const sample_bounds bounds =
      bounds_in_sample(static_cast<double>(wanted), static_cast<double>(n), static_cast<int>(size), one_sided);
  device::choose_bounds<sample_items<Rank>>(kept, static_cast<unsigned>(narrowed->kept), bounds,
                                            static_cast<unsigned>(narrowed->below), state, shared);
  if (threadIdx.x == 0) *level = state;
}

}  // namespace gpu::inline v1::detail::device
