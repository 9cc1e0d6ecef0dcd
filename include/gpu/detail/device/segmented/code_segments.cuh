// Segmented sort of codes: a thread, a group of threads, a block or all blocks sort a segment, depending on its length.
// The code for the longest segments is compiled elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "binned_segments.cuh"
#include "grouped_segments.cuh"
#include "lists.cuh"
#include "short_segments.cuh"

namespace gpu::inline v1::detail::device {

/// Memory for sorting the segments that belong to no class, and the lists of the others. The lists are no longer needed
/// when the former segments are moved, so they occupy memory that those are moved to.
template <class Key>
struct code_segments_scratch {
  std::byte* rounds;
  group_lists groups;

  code_segments_scratch(carver& carve, std::size_t n, std::size_t segments, const rounds_bytes& bytes)
      : code_segments_scratch{carve, carver{carve}, n, segments, bytes} {}

 private:
  code_segments_scratch(carver& carve, carver behind, std::size_t n, std::size_t segments, const rounds_bytes& bytes)
      : rounds{carve.take<std::byte>(bytes.all)}, groups{skip(behind, bytes.lists), n, segments, Key{}} {
    carve.cover(behind);
  }

  static carver& skip(carver& carve, std::size_t bytes) {
    (void)carve.take<std::byte>(bytes);
    return carve;
  }
};

/// Sorts the segments of binned classes, from Class on, whose codes are evenly distributed.
template <class Key, unsigned Class = first_binned<Key>, class Data, class Codec>
void sort_binned(const context& context, Data data, std::size_t n, const group_lists& groups, const long_lists& others,
                 Codec codec) {
  if constexpr (Class < classes_of<Key>) {
    const std::size_t most = n / (too_short_for<Key>(Class, groups.classes) + 1);
    if (groups.has(Class) && most > 0) {
      using bins = segment_bins<Key, Class>;
      device::launch_persistent(context, {most, bins::threads, sizeof(bins)},
                                binned_segments_kernel<Key, Class, Data, Codec>, data, groups, others, codec);
    }
    device::sort_binned<Key, Class + 1>(context, data, n, groups, others, codec);
  }
}

/// The classes, a bit for each, that a device has enough shared memory for.
template <class Key, unsigned Class = classes_of<Key> - 1>
unsigned classes_within(std::size_t shared_bytes) {
  if constexpr (Class >= group_classes)
    if (sizeof(segment_bins<Key, Class>) > shared_bytes) return device::classes_within<Key, Class - 1>(shared_bytes);
  return (2u << Class) - 1;
}

/// Sorts those segments of data[0, n), which points to Keys, that at most a block can sort, and lists the others;
/// begin_distribution() and groups.clear() must have been called. Returns whether the listed base cases hold codes, as
/// they do if only blocks that have tried to sort them list any.
template <class Key, class Data, class Codec>
bool sort_short_segments(const context& context, Data data, std::size_t n, const segment_bounds& bounds,
                         group_lists groups, long_lists others, Codec codec) {
  groups.classes &= device::classes_within<Key>(context.device.shared_bytes_per_block);
  others.coded = too_short_for<Key>(classes_of<Key>, groups.classes) >= others.longest_base_case;
  device::launch_persistent(context, {divide_up(bounds.count, bounds_at_once * short_threads), short_threads},
                            short_segments_kernel<Key, Data, Codec>, data, n, bounds, groups, others, codec);
  device::sort_binned<Key>(context, data, n, groups, others, codec);
  const std::size_t most_warps = std::min(n / (thread_items<Key> + 1), bounds.count);
  if (most_warps > 0)
    device::launch_persistent(context, {divide_up(most_warps, group_threads / warp::threads), group_threads},
                              grouped_segments_kernel<Key, Data, Codec>, data, groups, codec);
  return others.coded;
}

}  // namespace gpu::inline v1::detail::device
