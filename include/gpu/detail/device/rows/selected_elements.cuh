// Selects the first elements by a caller's own order: kernels instantiated in the caller's translation unit.
#pragma once

#include <cstddef>
#include <vector>

#include "../../boundary/request.hpp"
#include "../launching/call.hpp"
#include "../selection/comparison.cuh"
#include "elements.cuh"
#include "permute.cuh"

namespace gpu::inline v1::detail::device {

template <class From, class To>
__global__ void __launch_bounds__(permute_threads) copy_indices_kernel(const From* from, To* to, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i < n) to[i] = static_cast<To>(from[i]);
}

/// Copies the rows of the first `selected` of elements[0, n), in stable order, from each column of `inputs` to the same
/// column of `outputs`, and their indices to `indices` unless that is null; all of these may be in host or device
/// memory. Finds the order of all n where that takes less time.
template <class T, class Less, class Index>
void select_elements(const execution_options& options, const T* elements, std::size_t n, std::size_t selected,
                     Less less, const column* inputs, const column* outputs, std::size_t columns, Index* indices) {
  std::vector<location> locations{detail::locate(elements), detail::locate(indices)};
  for (std::size_t c = 0; c < columns; ++c) {
    locations.push_back(detail::locate(inputs[c].data));
    locations.push_back(detail::locate(outputs[c].data));
  }
  call here{options, detail::ruling_location(locations)};
  const T* const keys = here.reach(elements, n, access::read);
  Index* const order_output = indices ? here.reach(indices, selected, access::write) : nullptr;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (std::size_t c = 0; c < columns; ++c) {
    const bool same = inputs[c].data == elements;
    from.push_back(same ? keys : here.reach(inputs[c].data, n * inputs[c].element_bytes, access::read));
    to.push_back(here.reach(outputs[c].data, selected * outputs[c].element_bytes, access::write));
  }
  here.carry_out([&](const context& context) {
    detail::with_index(n, [&]<class Position>(Position) {
      const auto write = [&](const Position* order) {
        for (std::size_t c = 0; c < columns; ++c)
          device::gather_rows(context, from[c], to[c], inputs[c].element_bytes, order, selected);
        if (order_output != nullptr)
          device::launch(context, {divide_up(selected, permute_threads), permute_threads},
                         copy_indices_kernel<Position, Index>, order, order_output, selected);
      };
      if (!device::selects_by_comparing(n, selected)) {
        const scratch<scratch_array<Position>> order{context, n};
        device::order_elements(context, keys, n, less, order->data, algorithm::merge_sort);
        return write(order->data);
      }
      const selection_plan plan = device::plan_comparison(n, selected);
      const scratch<comparison_scratch<Position>> memory{context, plan};
      device::with_passed(context, less,
                          [&](auto by) { device::select_by_comparing(context, keys, by, plan, *memory); });
      Position* const order = memory->result(plan);
      device::launch_early(context, {divide_up(selected, comparing_threads), comparing_threads},
                           replace_none_kernel<Position>, order, selected);
      write(order);
    });
  });
}

}  // namespace gpu::inline v1::detail::device
