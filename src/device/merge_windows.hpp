// The windows in which sorted runs are merged that the device cannot hold: how many rows each yields, and how far into
// the runs it reaches. A sample of each run, every so-manieth element, bounds that.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

#include <cstddef>
#include <vector>

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Lowers counts such that they sum to `rows`, the first ones last.
void take_in_order(std::vector<std::size_t>& counts, std::size_t rows);

class merge_windows {
 public:
  /// Of runs [bounds[r], bounds[r + 1]) of the keys, elements in host memory. A window needs at most `most` rows on the
  /// device. Throws std::bad_alloc, gpu::error.
  merge_windows(const context& context, const run_steps& steps, const std::vector<std::size_t>& bounds,
                const column& keys, std::size_t most);

  [[nodiscard]] std::size_t count() const noexcept { return windows_; }
  /// Where the output of window w begins, and its rows.
  [[nodiscard]] std::size_t begin(std::size_t w) const noexcept { return bounds_.front() + w * step_ * distance_; }
  [[nodiscard]] std::size_t rows(std::size_t w) const noexcept {
    return (w + 1 < windows_ ? begin(w + 1) : bounds_.back()) - begin(w);
  }

  /// The first row of run r that no window before the one at hand has taken.
  [[nodiscard]] std::size_t position(std::size_t r) const noexcept { return position_[r]; }
  /// How many rows of each run from its position on hold all that window w, the one at hand, takes.
  [[nodiscard]] std::vector<std::size_t> rows_within_reach(std::size_t w) const;
  /// The window at hand took so many rows of each run.
  void move_on(const std::vector<std::size_t>& taken);

  /// Device memory for the plan of n elements.
  [[nodiscard]] static std::size_t bytes(std::size_t n, std::size_t runs, std::size_t most, std::size_t element_bytes);

 private:
  void cut_samples(const context& context, const run_steps& steps, const column& keys);

  std::vector<std::size_t> bounds_;
  std::vector<std::size_t> position_;
  std::size_t most_;
  std::size_t distance_;  ///< between samples of a run
  std::size_t step_;      ///< samples per window
  std::size_t windows_ = 1;
  std::vector<std::size_t> cuts_;  ///< cuts_[w * runs + r]: samples of run r among the first w * step_ of all
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
