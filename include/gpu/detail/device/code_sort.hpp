// Precompiled quicksort of numbers for headers that find out on the device whether they want it.
#pragma once

#include <cstddef>

#include "../config.hpp"
#include "../keys/key.hpp"
#include "launching/context.hpp"

namespace gpu::inline v1::detail::device {

/// Sorts keys[0, n) of device memory in natural order, in `memory` of code_sort_bytes(n, format.bytes), on the
/// context's stream, without waiting; does nothing if *unwanted, in device memory, is not zero by then. Not stable.
/// Throws gpu::error if a launch is refused.
GPUPAR_EXPORT void sort_codes_unless(const context& context, const unsigned* unwanted, void* keys, std::size_t n,
                                     const key_format& format, void* memory);
[[nodiscard]] GPUPAR_EXPORT std::size_t code_sort_bytes(std::size_t n, std::size_t key_bytes);

}  // namespace gpu::inline v1::detail::device
