// The part of segmented calls on the host that does not depend on the element type.
#pragma once

#include <cstddef>

#include "../boundary/function_ref.hpp"
#include "../calls/segments.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail {

/// Throws gpu::error (errc::invalid_range) unless every segment lies within n elements and no two overlap. The host
/// reads the bounds.
GPUPAR_EXPORT void require_segments(const segment_bounds& bounds, std::size_t n);

namespace host {

/// Calls body(first, last) for ranges of segments that together cover all, possibly at the same time: each of at most
/// about 16 000 elements, or a single segment. One range if there is only one thread.
GPUPAR_EXPORT void for_segments(const segment_bounds& bounds, std::size_t n,
                                function_ref<void(std::size_t, std::size_t)> body);

}  // namespace host
}  // namespace gpu::inline v1::detail
