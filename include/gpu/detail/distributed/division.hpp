// Sorting over ranks by dividing first, for keys that the precompiled kernels know, in device memory: unsorted elements
// travel to the ranks where they belong, piece by piece, and each piece is sorted while the next one travels.
#pragma once

#include <cstddef>

#include "../../communicator.hpp"
#include "../boundary/function_ref.hpp"
#include "../keys/key.hpp"
#include "agreement.hpp"

namespace gpu::inline v1::detail {

/// A rank's keys: where they are, and where those go that it has in the end.
struct divided_keys {
  key_format format;
  void* before;
  void* after;
};

/// Calls sort(keys, count, options), which enqueues, for pieces of the rank's keys in the end, and end() when all are
/// sorted. False on all ranks, and elements are as they were, where that would take more time than sorting and merging
/// does, or where a sample does not tell where ranks begin. Until the exchange a failure leaves every rank its
/// elements, and a permutation of all afterwards.
[[nodiscard]] GPUPAR_EXPORT bool sort_by_division(communicator& ranks, const execution_options& options,
                                                  const part_sizes& sizes, const divided_keys& keys,
                                                  function_ref<void(void*, std::size_t, const execution_options&)> sort,
                                                  function_ref<void()> end);

}  // namespace gpu::inline v1::detail
