// What a random sample tells about a subproblem of codes: how it is divided, and how often codes repeat.
#pragma once

#include <cstddef>

#include "../../keys/key.hpp"
#include "../block/repetition.cuh"
#include "../tuning/merging.hpp"
#include "../tuning/radix.hpp"
#include "distribution.cuh"
#include "even_choice.cuh"

namespace gpu::inline v1::detail::device {

/// Threads of a block that sorts a sample.
template <class Key>
inline constexpr int splitter_threads = merge_tile(sizeof(Key), 0).threads;

/// The part of `count` codes that lies in buckets of equal width, given by `even`, which are longer than `base_cases`
/// base cases; estimated from a sample. Synchronises before and after.
template <class Key, int Threads, int Items>
__device__ float part_in_long_buckets(const distribution_plan& plan, std::size_t count,
                                      const block::even_buckets<Key>& even, const Key (&sample)[Items],
                                      float base_cases, block::evenness_storage<Key, Threads>& shared) {
  constexpr unsigned drawn = Threads * Items;
  block::histogram(sample, even.buckets, shared, even);
  const float base_case = static_cast<float>(plan.longest_base_case) / static_cast<float>(count);
  return block::part_in_bars_above(base_cases * base_case * drawn, even.buckets, drawn, shared);
}

/// Whether, because of heavy keys, too many of `count` codes lie in even buckets that are too long for base cases, so
/// that another round would have to divide them. Only where codes lie somewhat unevenly and buckets are meant to be
/// base cases.
template <class Key, int Threads, int Items>
__device__ bool heavy_keys_remain(const distribution_plan& plan, unsigned round, std::size_t count,
                                  const block::even_buckets<Key>& even, const Key (&sample)[Items],
                                  block::evenness_storage<Key, Threads>& shared) {
  const bool plain = even.curve == nullptr && even.scale == 0 && !even.all_equal(1);
  const bool uneven = even.buckets > plan.even_buckets(count, round, 1.0f);
  if (!plain || !uneven || count > even.buckets * plan.longest_base_case) return false;
  constexpr float much = 0.4f;  // above this, splitters cost less than another round
  return device::part_in_long_buckets(plan, count, even, sample, 1.0f, shared) > much;
}

/// How a subproblem of codes is divided: by splitters if there are no even buckets.
template <class Key>
struct sample_analysis {
  block::even_buckets<Key> even;
  repetition repeats = repetition::seldom;  ///< of codes, if buckets are meant to be base cases
  bool has_heavy = false;                   ///< whether some are heavy, in that case
};

/// Neighbouring codes that are drawn together from given subproblems, which are many and short: as many as memory
/// delivers at once. Single draws from all of them would take longer than a pass.
inline constexpr unsigned drawn_together = 8;

/// The index in a subproblem of draw number `draw` of its sample. Samples after the first round's, which may have
/// misled, are drawn by the second word of the key alone, and differently in each round and subproblem, so that nobody
/// can foresee them.
__device__ inline std::size_t sampled(const distribution_plan& plan, unsigned round, const subproblem& divided,
                                      unsigned draw) {
  if (plan.subproblems_are_given() && round == 0)
    return detail::random_position(plan.samples.second, divided.begin * 64, draw / drawn_together,
                                   divided.count - drawn_together) +
           draw % drawn_together;
  const std::uint64_t word = round == 0 ? plan.samples.word(draw) : plan.samples.second;
  return detail::random_position(word, divided.begin * 64 + round, draw, divided.count);
}

/// Shared memory for the analysis of samples of codes.
template <class Key>
union analysis_storage {
  block::evenness_storage<Key, splitter_threads<Key>> evenness;
  block::repetition_storage repetition;
};

/// Analyses a subproblem by a random sample of Items codes per thread.
template <int Items, class Key, class Codes>
__device__ sample_analysis<Key> analyze_by(const distribution_plan& plan, unsigned round, const subproblem& divided,
                                           const Codes& codes, block::breakpoint* curves,
                                           analysis_storage<Key>& shared) {
  // This many at a time, through local memory: loading any kind of code takes registers that the analysis needs.
  constexpr int at_once = 4;
  static_assert(Items % at_once == 0);
  Key drawn[Items];
  unsigned drawn_indices[Items];
#pragma unroll 1
  for (int first = 0; first < Items; first += at_once) {
    std::size_t indices[at_once];
    Key found[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const auto draw = static_cast<unsigned>(first + i) * blockDim.x + threadIdx.x;
      const std::size_t index = device::sampled(plan, round, divided, draw);
      indices[i] = divided.begin + index;
      drawn_indices[first + i] = static_cast<unsigned>(index);
    }
    codes.load(indices, found);
#pragma unroll
    for (int i = 0; i < at_once; ++i) drawn[first + i] = found[i];
  }
  Key sample[Items];
  unsigned sample_indices[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) sample[i] = drawn[i], sample_indices[i] = drawn_indices[i];
  constexpr int threads = splitter_threads<Key>;
  const bool makes_base_cases = round + 2 >= plan.rounds;
  const auto how_often_they_repeat = [&] {
    const float others = block::equal_others<threads>(sample, sample_indices, divided.count, shared.repetition);
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
    light = block::set_heavy_aside<threads>(sample, sample_indices, max(8u, static_cast<unsigned>(seen / 4)),
                                            shared.repetition);
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
      most_overflowing, codes.maker(), curves, shared.evenness, set_heavy_aside, put_back);
  const auto others = static_cast<std::size_t>(static_cast<float>(divided.count) * light);
  if (plan.is_misestimated(others, round) ||
      device::heavy_keys_remain(plan, round, others, even, sample, shared.evenness))
    return {{}, repeats};
  constexpr float by_chance = 1.5f;  // a bucket without heavy codes is hardly ever this many base cases long
  const bool has_heavy = makes_base_cases && light < 1 && even.buckets > 0 && even.curve == nullptr &&
                         even.scale == 0 &&
                         device::part_in_long_buckets(plan, others, even, sample, by_chance, shared.evenness) == 0;
  return {even, repeats, has_heavy};
}

/// Analyses a subproblem by a random sample. A given one that gets few buckets has a quarter of the usual sample, as
/// there may be many of them.
template <class Key, class Codes>
__device__ sample_analysis<Key> analyze(const distribution_plan& plan, unsigned round, const subproblem& divided,
                                        const Codes& codes, block::breakpoint* curves, analysis_storage<Key>& shared) {
  constexpr int items = static_cast<int>(evenness_sample) / splitter_threads<Key>, fewer = items / 4;
  constexpr unsigned few_buckets = block::evenness_bars(fewer * splitter_threads<Key>);
  if (plan.subproblems_are_given() && round == 0 && plan.even_buckets(divided.count, round, 1.0f) <= few_buckets)
    return device::analyze_by<fewer, Key>(plan, round, divided, codes, curves, shared);
  return device::analyze_by<items, Key>(plan, round, divided, codes, curves, shared);
}

}  // namespace gpu::inline v1::detail::device
