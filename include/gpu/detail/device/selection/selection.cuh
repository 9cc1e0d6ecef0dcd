// Selection in about one read: each level draws a sample, which bounds the wanted rank from above, or from both sides,
// and one pass keeps what lies between; the few ranks that the last level keeps are put in order. What was kept is
// counted, so that a sample that has misled is found out, and a search that asks no sample takes over. Floyd and
// Rivest, "Expected time bounds for selection", 1975; samples, ranks and counts as in Alabi, Blanchard, Gordon and
// Steinbach, "Fast k-selection algorithms for graphics processing units", 2012.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../sample_key.hpp"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "exchange.cuh"
#include "keeping.cuh"
#include "levels.cuh"
#include "ordering.cuh"
#include "rescue.cuh"
#include "sampling.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// What a selection works with.
template <class Rank>
struct selection_scratch {
  selected_ranks<Rank>* selected;
  std::array<selection_state<Rank>*, most_selection_levels> states{};
  Rank* threshold;
  std::size_t zero_bytes;  ///< from `selected` on, which begin as zeros
  Rank* sample;
  std::array<Rank*, most_selection_levels> kept{};

  selection_scratch(carver& carve, const selection_plan& plan) {
    const std::size_t begin = carve.bytes();
    selected = carve.take<selected_ranks<Rank>>(1);
    for (std::size_t level = 0; level < plan.levels.size(); ++level)
      states[level] = carve.take<selection_state<Rank>>(1);
    threshold = carve.take<Rank>(1);
    zero_bytes = carve.bytes() - begin;
    sample = carve.take<Rank>(plan.levels.front().sampled > 0 ? most_sampled<Rank> : 0);
    for (std::size_t level = 0; level < plan.levels.size(); ++level)
      kept[level] = carve.take<Rank>(plan.levels[level].capacity);
  }

  /// What the last level keeps.
  [[nodiscard]] Rank* ranks(const selection_plan& plan) const { return kept[plan.levels.size() - 1]; }
};

/// Whether single blocks draw the samples and look after what misled.
inline bool is_done_by_one(const selection_plan& plan) { return plan.n <= most_sampled_alone; }

/// One level: its bounds, unless it keeps all, and what it keeps.
template <class Source, class Rank>
void run_level(const context& context, const Source& source, const selection_plan& plan, std::size_t number,
               const selection_scratch<Rank>& memory) {
  const selection_level& level = plan.levels[number];
  const bool first = number == 0;
  if (level.sampled > 0)
    device::launch_early(
        context,
        {is_done_by_one(plan) ? 1 : divide_up(level.sampled, selection_sampling_threads), selection_sampling_threads},
        sampling_kernel<Source, Rank>, source, plan.n, plan.wanted, first ? nullptr : memory.states[number - 1],
        level.most_count, static_cast<unsigned>(level.sampled), plan.one_sided, process_sample_key().second,
        memory.sample, memory.states[number]);
  const auto kernel = keeping_kernel<Source, Rank>;
  device::launch_early(
      context,
      device::persistent_shape(context, kernel, divide_up(level.most_count, 4 * keeping_threads), keeping_threads),
      kernel, source, first ? plan.n : 0, memory.states[number], memory.kept[number], level.capacity);
}

/// Leaves in memory.ranks(plan) what the plan selects of the source, and in *memory.selected how much that is.
template <class Bits, class Rank>
void select_ranks(const context& context, const key_source<Bits, Rank>& source, const selection_plan& plan,
                  const selection_scratch<Rank>& memory) {
  if (!is_done_by_one(plan)) device::set_zero(context, memory.selected, memory.zero_bytes);
  if (plan.levels.front().sampled == 0)
    device::launch_early(context, shape{1, 1}, begin_whole_kernel<Rank>, memory.states[0], plan.n, plan.wanted);
  device::run_level(context, source, plan, 0, memory);
  for (std::size_t level = 1; level < plan.levels.size(); ++level)
    device::run_level(context, rank_source<Rank>{memory.kept[level - 1]}, plan, level, memory);
  const auto kernel = rescue_kernel<key_source<Bits, Rank>, Rank>;
  shape grid{1, rescue_threads};
  if (context.device.cooperative && !is_done_by_one(plan))
    grid = device::persistent_shape(context, kernel, divide_up(plan.n, 4 * rescue_threads), rescue_threads);
  grid.cooperative = grid.blocks > 1;
  const auto start = [&](shape blocks) {
    blocks.early = !blocks.cooperative;
    device::launch(context, blocks, kernel, source, plan.n, plan.wanted, plan.one_sided,
                   static_cast<const selection_state<Rank>*>(memory.states[plan.levels.size() - 1]), plan.capacity(),
                   memory.ranks(plan), memory.selected);
  };
  try {
    start(grid);
  } catch (const error& refused) {  // other work may have been given part of the multiprocessors
    if (refused.code().value() != cudaErrorCooperativeLaunchTooLarge) throw;
    start({1, rescue_threads});
  }
}

/// Puts what has been selected in order by counting, and the wanted rank to *threshold, unless that is null.
template <class Rank, class Index>
void enumerate(const context& context, const selection_plan& plan, const selection_scratch<Rank>& memory,
               const selected_output<Index>& output, Rank* threshold = nullptr) {
  device::launch_early(context, {divide_up(plan.capacity(), enumerated_by_block), enumeration_threads},
                       enumeration_kernel<Rank, Index>, static_cast<const Rank*>(memory.ranks(plan)),
                       static_cast<const selected_ranks<Rank>*>(memory.selected), output, threshold);
}

/// Lists of rows that change sides.
template <class Rank>
struct stray_scratch {
  unsigned long long* counts;
  Rank* left;
  Rank* right;

  stray_scratch(carver& carve, std::size_t most)
      : counts{carve.take<unsigned long long>(2)}, left{carve.take<Rank>(most)}, right{carve.take<Rank>(most)} {}
};

/// Brings the rows whose ranks are not greater than *threshold, `wanted` of them, before the others; the threshold's
/// own to the end of them if `pin`.
template <class Bits, class Rank>
void partition_rows(const context& context, const key_source<Bits, Rank>& source, void* rows, std::size_t row_bytes,
                    std::size_t n, std::size_t wanted, bool pin, const Rank* threshold,
                    const stray_scratch<Rank>& strays) {
  const std::size_t pinned = pin ? wanted - 1 : none_pinned, most = std::min(wanted, n - wanted);
  device::set_zero(context, strays.counts, 2 * sizeof(unsigned long long));
  if (pin)
    device::launch_early(context, {1, exchange_threads}, pin_kernel<Rank>, static_cast<std::byte*>(rows), row_bytes,
                         wanted - 1, threshold);
  if (most == 0) return;
  const auto list = [&](std::size_t begin, std::size_t end, bool greater, Rank* to, unsigned long long* count) {
    const auto kernel = stray_kernel<key_source<Bits, Rank>, Rank>;
    const std::size_t tiles = divide_up(end - begin, 4 * keeping_threads);
    device::launch_early(context, device::persistent_shape(context, kernel, tiles, keeping_threads), kernel, source,
                         begin, end, pinned, threshold, greater, to, most, count);
  };
  list(0, wanted, true, strays.left, strays.counts);
  list(wanted, n, false, strays.right, strays.counts + 1);
  const auto exchange = [&]<class Word>(Word) {
    const auto kernel = exchange_kernel<Rank, Word>;
    const std::size_t words = row_bytes / sizeof(Word);
    device::launch_early(
        context, device::persistent_shape(context, kernel, divide_up(most * words, exchange_threads), exchange_threads),
        kernel, static_cast<Word*>(rows), words, pinned, threshold, static_cast<const Rank*>(strays.left),
        static_cast<const Rank*>(strays.right), static_cast<const unsigned long long*>(strays.counts));
  };
  const std::uintptr_t alignment = reinterpret_cast<std::uintptr_t>(rows) | row_bytes;
  if (alignment % 8 == 0) return exchange(std::uint64_t{});
  if (alignment % 4 == 0) return exchange(std::uint32_t{});
  exchange(std::uint8_t{});
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
