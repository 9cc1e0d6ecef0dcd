// The windows in which sorted runs that the device cannot hold at once are merged: how many rows each window yields,
// and how far into the runs it reaches. A sample of each run, every k-th element, bounds the latter.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

#include <cstddef>
#include <vector>

#include "run_cuts.hpp"

namespace gpu::inline v1::detail::device {

class merge_windows {
 public:
  /// For parts of runs of `keys`, elements in host memory. A window takes at most `most` rows on the device, which are
  /// at least least_rows_per_run for each run. Throws std::bad_alloc, gpu::error.
  merge_windows(const context& context, const run_steps& steps, const run_parts& runs, const column& keys,
                std::size_t most);

  static constexpr std::size_t least_rows_per_run = 4;

  [[nodiscard]] std::size_t count() const noexcept { return windows_; }
  /// Where the output of window w begins, counting from the first row of the merge, and how many rows it has.
  [[nodiscard]] std::size_t begin(std::size_t w) const noexcept { return w * step_ * distance_; }
  [[nodiscard]] std::size_t rows(std::size_t w) const noexcept {
    return (w + 1 < windows_ ? begin(w + 1) : runs_.rows()) - begin(w);
  }

  /// The first row of run r that no window before the current one has taken.
  [[nodiscard]] std::size_t position(std::size_t r) const noexcept { return position_[r]; }
  /// How many rows of each run, from its position on, contain all rows that window w, the current one, takes.
  [[nodiscard]] std::vector<std::size_t> rows_within_reach(std::size_t w) const;
  /// Moves on to the next window: the current one took taken[r] rows of run r.
  void move_on(const std::vector<std::size_t>& taken);

  /// The number of samples of n elements, and the bytes of device memory needed while the windows are planned.
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
