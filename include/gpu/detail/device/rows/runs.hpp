// Sorting host data in runs: what the code that knows the elements provides, and what is done with it in src/device/.
#pragma once

#include <cstddef>
#include <vector>

#include "../../boundary/function_ref.hpp"
#include "../../boundary/request.hpp"
#include "../../config.hpp"
#include "../launching/context.hpp"
#include "pieces.hpp"

namespace gpu::inline v1::detail::device {

/// The most pieces that one cut() takes.
inline constexpr std::size_t most_pieces = 64;

/// The steps of a sort in runs. Pointers are the device's; work is enqueued on the context's stream.
struct run_steps {
  /// Sorts n rows of all columns, stably if that was asked.
  function_ref<void(const context&, const std::vector<column>& columns, std::size_t n)> sort;
  /// Merges pieces, stably.
  function_ref<void(const context&, const sorted_pieces&)> merge;
  /// Waits for the stream and writes cuts[i * pieces.size() + s], i < steps: how many elements of piece s are among the
  /// first i * step of the merge of all, which must have at least that many. At most most_pieces pieces.
  function_ref<void(const context&, const std::vector<merge_input>& pieces, std::size_t step, std::size_t steps,
                    std::size_t* cuts)>
      cut;
  /// Bytes of scratch that sorting n rows takes, and merging n rows in so many pieces.
  function_ref<std::size_t(std::size_t n)> sort_bytes;
  function_ref<std::size_t(std::size_t n, std::size_t pieces)> merge_bytes;
  /// Whether merging is so much faster than the transfers that it pays to sort while the upload goes on.
  bool merges_fast;
};

/// Sorts host data by the steps: in a few runs whose sorting overlaps the upload and whose merge overlaps the download,
/// if that is worth it, or in as many as device memory requires. Returns false if all data should rather be uploaded,
/// sorted and downloaded as one; nothing has happened then. If anything is thrown, the data are a permutation of what
/// they were. Throws std::bad_alloc, gpu::error, and what the listener to the progress throws.
[[nodiscard]] GPUPAR_EXPORT bool sort_by_runs(const execution_options& options, const std::vector<column>& columns,
                                              std::size_t n, const run_steps& steps);

/// Bytes of device memory that a sort of host data takes, in runs or not.
[[nodiscard]] GPUPAR_EXPORT std::size_t host_data_bytes(const execution_options& options,
                                                        const std::vector<column>& columns, std::size_t n,
                                                        const run_steps& steps);

}  // namespace gpu::inline v1::detail::device
