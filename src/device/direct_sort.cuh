// Plain keys, alone or with one column of values, are sorted in place; narrow values are widened meanwhile.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/scratch.cuh>
#include <gpu/detail/device/tuning/radix.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "keys/keys.hpp"
#include "rows.cuh"
#include "wide_keys.hpp"

namespace gpu::inline v1::detail::device {

/// Whether the requested sort accepts keys whose bytes it has to rearrange: not the sorts that compare them as
/// integers.
inline bool takes_keys_as_they_are(const sort_request& request) {
  return !request.elements.key.is_of_parts() || !request.stable || request.how == algorithm::quicksort;
}

/// Whether the one column of values is wide, and passes by digits move it along if it is aligned.
inline bool has_wide_values(const sort_request& request) {
  return request.elements.plain() && request.elements.key.bytes <= widest_key_of_wide_values &&
         request.value_columns == 1 && request.values[0].element_bytes == wide_value_bytes &&
         request.how == algorithm::radix && takes_keys_as_they_are(request) &&
         least_shared_bytes() >= wide_value_shared_bytes;
}
inline bool moves_wide_values(const sort_request& request) {
  return has_wide_values(request) && is_aligned(request.values[0]);
}

inline bool sorts_directly(const sort_request& request) {
  if (moves_wide_values(request)) return true;
  if (!request.elements.plain() || request.value_columns > 1 || !takes_keys_as_they_are(request)) return false;
  const bool aligned = request.value_columns == 0 || is_aligned(request.values[0]);
  if (!aligned || !moves_along(request.value_columns == 0 ? 0 : request.values[0].element_bytes)) return false;
  if (is_narrow(request.elements.key)) return sorts_narrow_keys(request);
  if (request.value_columns == 0) return true;
  if (!request.stable || request.how != algorithm::quicksort) return true;
  return with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    return key_kernels<Bits>::sorts_pairs(static_cast<const Bits*>(request.elements.data), request.values[0],
                                          request.count, request.elements.key, true);
  });
}

/// Whether the values are a column of integers that are too narrow for kernels to move.
inline bool has_narrow_values(const sort_request& request) {
  return request.value_columns == 1 && request.values[0].element_bytes < sizeof(std::uint32_t) &&
         std::has_single_bit(request.values[0].element_bytes) && is_aligned(request.values[0]);
}

/// The request with its values elsewhere, widened to four bytes each.
struct widened_request : sort_request {
  column wide;
  widened_request(const sort_request& request, std::uint32_t* values)
      : sort_request{request}, wide{values, sizeof(std::uint32_t)} {
    this->values = &wide;
  }
  widened_request(const widened_request&) = delete;
};

template <class Bits>
void sort_directly(const context& context, const sort_request& request) {
  if constexpr (sizeof(Bits) <= widest_key_of_wide_values)
    if (moves_wide_values(request))
      return wide_value_kernels<Bits>::sort(context, static_cast<Bits*>(request.elements.data), request.values[0].data,
                                            request.count, request.elements.key, request.stable);
  key_kernels<Bits>::sort(context, static_cast<Bits*>(request.elements.data),
                          request.value_columns > 0 ? request.values[0] : column{}, request.count, request.elements.key,
                          request.stable, request.how);
}

/// Scratch bytes that sort_directly() needs; 0 for what it never sorts, wherever columns lie.
template <class Bits>
std::size_t direct_scratch_bytes(const sort_request& request) {
  const std::size_t value_bytes = request.value_columns > 0 ? request.values[0].element_bytes : 0;
  if constexpr (sizeof(Bits) <= widest_key_of_wide_values)
    if (has_wide_values(request)) return wide_value_kernels<Bits>::scratch_bytes(request.count);
  if (!request.elements.plain() || request.value_columns > 1 || !moves_along(value_bytes)) return 0;
  return key_kernels<Bits>::sort_scratch_bytes(request.count, value_bytes, request.elements.key, request.stable,
                                               request.how);
}

/// Calls sort(request) with narrow values widened to four bytes: converting them there and back takes less time than
/// sorting indices and fetching values by them.
template <class Sort>
void sort_widened(const context& context, const sort_request& request, const Sort& sort) {
  const std::size_t n = request.count;
  const scratch<scratch_array<std::uint32_t>> values{context, n};
  const column& narrow = request.values[0];
  const column wide{values->data, sizeof(std::uint32_t)};
  convert(context, narrow, n, wide);
  sort(widened_request{request, values->data});
  convert(context, wide, n, narrow);
}

}  // namespace gpu::inline v1::detail::device
