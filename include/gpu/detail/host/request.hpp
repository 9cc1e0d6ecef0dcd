// The precompiled part of the host backend: it sorts by the natural order of arithmetic keys and takes the same
// descriptions of elements as the precompiled kernels. It calls no user code.
#pragma once

#include "../boundary/request.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts the elements, and the value columns along with them. Scratch is taken before the first write: std::bad_alloc
/// leaves everything as it was. Integer keys without values need none.
GPUPAR_EXPORT void sort_by_keys(const sort_request& request);

/// Writes the permutation that sorts the elements; they are not modified. Only keys are read, so the elements may be of
/// any type.
GPUPAR_EXPORT void argsort_by_keys(const argsort_request& request);

}  // namespace gpu::inline v1::detail::host
