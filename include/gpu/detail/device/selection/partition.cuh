// In-place partition of rows around a threshold when it is known how many rows go before it: first by tiles from both
// sides, then the remaining rows by lists of indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/selection.hpp"
#include "exchange.cuh"
#include "sides.cuh"

namespace gpu::inline v1::detail::device {

/// Number of blocks of the kernels that partition and compact; none of these waits for all others.
inline std::size_t siding_blocks(const context& context) {
  return static_cast<std::size_t>(context.device.multiprocessors) * siding_blocks_per_multiprocessor;
}

/// How rows change sides.
struct exchange_plan {
  side left, right;
  std::size_t pinned;  ///< where the threshold's own row goes, or none_pinned
  std::size_t blocks;  ///< that partition tiles, or 0
  std::size_t strays;  ///< rows of a side that are left for lists, at most

  /// `wanted` of n rows go left; if `pin`, the threshold's own row becomes the last of these.
  exchange_plan(const context& context, std::size_t n, std::size_t wanted, bool pin, bool dense, std::size_t tile)
      : left{0, pin ? wanted - 1 : wanted},
        right{wanted, n},
        pinned{pin ? wanted - 1 : none_pinned},
        blocks{0},
        strays{std::min(left.end, n - wanted)} {
    if (!dense || moves_by_lists(n, strays, tile)) return;
    left.tiles = left.end / tile;
    right.tiles = (n - wanted) / tile;
    blocks = std::min(siding_blocks(context), std::min(left.tiles, right.tiles));
    strays = std::min(strays, (blocks + 1) * tile);
  }
};

/// State that the blocks of a partition share, and the lists of rows that change sides.
template <class Rank>
struct stray_scratch {
  side_state* state;
  mixed_tile* mixed;
  Rank* left;
  Rank* right;

  stray_scratch(carver& carve, const exchange_plan& plan)
      : state{carve.take<side_state>(1)},
        mixed{carve.take<mixed_tile>(plan.blocks)},
        left{carve.take<Rank>(plan.strays)},
        right{carve.take<Rank>(plan.strays)} {}
};

/// Moves the rows whose ranks are not greater than *threshold before the others, as planned. Rows that consist of the
/// key alone move in tiles.
template <class Key, class Source, class Rank>
void partition_rows(const context& context, const Source& source, void* rows, std::size_t row_bytes,
                    const exchange_plan& plan, const Rank* threshold, const stray_scratch<Rank>& scratch) {
  const std::size_t pinned = plan.pinned;
  device::set_zero(context, scratch.state, sizeof(side_state));
  if (pinned != none_pinned)
    device::launch_early(context, {1, exchange_threads}, pin_kernel<std::size_t>, static_cast<std::byte*>(rows),
                         row_bytes, pinned, threshold);
  if (plan.strays == 0) return;
  if constexpr (moves_in_tiles_v<Key>)
    device::launch_early(context, {plan.blocks, siding_threads}, siding_kernel<Source, Key, Rank>, source,
                         static_cast<Key*>(rows), plan.left, plan.right, pinned, threshold, scratch.state,
                         scratch.mixed);
  const auto list = [&](const side& from, bool on_left, Rank* to) {
    device::launch_persistent(context, {divide_up(from.end - from.begin, 4 * keeping_threads), keeping_threads},
                              stray_kernel<Source, Rank>, source, from, on_left, side_tile<Key>, pinned, threshold,
                              scratch.mixed, scratch.state, to, plan.strays);
  };
  list(plan.left, true, scratch.left);
  list(plan.right, false, scratch.right);
  const std::uintptr_t alignment = reinterpret_cast<std::uintptr_t>(rows) | row_bytes;
  const unsigned word_bytes = alignment % 8 == 0 ? 8 : alignment % 4 == 0 ? 4 : 1;
  const std::size_t words = row_bytes / word_bytes;
  device::launch_persistent(context, {divide_up(plan.strays * words, exchange_threads), exchange_threads},
                            exchange_kernel<std::size_t>, rows, words, word_bytes, pinned, threshold, scratch.left,
                            scratch.right, plan.strays, scratch.state);
}

}  // namespace gpu::inline v1::detail::device
