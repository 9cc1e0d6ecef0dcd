#include "merge_windows.hpp"

#include <algorithm>

namespace gpu::inline v1::detail::device {
namespace {

/// The extent of a window is known up to a sample's distance in every run: in total at most 1 / slack of the window.
constexpr std::size_t slack = 8;

constexpr std::size_t sample_distance(std::size_t runs, std::size_t most) {
  return std::max<std::size_t>(1, most / (slack * runs));
}

}  // namespace

merge_windows::merge_windows(const context& context, const run_steps& steps, const run_parts& runs, const column& keys,
                             std::size_t most)
    : runs_{runs}, position_{runs.begins}, most_{most} {
  distance_ = sample_distance(runs.count(), most);
  step_ = most / distance_ - runs.count();
  cut_samples(context, steps, keys);
}

/// The first s * distance elements of the merge do not come after the last of the first s samples: those of a run with
/// c samples among these lie before its element (c + 1) * distance.
void merge_windows::cut_samples(const context& context, const run_steps& steps, const column& keys) {
  std::size_t total = 0;
  for (std::size_t r = 0; r < runs_.count(); ++r) total += runs_.rows(r) / distance_;
  windows_ = total / step_ + 1;
  if (windows_ == 1) return;
  const run_samples samples{context, keys, runs_, distance_};
  cuts_.resize(windows_ * runs_.count());
  steps.cut(context, samples.pieces(), step_, windows_, cuts_.data());
}

std::vector<std::size_t> merge_windows::rows_within_reach(std::size_t w) const {
  const std::size_t runs = runs_.count();
  std::vector<std::size_t> left;
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < runs; ++r) {
    left.push_back(runs_.ends[r] - position_[r]);
    std::size_t reach = runs_.ends[r];
    if (w + 1 < windows_) reach = std::min(reach, runs_.begins[r] + (cuts_[(w + 1) * runs + r] + 1) * distance_);
    counts.push_back(std::max(reach, position_[r]) - position_[r]);
  }
  const std::size_t total = sum_of(counts);
  if (total >= rows(w) && total <= most_) return counts;
  return take_in_order(left, rows(w));  // the comparator is inconsistent
}

void merge_windows::move_on(const std::vector<std::size_t>& taken) {
  for (std::size_t r = 0; r < taken.size(); ++r) position_[r] += taken[r];
}

std::size_t merge_windows::samples(std::size_t n, std::size_t runs, std::size_t most) {
  return n / sample_distance(runs, most);
}

std::size_t merge_windows::bytes(std::size_t n, std::size_t runs, std::size_t most, std::size_t element_bytes) {
  const std::size_t total = samples(n, runs, most);
  const std::size_t windows = total / (most / sample_distance(runs, most) - runs) + 1;
  return windows > 1 ? total * element_bytes + cut_bytes(total, runs, windows, element_bytes) : 0;
}

}  // namespace gpu::inline v1::detail::device
