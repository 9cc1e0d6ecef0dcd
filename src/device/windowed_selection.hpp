// Selections from more host data than the device may hold.
#pragma once

#include <gpu/detail/boundary/request.hpp>

namespace gpu::inline v1::detail {

/// Selects from data that the device can hold at once.
void select_whole(const selection_request& request, const execution_options& options);

/// If all of the request's data are in host memory, and need more device memory than the options allow or there is:
/// selects from one window of them at a time, each of which is copied to the device once. Returns whether it did.
/// Throws std::bad_alloc, with nothing written, if there is no memory for twice the selected elements.
bool select_by_windows(const selection_request& request, const execution_options& options);

}  // namespace gpu::inline v1::detail
