// A selection whose pointers are the device's, and how its results are written.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/scratch.cuh>
#include <gpu/detail/device/rows/permute.cuh>
#include <gpu/detail/device/selection/ordering.cuh>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpu::inline v1::detail {

/// A request whose pointers are the device's.
struct reached_selection {
  keyed_elements elements;
  std::size_t count;
  std::size_t selected;
  std::vector<column> inputs;
  std::vector<column> outputs;
  column indices;
};

inline void gather_selected(const device::context& context, const reached_selection& request,
                            const std::uint64_t* order) {
  for (std::size_t c = 0; c < request.inputs.size(); ++c)
    device::gather_rows(context, request.inputs[c].data, request.outputs[c].data, request.inputs[c].element_bytes,
                        order, request.selected);
}

inline device::index_writer write_to(const column& indices) { return {indices.data, indices.element_bytes}; }

/// Calls write(order) for each array that the order is to be written to, and moves the rows there.
template <class Write>
void write_selected(const device::context& context, const reached_selection& request, const Write& write) {
  if (request.indices.data != nullptr) write(write_to(request.indices));
  if (request.inputs.empty()) return;
  const device::scratch<device::scratch_array<std::uint64_t>> order{context, request.selected};
  write(order->data);
  gather_selected(context, request, order->data);
}

/// Where the selected rows and indices go.
inline device::selected_output output_of(const reached_selection& request) {
  device::selected_output output{write_to(request.indices)};
  for (std::size_t c = 0; c < request.inputs.size(); ++c)
    output.rows[output.columns++] = {request.inputs[c].data, request.outputs[c].data, request.inputs[c].element_bytes};
  return output;
}

/// Whether sorting copies of the keys suffices: for integers, since equal ones look alike.
inline bool are_keys_alone(const reached_selection& request) {
  return request.elements.plain() && request.elements.key.kind != key_class::floating_point &&
         request.indices.data == nullptr && request.inputs.size() == 1 &&
         request.inputs[0].data == request.elements.data;
}

}  // namespace gpu::inline v1::detail
