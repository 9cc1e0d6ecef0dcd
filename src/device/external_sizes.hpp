// What an external sort holds on the device at once: runs while it forms them, windows of as many runs as fit while it
// merges them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "device_rows.hpp"
#include "merge_windows.hpp"

namespace gpu::inline v1::detail::device {

/// Fewer rows at a time make no sense: windows must hold several rows of many runs.
inline constexpr std::size_t least_rows = 128;
/// Rows of a run or window at most, for cuts are counted in 32 bits.
inline constexpr std::size_t most_rows = std::size_t{1} << 31;

// While one run or window is worked on, the next is uploaded and the one before it downloaded.
inline constexpr std::size_t run_slots = 3;
inline constexpr std::size_t window_slots = 2;

/// The largest number of rows in [least_rows, n] whose bytes(rows) stay within the memory, or least_rows.
template <class Bytes>
std::size_t most_that_fit(std::size_t n, std::size_t memory, const Bytes& bytes) {
  const auto next_fits = [&](std::size_t rows) { return bytes(rows + 1) <= memory; };
  return partition_index(least_rows, std::max(std::min(n, most_rows), least_rows), next_fits);
}

/// How many runs windows of `window` rows can merge at once.
constexpr std::size_t pieces_for(std::size_t window, std::size_t runs) {
  return std::min({runs, most_pieces, window / merge_windows::least_rows_per_run});
}

/// The sizes of runs and windows in rows, and the device memory that these take.
struct external_sizes {
  external_sizes(const std::vector<column>& columns, std::size_t n, const run_steps& steps, std::size_t memory) {
    const auto bytes_of_run = [&](std::size_t rows) {
      return run_slots * device_rows::bytes_for(columns, rows) + steps.sort_bytes(rows);
    };
    run = most_that_fit(n, memory, bytes_of_run);
    runs = (n + run - 1) / run;
    const auto bytes_of_window = [&](std::size_t rows) {
      const std::size_t pieces = pieces_for(rows, runs);
      return 2 * window_slots * device_rows::bytes_for(columns, rows) +
             std::max(steps.merge_bytes(rows, pieces), cut_bytes(rows, pieces, 2, columns[0].element_bytes));
    };
    window = most_that_fit(n, memory, bytes_of_window);
    pieces = pieces_for(window, runs);
    part = n;
    const auto bytes_to_plan = [&] { return merge_windows::bytes(part, pieces, window, columns[0].element_bytes); };
    const std::size_t to_merge = bytes_of_window(window);
    while (part > window && bytes_to_plan() > std::max(memory, to_merge)) part = (part + 1) / 2;
    bytes = bytes_of_run(run);
    if (runs > 1) bytes = std::max({bytes, to_merge, bytes_to_plan()});
    for (std::size_t left = runs; left > 1; left = (left + pieces - 1) / pieces) ++levels;
  }

  std::size_t run;
  std::size_t runs;
  std::size_t window;
  std::size_t pieces;  ///< runs that are merged at once
  std::size_t part;    ///< rows of the output that are planned at once
  std::size_t bytes;
  std::size_t levels = 0;
};

}  // namespace gpu::inline v1::detail::device
