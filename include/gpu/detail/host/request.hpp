// What the library's own part of the host backend sorts: natural orders of arithmetic keys, compiled once and reached
// through the same descriptions of elements as the precompiled kernels. No user's code runs in here.
#pragma once

#include "../boundary/request.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts the elements and the value columns with them. Scratch is taken before the first write: std::bad_alloc leaves
/// everything as it was. Keys alone need none if they are integers.
GPUPAR_EXPORT void sort_by_keys(const sort_request& request);

/// Writes the sorting permutation of the elements; they stay as they are. Only keys are read, so the elements may be of
/// any type.
GPUPAR_EXPORT void argsort_by_keys(const argsort_request& request);

}  // namespace gpu::inline v1::detail::host
