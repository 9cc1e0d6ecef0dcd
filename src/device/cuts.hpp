// Cuts of sorted sequences of keyed elements: where windows of a merge in runs begin and end.
#pragma once

#include <gpu/detail/device/rows/runs.hpp>

namespace gpu::inline v1::detail::device {

/// run_steps::cut for elements like `format`.
void cut_elements(const context& context, const keyed_elements& format, const std::vector<merge_input>& pieces,
                  std::size_t step, std::size_t steps, std::size_t* cuts);

}  // namespace gpu::inline v1::detail::device
