// The levels of a selection: how much each samples and keeps, known from n and k alone, and what the device finds out
// on each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../config.hpp"
#include "../tuning/selection.hpp"

namespace gpu::inline v1::detail::device {

/// Positions, in a sorted sample, of the ranks that bound the wanted one; a side with no position has no bound. Any
/// rank up to `slack` positions further out will do as well.
struct sample_bounds {
  int low;   ///< none: negative
  int high;  ///< none: negative
  int slack;

  [[nodiscard]] GPUPAR_HOST_DEVICE bool has_low() const { return low >= 0; }
  [[nodiscard]] GPUPAR_HOST_DEVICE bool has_high() const { return high >= 0; }
  /// The positions, in a subsample of `part` of the sample's `size` ranks, that bound these.
  [[nodiscard]] GPUPAR_HOST_DEVICE inline sample_bounds within(int size, int part) const;
};

GPUPAR_HOST_DEVICE inline sample_bounds bounds_in_sample(double wanted, double count, int size, bool one_sided) {
  const double part = wanted / count;
  const double expected = part * size;
  const double spread = sample_margin * sqrt(expected * (1 - part)) + sample_margin;
  const double high = expected + spread, low = expected - spread;
  const int slack = static_cast<int>(spread / 6) + 1;
  return {one_sided || low < slack + 1 ? -1 : static_cast<int>(low), high + slack < size ? static_cast<int>(high) : -1,
          slack};
}

GPUPAR_HOST_DEVICE inline sample_bounds sample_bounds::within(int size, int part) const {
  sample_bounds inner{-1, -1, part};
  if (has_low()) {
    const sample_bounds below = bounds_in_sample(low - slack, size, part, false);
    inner.low = below.low;
    inner.slack = below.slack;
  }
  if (has_high()) {
    const sample_bounds above = bounds_in_sample(high + slack + 1, size, part, false);
    inner.high = above.high;
    if (above.slack < inner.slack) inner.slack = above.slack;
  }
  return inner;
}

/// One level, as the host plans it.
struct selection_level {
  std::size_t most_count;  ///< ranks that it may look at, at most
  std::size_t sampled;
  std::size_t capacity;  ///< ranks that it may keep
};

/// What the device knows of a level. All zeros: everything is kept.
template <class Rank>
struct selection_state {
  Rank low;   ///< if has_low, ranks that are not greater are excluded
  Rank high;  ///< if has_high, ranks that are greater are excluded
  unsigned has_low, has_high;
  unsigned long long wanted;  ///< position of the wanted rank in the sorted input, from 1
  unsigned long long count;   ///< of the input
  unsigned long long below;   ///< ranks of the input that are not greater than low
  unsigned long long kept;
  unsigned misled;   ///< an earlier level has lost the wanted rank or run out of room
  unsigned arrived;  ///< blocks that have drawn their part of the sample
};

/// What is selected, and how. `one_sided`: all ranks before the wanted one are kept too.
struct selection_plan {
  std::size_t n;
  std::size_t wanted;
  bool one_sided;
  std::vector<selection_level> levels;

  /// Ranks that the last level may keep.
  [[nodiscard]] std::size_t capacity() const { return levels.back().capacity; }
};

/// Upper bound on how many of `count` ranks are kept; holds almost surely.
inline std::size_t kept_at_most(std::size_t wanted, std::size_t count, std::size_t sampled, bool one_sided) {
  const auto at = [&](double position) {  // the highest rank this position may have, as a fraction of all
    const double size = static_cast<double>(sampled);
    return (position + sample_margin * std::sqrt(position) + sample_margin) / size;
  };
  const sample_bounds bounds =
      bounds_in_sample(static_cast<double>(wanted), static_cast<double>(count), static_cast<int>(sampled), one_sided);
  const double between = (bounds.has_high() ? bounds.high + bounds.slack : static_cast<double>(sampled)) -
                         (bounds.has_low() ? bounds.low - bounds.slack : 0);
  const double kept = at(between) * static_cast<double>(count) + 1;
  return kept < static_cast<double>(count) ? static_cast<std::size_t>(kept) : count;
}

/// `refine`: whether the first level's sample may be larger than a block holds.
template <class Rank>
selection_plan plan_selection(std::size_t n, std::size_t wanted, bool one_sided, bool refine = refines<Rank>) {
  selection_plan plan{n, wanted, one_sided, {}};
  if (n <= most_kept_whole) {
    plan.levels.push_back({n, 0, n});
    return plan;
  }
  std::size_t count = n;
  while (plan.levels.empty() || (plan.levels.size() < most_selection_levels && count > most_left<Rank>(one_sided))) {
    // After the first level of a two-sided plan, only the device knows the wanted one's position among the ranks left.
    const bool known = one_sided || count == n;
    const auto kept = [&](std::size_t sampled) {
      return device::kept_at_most(known ? wanted : count / 2, count, sampled, one_sided);
    };
    const std::size_t most = n <= most_sampled_alone ? std::min(sampled_alone, most_sampled<Rank>) : most_sampled<Rank>;
    std::size_t sampled = std::min(count / 4, most);
    if (count == n && refine && kept(sampled) > kept(refined_sample<Rank>) + worth_refining)
      sampled = refined_sample<Rank>;
    const std::size_t capacity = kept(sampled);
    if (count < n && capacity > count / 2) break;
    plan.levels.push_back({count, sampled, capacity});
    count = capacity;
  }
  return plan;
}

}  // namespace gpu::inline v1::detail::device
