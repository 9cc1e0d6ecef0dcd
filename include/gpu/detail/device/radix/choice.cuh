// Decides whether keys are sorted by digits, the least significant first, or in rounds from the top. A pass takes the
// same time whatever the keys, so passes win where few digits vary; rounds win where keys lie evenly, and lose where
// buckets have to be searched for, or different keys lie in small crowds. A sample shows both. The decision is known on
// the device only: the radix sort is enqueued before the rounds, and one of the two finds that it is not wanted.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../../keys/shared_codes.hpp"
#include "../../sample_key.hpp"
#include "../distribution/even_choice.cuh"
#include "../distribution/sampled_keys.cuh"
#include "../distribution/spread.cuh"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/radix.hpp"
#include "../warp/shuffle.cuh"
#include "leading_digits.cuh"
#include "one_launch.cuh"

namespace gpu::inline v1::detail::device {

/// The narrowest window of 256^digits codes that is more than twice as wide as the range of a sample's codes, since the
/// sample may have missed some; all codes if no narrower window is.
template <class Bits>
struct code_window {
  Bits begin;
  unsigned digits;

  __device__ explicit code_window(const block::range_of_numbers<Bits>& codes) {
    const auto range = static_cast<Bits>(codes.greatest - codes.least);
    digits = sizeof(Bits);
    begin = 0;
    for (unsigned d = 1; d < sizeof(Bits); ++d) {
      const auto size = static_cast<Bits>(Bits{1} << (block::digit_bits * d));
      if (range >= size / 2) continue;
      const auto margin = static_cast<Bits>((size - range) / 2);
      begin = codes.least > margin ? static_cast<Bits>(codes.least - margin) : 0;
      digits = d;
      return;
    }
  }
};

/// Shared memory of analyze_digits_kernel.
template <class Bits>
struct digit_analysis {
  spread_storage<Bits, analysis_threads> spread;
  unsigned differing;
};

/// Whether all of these limits lead to the same decision: none is below digits.all, or all are below digits.fewest.
template <class... Limits>
__device__ bool agree_on(digits_needed digits, Limits... limits) {
  return ((digits.all <= limits) && ...) || ((digits.fewest > limits) && ...);
}

/// How many digits may vary for passes to take less time than rounds, judged by a sample of the keys' codes and further
/// draws. May return another limit if that leads to the same decision for `digits`.
template <class Bits, int Items>
__device__ unsigned most_digits(const digit_limits& limits, digits_needed digits, Bits (&sample)[Items],
                                const drawn_codes<Bits>& drawn, spread_storage<Bits, analysis_threads>& shared) {
  constexpr unsigned buckets = 256, most_buckets = 512;
  constexpr float most_overflowing = 0.75f;  // half of the keys may be one
  constexpr float few_neighbours = 12, few = 1.0f / 8;
  constexpr unsigned size = Items * analysis_threads;
  if (device::agree_on(digits, limits.even, limits.repeated, limits.crowded, limits.curved, limits.crowded_curve,
                       limits.searched, limits.skewed, limits.mostly))
    return limits.even;
  const block::sample_counts<analysis_threads> counts{sample, shared.repetition};
  const block::frequent_codes frequent = counts.frequent(size);
  const bool skewed = frequent.are_skewed();
  if (skewed && frequent.part > limits.most_skewed) return limits.mostly;
  if (skewed && device::agree_on(digits, limits.skewed, limits.crowded, limits.crowded_curve)) return limits.skewed;

  Bits all[Items];
  const auto set_heavy_aside = [&] {
    constexpr unsigned heavy = 8;
    unsigned draws[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i)
      draws[i] = static_cast<unsigned>(i) * analysis_threads + threadIdx.x, all[i] = sample[i];
    return limits.heavy_aside && block::set_heavy_aside<analysis_threads>(sample, draws, heavy, shared.repetition) < 1;
  };
  const auto put_back = [&] {
#pragma unroll
    for (int i = 0; i < Items; ++i) sample[i] = all[i];
  };
  const auto even = device::choose_even(
      sample,
      [](float density) { return min(static_cast<unsigned>(static_cast<float>(buckets) * density), most_buckets); },
      most_overflowing, drawn.maker, shared.curves, shared.evenness, set_heavy_aside, put_back);
  if (even.buckets == 0) return skewed ? limits.skewed : limits.searched;
  const bool curved = even.curve != nullptr;
  // Where keys are both heavy and crowded, the limit for crowds applies.
  if (curved ? device::agree_on(digits, limits.curved, limits.crowded_curve, limits.skewed)
             : device::agree_on(digits, limits.even, limits.repeated, limits.crowded, limits.skewed))
    return curved ? limits.curved : limits.even;
  const auto found = device::neighbours_of(even, sample, drawn.n, drawn, shared);
  if (found.strangers > few_neighbours) return curved ? limits.crowded_curve : limits.crowded;
  if (skewed || (frequent.part < few && found.has_heavy_keys(limits.some_heavy))) return limits.skewed;
  return curved ? limits.curved : found.all > few_neighbours ? limits.repeated : limits.even;
}

/// Chooses by at most draws_analyzed(n) draws of n keys. *choice.most_digits() becomes the number of digits that may
/// vary, zero if rounds are faster. If choice.sampled, *choice.window() becomes where a window begins, relative to
/// which codes take fewer digits, or zero, and *choice.first_digit() the first of the leading digits, or zero if these
/// are not enough. Zeroes cleared[0, words), which radix sort needs to be zero. One block. If neither passes nor rounds
/// are wanted, does not choose passes, and sets *choice.taken() as if the keys had been sorted.
template <class Bits>
__global__ void __launch_bounds__(analysis_threads)
    analyze_digits_kernel(drawn_codes<Bits> drawn, digit_limits limits, leading_digits_prices prices,
                          radix_choice choice, unsigned* cleared, std::size_t words) {
  await_predecessors();
  constexpr int items = static_cast<int>(evenness_sample) / analysis_threads;
  __shared__ digit_analysis<Bits> shared;
  if (choice.unwanted != nullptr && *choice.unwanted != 0) {
    if (threadIdx.x == 0) *choice.most_digits() = 0, *choice.taken() = 1;
    return;
  }
  if (threadIdx.x == 0) shared.differing = 0;
  Bits sample[items];
#pragma unroll
  for (int i = 0; i < items; ++i) sample[i] = drawn(static_cast<unsigned>(i) * analysis_threads + threadIdx.x);
  const Bits one = drawn(0);
  for (std::size_t w = threadIdx.x; w < words; w += analysis_threads) cleared[w] = 0;
  unsigned differing = block::differing_digits(sample, one, shared.differing);
  const code_window window{block::extremes<analysis_threads>(sample, shared.spread.evenness.range)};
  const bool windowed = window.digits < static_cast<unsigned>(__popc(differing));
  if (windowed) differing = (1u << window.digits) - 1;
  const Bits least = windowed ? window.begin : 0;
  const leading_digits<Bits> leading{prices, drawn.n, differing};
  const unsigned digits = leading.needed().all;
  const unsigned most = device::most_digits(limits, leading.needed(), sample, drawn, shared.spread);
  typename leading_digits<Bits>::choice best{0, static_cast<float>(digits)};
  if constexpr (sizeof(Bits) == 8) best = leading.best(least, most, sample, drawn, shared.spread);
  if (threadIdx.x > 0) return;
  const bool by_digits = digits <= most || (best.first > 0 && best.price <= static_cast<float>(most));
  *choice.most_digits() = !by_digits ? 0 : windowed ? digits : max(most, 1u);
  *choice.taken() = 0;
  if (!choice.sampled) return;
  *choice.window() = least;
  *choice.first_digit() = best.first;
}

/// Whether the device chooses, for n keys with values of these types.
template <class Bits, class Value>
constexpr bool worth_sampling(std::size_t n) {
  return n >= device::enough_to_analyze(sizeof(Bits), value_bytes_v<Value>);
}

/// Scratch of rounds and, in the same memory, of passes if the device chooses between them.
template <class Rounds, class Bits, class Value>
struct choice_scratch {
  radix_choice choice;
  carver again;
  Rounds rounds;
  one_launch_radix_scratch<Bits, Value> passes;

  choice_scratch(carver& carve, std::size_t n)
      : choice{carve.take<unsigned>(radix_choice::size)},
        again{carve},
        rounds{carve, n},
        passes{again, worth_sampling<Bits, Value>(n) ? n : 0} {
    carve.cover(again);
  }
};

/// The most draws of n keys that an analysis looks at.
inline unsigned draws_analyzed(std::size_t n) { return block::draws_to_see_crowds(n, evenness_sample); }

/// Looks at a sample of the keys, and writes to `choice` whether and how to sort them by digits. drawn: memory for
/// draws_analyzed(n) codes.
template <class Bits>
void analyze_digits(const context& context, const Bits* keys, std::size_t n, const digit_limits& limits,
                    const leading_digits_prices& prices, const radix_choice& choice, Bits* drawn, unsigned* cleared,
                    std::size_t words, const key_codec<Bits>& codec) {
  device::draw_codes(context, sampled_keys<Bits>{keys, n, detail::process_sample_key(), codec}, drawn,
                     device::draws_analyzed(n));
  device::launch_early(context, shape{1, analysis_threads}, analyze_digits_kernel<Bits>,
                       drawn_codes<Bits>{drawn, n, codec}, limits, prices, choice, cleared, words);
}

/// Looks at a sample of the keys, and sorts n elements by their codes if no more digits vary than `limits` allow.
template <class Bits, class Value>
void sort_by_digits_if(const context& context, const radix_choice& choice,
                       const one_launch_radix_scratch<Bits, Value>& memory, const radix_ends<Bits, Value>& ends,
                       std::size_t n, const digit_limits& limits, const key_codec<Bits>& codec) {
  device::analyze_digits(
      context, ends.keys, n, limits,
      device::prices_of_leading_digits(sizeof(Bits), value_bytes_v<Value>, n, ends.in_place()), choice,
      memory.buffer.keys, memory.first_cleared(), memory.words_cleared(), codec);
  device::one_launch_radix_sort(context, memory, ends, n, choice, codec);
}

/// Sorts n elements by digits if the device chooses to. Returns a word in device memory that is nonzero afterwards if
/// the rounds that come next on the context's stream are unwanted, because the elements have been sorted or because
/// *choice.unwanted is nonzero; null if rounds are wanted in any case.
template <class Bits, class Value>
const unsigned* sort_by_digits_or_not(const context& context, radix_choice choice,
                                      const one_launch_radix_scratch<Bits, Value>& memory,
                                      const radix_ends<Bits, Value>& ends, std::size_t n, const digit_limits& limits,
                                      const key_codec<Bits>& codec) {
  if constexpr (sizeof(Bits) == 4 || sizeof(Bits) == 8) {
    if (!worth_sampling<Bits, Value>(n)) return choice.unwanted;
    choice.sampled = true;
    device::sort_by_digits_if(context, choice, memory, ends, n, limits, codec);
    return choice.taken();
  }
  return choice.unwanted;
}

}  // namespace gpu::inline v1::detail::device
