// Finds out by random draws how the keys of a range lie: whether they repeat, or different ones lie in small crowds.
#pragma once

#include <cstddef>

#include "../block/crowding.cuh"
#include "../block/distinct_prefixes.cuh"
#include "../block/evenness.cuh"
#include "../block/repetition.cuh"

namespace gpu::inline v1::detail::device {

/// Shared memory for this.
template <class Bits, int Threads>
struct spread_storage {
  block::evenness_storage<Bits, Threads> evenness;
  block::breakpoint curves[2 * block::breakpoints];
  union {
    block::repetition_storage repetition;
    block::crowding_storage crowding;
    block::distinct_prefixes<sizeof(Bits)> prefixes;
  };
};

/// Estimates how n keys share cells, of which there are about as many, from a sample and further draws that continue
/// it: draw(i) is the i-th; most_draws: the most draws in all. Only codes for which distinguishes(code) holds are
/// looked at: those that `cells` may tell from others. Synchronises before and after.
template <class Bits, int Threads, int Items, class Cells, class Distinguishes, class Draw>
__device__ block::neighbourhood neighbours_in(const Cells& cells, Distinguishes distinguishes,
                                              const Bits (&sample)[Items], std::size_t n, const Draw& draw,
                                              spread_storage<Bits, Threads>& shared, unsigned most_draws = ~0u) {
  constexpr unsigned round = Items * Threads, log_marks = block::crowding_storage::log_marks;
  block::crowding crowding{shared.crowding};
  const auto add = [&](Bits code) {
    if (distinguishes(code)) crowding.add(cells(code), static_cast<unsigned>(block::hash_of(code) >> (64 - log_marks)));
  };
#pragma unroll
  for (int i = 0; i < Items; ++i) add(sample[i]);
  const unsigned draws = min(block::draws_to_see_crowds(n, round), most_draws);
  Bits next[Items];
  const auto draw_next = [&](unsigned first) {
#pragma unroll
    for (int i = 0; i < Items; ++i) next[i] = draw(first + static_cast<unsigned>(i) * Threads + threadIdx.x);
  };
  if (round < draws) draw_next(round);
  for (unsigned first = round; first < draws; first += round) {
    Bits more[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) more[i] = next[i];
    if (first + round < draws) draw_next(first + round);
#pragma unroll
    for (int i = 0; i < Items; ++i) add(more[i]);
  }
  return crowding.average(n, draws);
}

/// Estimates how n keys share buckets of equal width or along a curve; `even` has been made of a sample by
/// choose_even(). If its buckets are of values, crowds are not looked for: then cells are keys, and fewer draws tell
/// whether these repeat. See neighbours_in().
template <class Bits, int Threads, int Items, class Draw>
__device__ block::neighbourhood neighbours_of(block::even_buckets<Bits> even, const Bits (&sample)[Items],
                                              std::size_t n, const Draw& draw, spread_storage<Bits, Threads>& shared) {
  const auto one_for_each = static_cast<unsigned>(min(n, std::size_t{1} << 30));
  if (even.scale != 0) {
    const auto cells = [](Bits code) { return static_cast<unsigned>(block::hash_of(code)); };
    return device::neighbours_in(
        cells, [](Bits) { return true; }, sample, n, draw, shared, 2 * Items * Threads);
  }
  if (even.curve != nullptr) {  // along which heavy keys have cells of their own
    even.buckets = one_for_each;
    const block::curved_buckets<Bits> cells{even, even.curve};
    const auto distinguishes = [&](Bits code) { return even.has(code) && cells.rises_at(code); };
    return device::neighbours_in(cells, distinguishes, sample, n, draw, shared);
  }
  const block::even_buckets<Bits> cells{even.least, even.span, one_for_each};
  return device::neighbours_in(
      cells, [&](Bits code) { return cells.has(code); }, sample, n, draw, shared);
}

}  // namespace gpu::inline v1::detail::device
