#include "merge_windows.hpp"

#include <gpu/detail/host/buffer.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "device_rows.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {
namespace {

/// A window is known to a sample's distance in every run: together at most this part of the window.
constexpr std::size_t slack = 8;

constexpr std::size_t sample_distance(std::size_t runs, std::size_t most) {
  return std::max<std::size_t>(1, most / (slack * runs));
}

}  // namespace

void take_in_order(std::vector<std::size_t>& counts, std::size_t rows) {
  for (std::size_t& count : counts) {
    count = std::min(count, rows);
    rows -= count;
  }
}

merge_windows::merge_windows(const context& context, const run_steps& steps, const std::vector<std::size_t>& bounds,
                             const column& keys, std::size_t most)
    : bounds_{bounds}, position_(bounds.begin(), bounds.end() - 1), most_{most} {
  distance_ = sample_distance(position_.size(), most);
  step_ = most / distance_ - position_.size();
  cut_samples(context, steps, keys);
}

/// Sample i of a run is the last of its elements [i * distance, (i + 1) * distance). If c samples of a run are among
/// the first s of all, then its first c * distance elements precede or are the last of these s samples, and no element
/// from (c + 1) * distance on does. So the first s * distance elements of the merge lie before (c + 1) * distance.
void merge_windows::cut_samples(const context& context, const run_steps& steps, const column& keys) {
  const std::size_t runs = position_.size();
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < runs; ++r) counts.push_back((bounds_[r + 1] - bounds_[r]) / distance_);
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  windows_ = total / step_ + 1;
  if (windows_ == 1) return;

  host::buffer<std::byte> samples{total * keys.element_bytes};
  std::byte* next = samples.data();
  for (std::size_t r = 0; r < runs; ++r)
    for (std::size_t i = 1; i <= counts[r]; ++i, next += keys.element_bytes)
      std::memcpy(next,
                  static_cast<const std::byte*>(keys.data) + (bounds_[r] + i * distance_ - 1) * keys.element_bytes,
                  keys.element_bytes);
  const device_rows memory{context, {keys}, total};
  auto* const on_device = static_cast<std::byte*>(memory.columns()[0].data);
  check(cudaMemcpyAsync(on_device, samples.data(), samples.size(), cudaMemcpyHostToDevice, context.stream));
  std::vector<merge_input> pieces;
  std::size_t begin = 0;
  for (const std::size_t count : counts) {
    pieces.push_back({on_device + begin * keys.element_bytes, count});
    begin += count;
  }
  cuts_.resize(windows_ * runs);
  steps.cut(context, pieces, step_, windows_, cuts_.data());
}

std::vector<std::size_t> merge_windows::rows_within_reach(std::size_t w) const {
  const std::size_t runs = position_.size();
  std::vector<std::size_t> left;
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < runs; ++r) {
    left.push_back(bounds_[r + 1] - position_[r]);
    std::size_t reach = bounds_[r + 1];
    if (w + 1 < windows_) reach = std::min(reach, bounds_[r] + (cuts_[(w + 1) * runs + r] + 1) * distance_);
    counts.push_back(std::max(reach, position_[r]) - position_[r]);
  }
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (total >= rows(w) && total <= most_) return counts;
  take_in_order(left, rows(w));  // a comparator that contradicts itself
  return left;
}

void merge_windows::move_on(const std::vector<std::size_t>& taken) {
  for (std::size_t r = 0; r < taken.size(); ++r) position_[r] += taken[r];
}

std::size_t merge_windows::bytes(std::size_t n, std::size_t runs, std::size_t most, std::size_t element_bytes) {
  const std::size_t samples = n / sample_distance(runs, most);
  const std::size_t windows = samples / (most / sample_distance(runs, most) - runs) + 3;
  return samples * element_bytes + windows * runs * sizeof(std::size_t) + 512;  // and what alignment may cost
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
