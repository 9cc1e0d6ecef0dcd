// Selection in about one read: each level draws a sample that bounds the wanted rank from above, or from both sides,
// and one pass keeps the ranks between the bounds; the few that the last level keeps are put in order. The kept ranks
// are counted, so that a misleading sample is detected and a search that needs no sample takes over. Floyd and Rivest,
// "Expected time bounds for selection", 1975; samples, ranks and counts as in Alabi, Blanchard, Gordon and Steinbach,
// "Fast k-selection algorithms for graphics processing units", 2012.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../sample_key.hpp"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/selection.hpp"
#include "keeping.cuh"
#include "levels.cuh"
#include "one_launch.cuh"
#include "ordering.cuh"
#include "partition.cuh"
#include "rescue.cuh"
#include "sampling.cuh"
#include "sides.cuh"

namespace gpu::inline v1::detail::device {

/// Device memory of a selection.
template <class Rank>
struct selection_scratch {
  selected_ranks<Rank>* selected;
  std::array<selection_state<Rank>*, most_selection_levels> states{};
  selection_state<Rank>* narrowed;  ///< bounds that narrow a sample that is to be refined
  Rank* threshold;
  std::size_t zero_bytes;  ///< that begin as zeros, from `selected` on
  Rank* sample;
  Rank* refined;
  std::array<Rank*, most_selection_levels> kept{};

  selection_scratch(carver& carve, const selection_plan& plan) {
    const std::size_t begin = carve.bytes(), sampled = plan.levels.front().sampled;
    selected = carve.take<selected_ranks<Rank>>(1);
    for (std::size_t level = 0; level < plan.levels.size(); ++level)
      states[level] = carve.take<selection_state<Rank>>(1);
    narrowed = carve.take<selection_state<Rank>>(1);
    threshold = carve.take<Rank>(1);
    zero_bytes = carve.bytes() - begin;
    sample = carve.take<Rank>(sampled > 0 ? std::max(sampled, most_sampled<Rank>) : 0);
    refined = carve.take<Rank>(sampled > most_sampled<Rank> ? most_sampled<Rank> : 0);
    for (std::size_t level = 0; level < plan.levels.size(); ++level)
      kept[level] = carve.take<Rank>(plan.levels[level].capacity);
  }

  /// The ranks that the last level keeps.
  [[nodiscard]] Rank* ranks(const selection_plan& plan) const { return kept[plan.levels.size() - 1]; }
};

/// Whether a single block draws each sample, and a single block does the rescue.
inline bool is_done_by_one(const selection_plan& plan) { return plan.n <= most_sampled_alone; }

/// Keeps the ranks between the level's bounds: of the source's first n or, if n is 0, of its first level->count.
/// `most`: an upper bound on how many these are.
template <class Source, class Rank>
void keep(const context& context, const Source& source, std::size_t n, std::size_t most, selection_state<Rank>* level,
          Rank* kept, std::size_t capacity) {
  device::launch_persistent(context, {divide_up(most, 4 * keeping_threads), keeping_threads},
                            keeping_kernel<Source, Rank>, source, n, level, kept, capacity);
}

/// Runs one level: chooses its bounds, unless it keeps everything, and keeps the ranks between them.
template <class Source, class Rank>
void run_level(const context& context, const Source& source, const selection_plan& plan, std::size_t number,
               const selection_scratch<Rank>& memory) {
  const selection_level& level = plan.levels[number];
  const bool first = number == 0, refined = level.sampled > most_sampled<Rank>;
  const auto sampled = static_cast<unsigned>(level.sampled);
  if (level.sampled > 0)
    device::launch_early(
        context,
        {is_done_by_one(plan) ? 1 : divide_up(level.sampled, selection_sampling_threads), selection_sampling_threads},
        sampling_kernel<Source, Rank>, source, plan.n, plan.wanted, first ? nullptr : memory.states[number - 1],
        level.most_count, sampled, plan.one_sided, process_sample_key().second, memory.sample,
        refined ? memory.narrowed : memory.states[number]);
  if (refined) {
    device::keep(context, rank_source<Rank>{memory.sample}, level.sampled, level.sampled, memory.narrowed,
                 memory.refined, most_sampled<Rank>);
    device::launch_early(context, {1, selection_sampling_threads}, refining_kernel<Rank>, memory.narrowed,
                         memory.refined, sampled, plan.n, plan.wanted, plan.one_sided, memory.states[number]);
  }
  device::keep(context, source, first ? plan.n : 0, level.most_count, memory.states[number], memory.kept[number],
               level.capacity);
}

/// Leaves the ranks that the plan selects of the source in memory.ranks(plan), in any order, and their count in
/// *memory.selected.
template <class Source, class Rank>
void select_ranks(const context& context, const Source& source, const selection_plan& plan,
                  const selection_scratch<Rank>& memory) {
  if (!is_done_by_one(plan)) device::set_zero(context, memory.selected, memory.zero_bytes);
  if (plan.levels.front().sampled == 0)
    device::launch_early(context, shape{1, 1}, begin_whole_kernel<Rank>, memory.states[0], plan.n, plan.wanted);
  device::run_level(context, source, plan, 0, memory);
  for (std::size_t level = 1; level < plan.levels.size(); ++level)
    device::run_level(context, rank_source<Rank>{memory.kept[level - 1]}, plan, level, memory);
  const std::size_t pieces = is_done_by_one(plan) ? 1 : divide_up(plan.n, 4 * rescue_threads);
  device::launch_together(context, pieces, rescue_threads, rescue_kernel<Source, Rank>, source, plan.n, plan.wanted,
                          plan.one_sided, memory.states[plan.levels.size() - 1], plan.capacity(), memory.ranks(plan),
                          memory.selected);
}

/// Writes the selected elements in order; each rank finds its position by counting.
template <class Rank>
void enumerate(const context& context, const selection_plan& plan, const selection_scratch<Rank>& memory,
               const selected_output& output) {
  device::launch_early(context, {divide_up(plan.capacity(), enumerated_by_block), enumeration_threads},
                       enumeration_kernel<Rank>, memory.ranks(plan), memory.selected, output);
}

/// Selects by a two-sided plan and leaves the wanted rank in *memory.threshold.
template <class Source, class Rank>
void find_threshold(const context& context, const Source& source, const selection_plan& plan,
                    const selection_scratch<Rank>& memory) {
  device::select_ranks(context, source, plan, memory);
  device::launch_early(context, {1, selection_sampling_threads}, threshold_kernel<Rank>, memory.ranks(plan),
                       memory.selected, memory.threshold);
}

/// Writes the first `wanted` of the source's n elements in one launch; returns false if n and `wanted` do not suit one
/// launch, or if the device cannot run it.
template <class Bits, class Rank>
bool select_in_one_launch(const context& context, const key_source<Bits, Rank>& source, std::size_t n,
                          std::size_t wanted, const selected_output& output) {
  constexpr std::size_t shared_bytes = sizeof(one_launch_storage<Rank>);
  if (!takes_one_launch<Rank>(n, wanted)) return false;
  if (!context.device.cooperative || shared_bytes > context.device.shared_bytes_per_block) return false;
  const auto kernel = one_launch_kernel<key_source<Bits, Rank>, Rank>;
  const shape grid =
      device::persistent_shape(context, kernel, divide_up(n, 4 * one_launch_threads), one_launch_threads, shared_bytes);
  const one_launch_plan plan{n, wanted, grid.blocks};
  const scratch<one_launch_state<Rank>> together{context, plan, grid.blocks};
  return device::launch_cooperative(context, grid, kernel, source, static_cast<unsigned>(n),
                                    static_cast<unsigned>(wanted), plan, process_sample_key().second, *together,
                                    output);
}

/// Copies the keys that are less than that of *threshold, in any order; leaves their number in *written.
template <class Bits, class Rank>
void compact_keys(const context& context, const key_source<Bits, Rank>& source, const Bits* keys, std::size_t n,
                  const Rank* threshold, Bits* to, unsigned long long* written) {
  device::set_zero(context, written, sizeof *written);
  device::launch_early(context, {std::min(siding_blocks(context), divide_up(n, side_tile<Bits>)), siding_threads},
                       compacting_kernel<Bits, Rank>, source, keys, n, threshold, to, written);
}

}  // namespace gpu::inline v1::detail::device
