// Segmented sorts of a caller's own element type and order: kernels instantiated in the caller's translation unit.
#pragma once

#include <cstddef>
#include <vector>

#include "../../boundary/request.hpp"
#include "../../index.hpp"
#include "../compare.cuh"
#include "../launching/call.hpp"
#include "../rows/row_columns.hpp"
#include "../stored.cuh"
#include "bounds.cuh"
#include "labelled.cuh"
#include "order.cuh"

namespace gpu::inline v1::detail::device {

/// Finds the order of elements in device memory, stably within segments, and uses it.
template <class T, class Less>
void order_and_use(const context& context, const T* elements, std::size_t n, const segment_bounds& host_or_device,
                   const Less& less, const order_use& use) {
  detail::with_index(n, [&]<class Index>(Index) {
    const std::size_t making = device::scratch_bytes<labelled_scratch<Index>>(n);
    const scratch<bounds_copy> copy{context, host_or_device};
    const scratch<segment_order<Index>> memory{context, n, making, use};
    const segment_bounds bounds = copy->bring(context, host_or_device);
    device::with_passed(context, less, [&](auto by) {
      carver carve{memory->block};
      device::order_labelled(context, labelled_scratch<Index>{carve, n}, n, bounds,
                             compare_by_index<T, Index, decltype(by)>{elements, by}, memory->order);
    });
    device::use_order(context, *memory, n, bounds, use);
  });
}

/// Sorts the segments of data[0, n), and value columns with them, stably, wherever they are.
template <class T, class Less>
void sort_element_segments(const execution_options& options, T* data, std::size_t n, const segment_bounds& bounds,
                           const Less& less, const column* values, std::size_t value_columns) {
  if (n < 2 || bounds.count == 0) return;
  const column elements{data, sizeof(T)};
  std::vector<column> all = device::row_columns(elements, values, value_columns);
  std::vector<location> locations;
  for (const column& each : all) locations.push_back(locate(each.data));
  locations.push_back(locate(bounds.begins));
  call here{options, ruling_location(locations)};
  for (std::size_t c = 0; c < all.size(); ++c)
    all[c].data = here.reach(locations[c], all[c].data, n * all[c].element_bytes, access::read_write);
  here.carry_out(order_and_use<T, Less>, static_cast<const T*>(all[0].data), n, bounds, less, order_use{all, {}});
}

/// Writes the permutation of each segment of keys[0, n) that sorts it, stably.
template <class T, class Less, class Index>
void order_element_segments(const execution_options& options, const T* keys, std::size_t n,
                            const segment_bounds& bounds, const Less& less, Index* indices) {
  if (n == 0 || bounds.count == 0) return;
  const std::vector<location> locations{locate(keys), locate(indices), locate(bounds.begins)};
  call here{options, ruling_location(locations)};
  const T* const elements = here.reach(keys, n, access::read);
  Index* const written = here.reach(indices, n, access::read_write);  // what belongs to no segment stays
  here.carry_out(order_and_use<T, Less>, elements, n, bounds, less, order_use{{}, {written, sizeof(Index)}});
}

/// Writes the first `each` elements of every segment of elements[0, n), in stable order, to output[0, segments * each).
template <class T, class Less>
void select_element_segments(const execution_options& options, const T* elements, std::size_t n,
                             const segment_bounds& bounds, const Less& less, T* output, std::size_t each) {
  if (n == 0) return;
  const std::vector<location> locations{locate(elements), locate(output), locate(bounds.begins)};
  call here{options, ruling_location(locations)};
  const T* const from = here.reach(elements, n, access::read);
  T* const to = here.reach(output, bounds.count * each, access::read_write);  // short segments leave some as they are
  here.carry_out(order_and_use<T, Less>, from, n, bounds, less, order_use{{}, {}, {{from, to, sizeof(T)}, each}});
}

}  // namespace gpu::inline v1::detail::device
