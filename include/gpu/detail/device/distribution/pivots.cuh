// How every subproblem of a round is divided, as a sample of it tells: to even buckets, or by splitters.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/even_buckets.cuh"
#include "../block/evenness.cuh"
#include "../block/merge_sort.cuh"
#include "../block/repetition.cuh"
#include "../block/splitters.cuh"
#include "../launching/launch.cuh"
#include "../tuning/merging.hpp"
#include "../tuning/radix.hpp"
#include "distribution.cuh"

namespace gpu::inline v1::detail::device {

/// Threads of a block that sorts a sample.
template <class Key>
inline constexpr int splitter_threads = merge_tile(sizeof(Key), 0).threads;

template <class Key>
using splitter_scan = cub::BlockScan<unsigned, splitter_threads<Key>>;

template <class Key>
using sample_sorter =
    block::merge_sort<Key, no_value, merge_tile(sizeof(Key), 0).threads, merge_tile(sizeof(Key), 0).items>;

/// Chooses how codes are divided, by a sample: to even buckets, along one of two `curves` if not null, or, where zero
/// buckets are returned, by splitters. buckets_for(density): how many for codes that somewhere lie so many times denser
/// than on the average. most_overflowing: the part of the codes that a curve may leave in buckets beyond all measure.
/// set_heavy_aside(): called if codes do not lie evenly; whether it has changed the sample. put_back(): changes it
/// back, where the others are for a curve, too: along that heavy ones have buckets of their own.
template <class Key, int Threads, int Items, class BucketsFor, class Codec, class SetHeavyAside, class PutBack>
__device__ block::even_buckets<Key> choose_even(const Key (&sample)[Items], BucketsFor buckets_for,
                                                float most_overflowing, Codec codec, block::breakpoint* curves,
                                                block::evenness_storage<Key, Threads>& shared,
                                                SetHeavyAside set_heavy_aside, PutBack put_back) {
  constexpr float even_enough = 1.5f, too_uneven = 3.0f;
  float density = 0;
  block::sampled_range<Key> range;
  enum { all, light, all_again };
#pragma unroll 1
  for (int codes = all;; ++codes) {
    range = block::even_range<Threads>(sample, shared, density);
    if (codes == all_again || density <= (codes == all ? even_enough : too_uneven)) break;
    if (codes == light && curves == nullptr) break;
    if (codes == light)
      put_back();
    else if (!set_heavy_aside())
      break;
  }
  const auto cut = [&](float allowed) {
    return block::even_buckets<Key>{range.least, range.span, buckets_for(allowed)};
  };
  if (density <= too_uneven) return cut(density <= even_enough ? 1.0f : density).with_separate_outsiders();
  if constexpr (block::may_have_value_v<Key, Codec>)
    if (block::maker_of(codec).negative_flip != 0 && range.span != 0) {
      auto valued = cut(1.0f);
      density = block::weigh(valued, range.exact, sample, block::maker_of(codec), shared);
      if (density <= even_enough) return valued;
      valued = cut(density);
      if (density <= too_uneven &&
          block::divide_values(valued, range.exact.least, range.exact.greatest, block::maker_of(codec)))
        return valued;
    }
  if (curves == nullptr || range.span == 0) return {};
  block::even_buckets<Key> best{};
  float least_overflowing = most_overflowing;
#pragma unroll 1
  for (int scale = 0; scale < 2; ++scale) {
    auto fitted = cut(2.0f);
    fitted.logarithmic = scale == 1;
    const float overflowing = block::fit_curve(fitted, sample, curves + scale * block::breakpoints, shared);
    if (overflowing == 0) return fitted;
    if (overflowing < least_overflowing) least_overflowing = overflowing, best = fitted;
  }
  return best;
}

template <class Key, int Threads, int Items, class BucketsFor, class Codec>
__device__ block::even_buckets<Key> choose_even(const Key (&sample)[Items], BucketsFor buckets_for,
                                                float most_overflowing, Codec codec, block::breakpoint* curves,
                                                block::evenness_storage<Key, Threads>& shared) {
  return device::choose_even(
      sample, buckets_for, most_overflowing, codec, curves, shared, [] { return false; }, [] {});
}

/// The part of `count` codes that is in those of their buckets of equal width that are longer than so many base cases,
/// as a sample has it. Synchronises before and after.
template <class Key, int Threads, int Items>
__device__ float part_in_long_buckets(const distribution_plan& plan, std::size_t count,
                                      const block::even_buckets<Key>& even, const Key (&sample)[Items],
                                      float base_cases, block::evenness_storage<Key, Threads>& shared) {
  constexpr unsigned drawn = Threads * Items;
  block::histogram(sample, even.buckets, shared, even);
  const float base_case = static_cast<float>(plan.longest_base_case) / static_cast<float>(count);
  return block::part_in_bars_above(base_cases * base_case * drawn, even.buckets, drawn, shared);
}

/// Whether heavy keys make too much of `count` codes' even buckets too long for base cases, which another round would
/// have to tell from each other. Asked where codes do not lie quite evenly and buckets are meant to be base cases.
template <class Key, int Threads, int Items>
__device__ bool heavy_keys_remain(const distribution_plan& plan, unsigned round, std::size_t count,
                                  const block::even_buckets<Key>& even, const Key (&sample)[Items],
                                  block::evenness_storage<Key, Threads>& shared) {
  const bool plain = even.curve == nullptr && even.scale == 0 && !even.all_equal(1);
  const bool uneven = even.buckets > plan.even_buckets(count, round, 1.0f);
  if (!plain || !uneven || count > even.buckets * plan.longest_base_case) return false;
  constexpr float much = 0.4f;  // from there on splitters cost less than another round
  return device::part_in_long_buckets(plan, count, even, sample, 1.0f, shared) > much;
}

/// Memory of what analyzes samples of codes.
template <class Key>
union analysis_storage {
  block::evenness_storage<Key, splitter_threads<Key>> evenness;
  block::repetition_storage repetition;
};

/// How a subproblem of codes is divided; by splitters if to no even buckets.
template <class Key>
struct sample_analysis {
  block::even_buckets<Key> even;
  repetition repeats = repetition::seldom;  ///< of codes, if base cases are meant to come out
  bool has_heavy = false;                   ///< whether some are heavy, then
};

/// Of subproblems that are given, which are many and short, neighbours are drawn, as many as memory gives at once:
/// samples of all of them would take longer than a pass.
inline constexpr unsigned drawn_together = 8;

/// The index in a subproblem of a draw of its sample. Where the first round's has misled, nobody knows the next one's,
/// nor what the rounds after that will find where.
__device__ inline std::size_t sampled(const distribution_plan& plan, unsigned round, const subproblem& divided,
                                      unsigned draw) {
  if (plan.subproblems_are_given() && round == 0)
    return detail::random_position(plan.samples.second, divided.begin * 64, draw / drawn_together,
                                   divided.count - drawn_together) +
           draw % drawn_together;
  const std::uint64_t word = round == 0 ? plan.samples.word(draw) : plan.samples.second;
  return detail::random_position(word, divided.begin * 64 + round, draw, divided.count);
}

/// Analyzes a subproblem by a random sample of Items for each thread.
template <int Items, class Key, class Source, class Codec>
__device__ sample_analysis<Key> analyze_by(const distribution_plan& plan, unsigned round, const subproblem& divided,
                                           Source keys, Codec codec, block::breakpoint* curves,
                                           analysis_storage<Key>& shared) {
  Key sample[Items];
  unsigned places[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const std::size_t place =
        device::sampled(plan, round, divided, static_cast<unsigned>(i) * blockDim.x + threadIdx.x);
    sample[i] = codec.encode(keys[divided.begin + place]);
    places[i] = static_cast<unsigned>(place);
  }
  constexpr int threads = splitter_threads<Key>;
  const bool makes_base_cases = round + 2 >= plan.rounds;
  const auto how_often_they_repeat = [&] {
    const float others = block::equal_others<threads>(sample, places, divided.count, shared.repetition);
    return others > counted_from(sizeof(Key)) ? repetition::often
           : others > plan.repeat_from        ? repetition::several_times
                                              : repetition::seldom;
  };
  auto repeats = repetition::seldom;
  if (makes_base_cases) repeats = how_often_they_repeat();
  float light = 1;  // part of the codes
  Key all[Items];
  const auto put_back = [&] {
    light = 1;
#pragma unroll
    for (int i = 0; i < Items; ++i) sample[i] = all[i];
  };
  const auto set_heavy_aside = [&] {
    if (plan.longest_with_heavy == 0) return false;
#pragma unroll
    for (int i = 0; i < Items; ++i) all[i] = sample[i];
    const float seen = Items * threads * static_cast<float>(plan.longest_base_case) / static_cast<float>(divided.count);
    light =
        block::set_heavy_aside<threads>(sample, places, max(8u, static_cast<unsigned>(seen / 4)), shared.repetition);
    if (light < 1 && makes_base_cases) repeats = how_often_they_repeat();
    return light < 1;
  };
  constexpr float most_overflowing = 0.5f;  // mostly heavy keys, which the next round tells from the others
  const auto even = device::choose_even(
      sample,
      [&](float density) {
        const float least_density = repeats == repetition::seldom ? 1 : density_of_repeated;
        return plan.even_buckets(divided.count, round, max(density, least_density) * light);
      },
      most_overflowing, codec, curves, shared.evenness, set_heavy_aside, put_back);
  const auto others = static_cast<std::size_t>(static_cast<float>(divided.count) * light);
  if (plan.is_misestimated(others, round) ||
      device::heavy_keys_remain(plan, round, others, even, sample, shared.evenness))
    return {{}, repeats};
  constexpr float by_chance = 1.5f;  // a bucket without heavy codes is hardly ever so many base cases long
  const bool has_heavy = makes_base_cases && light < 1 && even.buckets > 0 && even.curve == nullptr &&
                         even.scale == 0 &&
                         device::part_in_long_buckets(plan, others, even, sample, by_chance, shared.evenness) == 0;
  return {even, repeats, has_heavy};
}

/// Analyzes a subproblem by a random sample of it: of a given one for few buckets, a quarter of the others', as there
/// may be many.
template <class Key, class Source, class Codec>
__device__ sample_analysis<Key> analyze(const distribution_plan& plan, unsigned round, const subproblem& divided,
                                        Source keys, Codec codec, block::breakpoint* curves,
                                        analysis_storage<Key>& shared) {
  constexpr int items = static_cast<int>(evenness_sample) / splitter_threads<Key>, fewer = items / 4;
  constexpr unsigned few_buckets = block::evenness_bars(fewer * splitter_threads<Key>);
  if (plan.subproblems_are_given() && round == 0 && plan.even_buckets(divided.count, round, 1.0f) <= few_buckets)
    return device::analyze_by<fewer, Key>(plan, round, divided, keys, codec, curves, shared);
  return device::analyze_by<items, Key>(plan, round, divided, keys, codec, curves, shared);
}

/// A sorted random sample of a subproblem for splitters.
template <class Key, class Source, class Less, class Codec>
__device__ block::sorted_sample<Key> draw_sample(const worklist_of<Key, Less>& worklist, unsigned round,
                                                 const subproblem& divided, Source keys,
                                                 typename sample_sorter<Key>::storage& shared,
                                                 typename splitter_scan<Key>::TempStorage& scan, Less less,
                                                 Codec codec) {
  const unsigned buckets = worklist.plan.buckets(divided.count, round);
  const unsigned stride = min(block::oversampling, static_cast<unsigned>(sample_sorter<Key>::tile) / buckets);
  __syncthreads();  // analyze() has used the same memory
  worklist.locate(round, divided, [&](auto place) {
    for (unsigned i = threadIdx.x; i < stride * buckets; i += splitter_threads<Key>)
      shared.keys[i] = codec.encode(keys[place(device::sampled(worklist.plan, round, divided, i))]);
  });
  sample_sorter<Key>{shared}.sort(static_cast<int>(stride * buckets), less);
  block::sorted_sample<Key> sample{shared.keys, stride, buckets, false};
  block::thin_out<splitter_threads<Key>>(sample, scan, less);
  return sample;
}

/// Whether a round before has broken off.
template <class Less, class Worklist>
__device__ bool is_broken(const Worklist& worklist) {
  if constexpr (strict_weak_order_v<Less>)
    return false;
  else
    return *worklist.broken != no_round;
}

/// A subproblem without buckets or tile ranges, which the rest of the round leaves alone.
template <class Worklist>
__device__ void make_base_case(const Worklist& worklist, unsigned round, subproblem& whole) {
  whole.buckets = 0;
  worklist.add_base_case(round, whole.begin, whole.count);
}

/// Per subproblem: its tile ranges, and even buckets or splitters from a random sample. Clears the `counters` of its
/// buckets, if not null.
template <class Key, class Source, class Less, class Codec>
__global__ void __launch_bounds__(splitter_threads<Key>)
    splitters_kernel(worklist_of<Key, Less> worklist, unsigned round, Source keys, unsigned long long* counters,
                     Less less, Codec codec) {
  await_predecessors();
  constexpr int threads = splitter_threads<Key>;
  __shared__ union {
    typename sample_sorter<Key>::storage sample;
    std::conditional_t<are_codes_v<Key, Less>, analysis_storage<Key>, int> analysis;
  } shared;
  __shared__ typename splitter_scan<Key>::TempStorage scan;
  for (unsigned s = blockIdx.x; s < worklist.totals[round].subproblems; s += gridDim.x) {
    subproblem& divided = worklist.subproblems_of(round)[s];
    if (device::is_broken<Less>(worklist)) {
      if (threadIdx.x == 0) device::make_base_case(worklist, round, divided);
      continue;
    }
    even_of<Key, Less> even{};
    auto repeats = repetition::seldom;
    bool has_heavy = false;
    if constexpr (are_codes_v<Key, Less>) {
      const auto found = device::analyze<Key>(
          worklist.plan, round, divided, keys, codec,
          round == 0 && !worklist.plan.subproblems_are_given() ? worklist.curves : nullptr, shared.analysis);
      even = found.even, repeats = found.repeats, has_heavy = found.has_heavy;
    }
    block::sorted_sample<Key> sample{nullptr, 0, even.buckets, false};
    if (even.buckets == 0)
      sample = device::draw_sample<Key>(worklist, round, divided, keys, shared.sample, scan, less, codec);
    if (threadIdx.x == 0) {
      worklist.even[s] = even;
      divided.buckets = sample.buckets;
      divided.repeats = repeats;
      divided.has_heavy = has_heavy;
      worklist.claim(divided, round);
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < divided.tile_ranges; j += threads)
      worklist.subproblem_of[divided.first_tile_range + j] = s;
    if (counters)
      for (unsigned b = threadIdx.x; b < divided.buckets; b += threads) counters[divided.first_bucket + b] = 0;
    if (even.buckets == 0)
      block::build_splitters<threads>(sample, worklist.trees + divided.first_bucket,
                                      worklist.repeated + divided.first_bucket, less);
    __syncthreads();
  }
}

}  // namespace gpu::inline v1::detail::device
