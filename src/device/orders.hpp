// Sorts and orders of keyed elements that are on the device.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/context.hpp>

#include <vector>

namespace gpu::inline v1::detail::device {

/// Sorts a request whose pointers are the device's.
void sort_reached(const context& context, const sort_request& request);

/// Writes the sorting permutation of a request's elements to its indices. `keys`: the columns that contain the keys,
/// the elements first. All pointers are the device's.
void order_reached(const context& context, const argsort_request& request, const std::vector<column>& keys);

}  // namespace gpu::inline v1::detail::device
