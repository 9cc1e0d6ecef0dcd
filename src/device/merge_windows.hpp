// The windows in which sorted runs are merged that the device cannot hold: how many rows each yields, and how far into
// the runs it reaches. A sample of each run, every k-th element, bounds that.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

#include <cstddef>
#include <vector>

#include "run_cuts.hpp"

namespace gpu::inline v1::detail::device {

class merge_windows {
 public:
  /// Of parts of runs of the keys, elements in host memory. A window needs at most `most` rows on the device, at least
  /// least_rows_per_run of each run. Throws std::bad_alloc, gpu::error.
  merge_windows(const context& context, const run_steps& steps, const run_parts& runs, const column& keys,
                std::size_t most);

  static constexpr std::size_t least_rows_per_run = 4;

  [[nodiscard]] std::size_t count() const noexcept { return windows_; }
  /// Where the output of window w begins, the first row of the merge being row 0, and its rows.
  [[nodiscard]] std::size_t begin(std::size_t w) const noexcept { return w * step_ * distance_; }
  [[nodiscard]] std::size_t rows(std::size_t w) const noexcept {
    return (w + 1 < windows_ ? begin(w + 1) : runs_.rows()) - begin(w);
  }

  /// The first row of run r that no window before the one at hand has taken.
  [[nodiscard]] std::size_t position(std::size_t r) const noexcept { return position_[r]; }
  /// How many rows of each run from its position on hold all that window w, the one at hand, takes.
  [[nodiscard]] std::vector<std::size_t> rows_within_reach(std::size_t w) const;
  /// The window at hand took so many rows of each run.
  void move_on(const std::vector<std::size_t>& taken);

  /// Samples of n elements; and device memory for them, while the windows are made.
  [[nodiscard]] static std::size_t samples(std::size_t n, std::size_t runs, std::size_t most);
  [[nodiscard]] static std::size_t bytes(std::size_t n, std::size_t runs, std::size_t most, std::size_t element_bytes);

 private:
  void cut_samples(const context& context, const run_steps& steps, const column& keys);

  run_parts runs_;
  std::vector<std::size_t> position_;
  std::size_t most_;
  std::size_t distance_;  ///< between samples of a run
  std::size_t step_;      ///< samples per window
  std::size_t windows_ = 1;
  std::vector<std::size_t> cuts_;  ///< cuts_[w * runs + r]: samples of run r among the first w * step_ of all
};

}  // namespace gpu::inline v1::detail::device
