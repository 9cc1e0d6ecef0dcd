// Segmented sort of codes: a thread, a group of threads, a block or all blocks for each segment, as its length asks.
// What the longest ones take is compiled elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "binned_segments.cuh"
#include "grouped_segments.cuh"
#include "lists.cuh"
#include "short_segments.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Lists, and memory of so many bytes for segments too long for a warp.
template <class Key>
struct code_segments_scratch {
  group_lists groups;
  std::byte* rounds;

  code_segments_scratch(carver& carve, std::size_t n, std::size_t segments, std::size_t rounds_bytes)
      : groups{carve, n, segments, thread_items<Key>, binned_classes<Key>},
        rounds{carve.take<std::byte>(rounds_bytes)} {}
};

/// Sorts the segments of binned classes from Class on that lie evenly.
template <class Key, unsigned Class = 0, class Data, class Codec>
void sort_binned(const context& context, Data data, std::size_t n, const group_lists& groups, Codec codec) {
  if constexpr (Class < binned_classes<Key>) {
    const auto binned = binned_segments_kernel<Key, Class, Data, Codec>;
    constexpr int threads = binned_threads<Key>(Class);
    const std::size_t most = n / (longest_binned<Key>(Class) / 2);
    if (most > 0)
      device::launch_early(context, device::persistent_shape(context, binned, most, threads), binned, data, groups,
                           codec);
    device::sort_binned<Key, Class + 1>(context, data, n, groups, codec);
  }
}

/// Sorts the segments of data[0, n), which points to Keys, that a warp or less can sort, and lists the others, which
/// begin_distribution() has been called for.
template <class Key, class Data, class Codec>
void sort_short_segments(const context& context, Data data, std::size_t n, const segment_bounds& bounds,
                         const group_lists& groups, const long_lists& others, Codec codec) {
  device::set_zero(context, groups.claims, sizeof(*groups.claims));
  const auto shorts = short_segments_kernel<Key, Data, Codec>;
  device::launch_early(
      context,
      device::persistent_shape(context, shorts, divide_up(bounds.count, bounds_at_once * short_threads), short_threads),
      shorts, data, n, bounds, groups, others, codec);
  device::sort_binned<Key>(context, data, n, groups, codec);
  if (n <= thread_items<Key>) return;
  const auto grouped = grouped_segments_kernel<Key, Data, Codec>;
  const std::size_t most_warps = std::min(n / thread_items<Key>, bounds.count);
  device::launch_early(
      context,
      device::persistent_shape(context, grouped, divide_up(most_warps, group_threads / warp::threads), group_threads),
      grouped, data, groups, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
