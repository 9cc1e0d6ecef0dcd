// Sorted pieces of columns, as inputs of a merge.
#pragma once

#include <cstddef>
#include <vector>

#include "../../boundary/request.hpp"
#include "../../config.hpp"
#include "../../index.hpp"

namespace gpu::inline v1::detail::device {

/// Sorted pieces of columns in device memory, and where their merge goes. Column c of piece i is
/// inputs[i * outputs.size() + c]; column 0 holds the elements, the others the values.
struct sorted_pieces {
  std::vector<const void*> inputs;
  std::vector<std::size_t> counts;
  std::vector<column> outputs;

  [[nodiscard]] std::size_t total() const { return detail::sum_of(counts); }
};

}  // namespace gpu::inline v1::detail::device
