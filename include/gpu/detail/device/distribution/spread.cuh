// How the keys of a range lie, as a random sample tells: evenly from least to greatest, along a curve, many times each,
// or in small crowds of different ones.
#pragma once

#include <cstddef>

#include "../block/crowding.cuh"
#include "../block/evenness.cuh"
#include "../block/repetition.cuh"

namespace gpu::inline v1::detail::device {

enum class spread : unsigned char {
  even,      ///< buckets of equal width hold about as many keys each
  repeated,  ///< so they do, but keys occur many times each
  crowded,   ///< in buckets of equal width or along a curve, but different keys lie in small crowds
  curved,    ///< along a curve
  uneven,    ///< buckets have to be searched for
  skewed     ///< not along a curve, and some keys are heavy, but not most
};

/// Shared memory of what finds out.
template <class Bits, int Threads>
struct spread_storage {
  block::evenness_storage<Bits, Threads> evenness;
  block::breakpoint curves[2 * block::breakpoints];
  union {
    block::repetition_storage repetition;
    block::crowding_storage crowding;
  };
};

/// How n keys share cells, of which there are as many, as a sample tells and more draws that go on from it: draw(i) is
/// the i-th. Those are looked at that `cells` may tell from others. Synchronises before and after.
template <class Bits, int Threads, int Items, class Cells, class MayTell, class Draw>
__device__ block::neighbourhood neighbours_in(const Cells& cells, MayTell may_tell, const Bits (&sample)[Items],
                                              std::size_t n, const Draw& draw, spread_storage<Bits, Threads>& shared) {
  constexpr unsigned round = Items * Threads, log_marks = block::crowding_storage::log_marks;
  block::crowding crowding{shared.crowding};
  const auto add = [&](Bits code) {
    if (may_tell(code)) crowding.add(cells(code), static_cast<unsigned>(block::hash_of(code) >> (64 - log_marks)));
  };
#pragma unroll
  for (int i = 0; i < Items; ++i) add(sample[i]);
  const unsigned draws = block::draws_to_see_crowds(n, round);
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

/// How n keys lie of which `even` is what choose_even() made of a sample with these curves; keys are repeated if they
/// share their cell with more than a dozen on the average. See neighbours_in(). skewed: if some keys are so heavy
/// that this is all that matters.
template <class Bits, int Threads, int Items, class Draw>
__device__ spread spread_of(block::even_buckets<Bits> even, bool skewed, const Bits (&sample)[Items], std::size_t n,
                            const Draw& draw, spread_storage<Bits, Threads>& shared) {
  constexpr float many = 0.05f, most_neighbours = 12, most_copies = 12;
  if (skewed) return spread::skewed;
  if (even.buckets == 0) return spread::uneven;
  if (even.scale != 0) {
    unsigned draws[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) draws[i] = static_cast<unsigned>(i) * Threads + threadIdx.x;
    const float repeated = block::part_seen_before<Threads>(sample, draws, shared.repetition);
    return repeated > many ? spread::repeated : spread::even;
  }
  const auto one_for_each = static_cast<unsigned>(min(n, std::size_t{1} << 30));
  if (even.curve != nullptr) {  // along which heavy keys have cells of their own
    even.buckets = one_for_each;
    const block::curved_buckets<Bits> cells{even, even.curve};
    const auto may_tell = [&](Bits code) { return even.has(code) && cells.rises_at(code); };
    const auto found = device::neighbours_in(cells, may_tell, sample, n, draw, shared);
    return found.strangers > most_neighbours ? spread::crowded : spread::curved;
  }
  const block::even_buckets<Bits> cells{even.least, even.span, one_for_each};
  const auto may_tell = [&](Bits code) { return cells.has(code); };
  const auto found = device::neighbours_in(cells, may_tell, sample, n, draw, shared);
  if (found.strangers > most_neighbours) return spread::crowded;
  return found.all > most_copies ? spread::repeated : spread::even;
}

}  // namespace gpu::inline v1::detail::device
