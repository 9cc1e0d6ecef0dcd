// Where to cut sorted runs in host memory, of which the device sees samples only.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>
#include <gpu/detail/host/buffer.hpp>

#include <cstddef>
#include <vector>

#include "device_rows.hpp"

namespace gpu::inline v1::detail::device {

/// The counts, lowered such that they sum to `rows`; the last ones are lowered first.
[[nodiscard]] std::vector<std::size_t> take_in_order(std::vector<std::size_t> counts, std::size_t rows);

/// How many elements of each piece are among the first `rank` of all.
[[nodiscard]] std::vector<std::size_t> cut_pieces(const context& context, const run_steps& steps,
                                                  const std::vector<merge_input>& pieces, std::size_t rank);

/// Bytes of scratch that run_steps::cut takes.
[[nodiscard]] std::size_t cut_bytes(std::size_t n, std::size_t pieces, std::size_t steps, std::size_t element_bytes);

/// Parts [begins[r], ends[r]) of sorted runs.
struct run_parts {
  std::vector<std::size_t> begins;
  std::vector<std::size_t> ends;

  [[nodiscard]] std::size_t count() const noexcept { return begins.size(); }
  [[nodiscard]] std::size_t rows(std::size_t r) const noexcept { return ends[r] - begins[r]; }
  [[nodiscard]] std::size_t rows() const noexcept;
};

/// Samples on the device: every `distance`-th element of each run. If c_r samples of run r are among the first s of all
/// samples, then at least c_r * distance elements of the run, and less than (c_r + 1) * distance, do not come after the
/// last of these s samples.
class run_samples {
 public:
  /// Throws std::bad_alloc, gpu::error.
  run_samples(const context& context, const column& keys, const run_parts& runs, std::size_t distance);

  [[nodiscard]] const std::vector<merge_input>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::size_t total() const noexcept { return total_; }

 private:
  std::size_t total_ = 0;
  host::buffer<std::byte> on_host_;
  device_rows memory_;
  std::vector<merge_input> pieces_;
};

/// With this many samples of each run, the undecided part shrinks every time.
inline constexpr std::size_t least_samples_per_run = 8;

/// The ends of the parts of runs that form the first `rank` elements of their merge. Samples what is still undecided
/// repeatedly, with at most `most` samples at a time.
[[nodiscard]] std::vector<std::size_t> cut_runs(const context& context, const run_steps& steps, const column& keys,
                                                const run_parts& runs, std::size_t rank, std::size_t most);

}  // namespace gpu::inline v1::detail::device
