// Sorting over ranks by division first, for keys in device memory that the precompiled kernels support: unsorted
// elements are sent piece by piece to the ranks to which they belong, and each piece is sorted while the next one is
// being transferred.
#pragma once

#include <cstddef>

#include "../../communicator.hpp"
#include "../boundary/function_ref.hpp"
#include "../keys/key.hpp"
#include "agreement.hpp"

namespace gpu::inline v1::detail {

/// A rank's keys: where they are, and where those go that it has afterwards.
struct divided_keys {
  key_format format;
  void* before;
  void* after;
};

/// Calls sort(keys, count, options), which enqueues a sort, for pieces of the keys that the rank has afterwards, and
/// end() when all are sorted. Returns false on all ranks, with the elements unchanged, if this would take more time
/// than sorting and merging, or if a sample does not show where the ranks begin. A failure before the exchange leaves
/// every rank its elements, and a later one a permutation of the elements of all ranks.
[[nodiscard]] GPUPAR_EXPORT bool sort_by_division(communicator& ranks, const execution_options& options,
                                                  const part_sizes& sizes, const divided_keys& keys,
                                                  function_ref<void(void*, std::size_t, const execution_options&)> sort,
                                                  function_ref<void()> end);

}  // namespace gpu::inline v1::detail
