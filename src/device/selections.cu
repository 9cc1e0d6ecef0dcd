// Selections of keyed elements on the device: by samples where a part is wanted, by sorting where it is most of them.
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/rows/part_codes.cuh>
#include <gpu/detail/device/rows/permute.cuh>
#include <gpu/detail/device/selection/selection.cuh>
#include <gpu/detail/index.hpp>
#include <gpu/detail/request.hpp>

#include "keys.hpp"
#include "orders.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {
namespace {

using namespace device;

/// Ranks that go by sorting with all others soonest when there are more of them than counting takes.
constexpr std::size_t most_counted = most_enumerated;
/// The same where nothing sorts such ranks.
constexpr std::size_t most_wide_counted = std::size_t{1} << 16;

/// What brings the selected rows out: their order, in 64 bits each.
struct row_places {
  std::uint64_t* order;
  row_places(carver& carve, std::size_t n) : order{carve.take<std::uint64_t>(n)} {}
};

/// A request whose pointers are the device's.
struct reached_selection {
  keyed_elements elements;
  std::size_t count;
  std::size_t selected;
  std::vector<column> inputs;
  std::vector<column> outputs;
  column indices;
};

void gather_selected(const context& context, const reached_selection& request, const std::uint64_t* order) {
  for (std::size_t c = 0; c < request.inputs.size(); ++c)
    gather_rows(context, request.inputs[c].data, request.outputs[c].data, request.inputs[c].element_bytes, order,
                request.selected);
}

/// Calls write(indices) with an array of unsigned integers of their width.
template <class Write>
void write_indices(const column& indices, const Write& write) {
  with_index_of_bytes(indices.element_bytes, [&]<class Index>(Index) { write(static_cast<Index*>(indices.data)); });
}

/// Calls write(order) for each array that the order is to be written to, and brings the rows there.
template <class Write>
void write_selected(const context& context, const reached_selection& request, const Write& write) {
  if (request.indices.data != nullptr) write_indices(request.indices, write);
  if (request.inputs.empty()) return;
  const scratch<row_places> places{context, request.selected};
  write(places->order);
  gather_selected(context, request, places->order);
}

/// Ranks in order: those that are selected, then what the room behind them is filled with.
template <class Rank>
void sort_ranks(const context& context, Rank* ranks, const selected_ranks<Rank>* selected, std::size_t capacity) {
  launch_early(context, {divide_up(capacity, enumeration_threads), enumeration_threads}, pad_ranks_kernel<Rank>, ranks,
               selected, capacity);
  key_kernels<Rank>::sort(context, ranks, {}, capacity,
                          {key_class::unsigned_integer, static_cast<std::uint8_t>(sizeof(Rank)), 0, false}, false,
                          algorithm::quicksort);
}

/// Writes the selected rows and indices by counting.
template <class Rank>
void enumerate_selected(const context& context, const reached_selection& request, const selection_plan& plan,
                        const selection_scratch<Rank>& memory) {
  const auto write = [&]<class Index>(Index* indices) {
    selected_output<Index> output{indices};
    for (std::size_t c = 0; c < request.inputs.size(); ++c)
      output.rows[output.columns++] = {static_cast<const std::byte*>(request.inputs[c].data),
                                       static_cast<std::byte*>(request.outputs[c].data),
                                       request.inputs[c].element_bytes};
    enumerate(context, plan, memory, output);
  };
  write_indices(request.indices, write);
}

/// Selects by samples.
template <class Bits, class Rank>
void select_few(const context& context, const reached_selection& request, const selection_plan& plan) {
  const scratch<selection_scratch<Rank>> memory{context, plan};
  select_ranks(context, key_source<Bits, Rank>{request.elements.data, request.elements}, plan, *memory);
  if (std::is_same_v<Rank, wide_rank> || plan.capacity() <= most_counted)
    return enumerate_selected(context, request, plan, *memory);
  if constexpr (!std::is_same_v<Rank, wide_rank>) {
    sort_ranks(context, memory->ranks(plan), memory->selected, plan.capacity());
    write_selected(context, request, [&]<class Index>(Index* order) {
      launch(context, {divide_up(plan.wanted, enumeration_threads), enumeration_threads},
             write_order_kernel<Rank, Index>, static_cast<const Rank*>(memory->ranks(plan)), order, plan.wanted);
    });
  }
}

/// Selects from the order of all.
void select_from_order(const context& context, const reached_selection& request) {
  const std::size_t n = request.count;
  const auto how = joins_place(request.elements.key.bytes) ? algorithm::quicksort : algorithm::radix;
  const scratch<row_places> places{context, n};
  order_reached(context, {request.elements, n, {places->order, sizeof(std::uint64_t)}, true, how},
                {{request.elements.data, request.elements.element_bytes}});
  gather_selected(context, request, places->order);
  if (request.indices.data == nullptr) return;
  const auto write = [&]<class Index>(Index* indices) {
    launch(context, {divide_up(request.selected, enumeration_threads), enumeration_threads},
           write_order_kernel<std::uint64_t, Index, index_itself>, static_cast<const std::uint64_t*>(places->order),
           indices, request.selected);
  };
  write_indices(request.indices, write);
}

/// Whether a sort of a copy does: of integers, of which equal ones look alike.
bool are_keys_alone(const reached_selection& request) {
  return request.elements.plain() && request.elements.key.kind != key_class::floating_point &&
         request.indices.data == nullptr && request.inputs.size() == 1 &&
         request.inputs[0].data == request.elements.data;
}

void select_from_copy(const context& context, const reached_selection& request) {
  const std::size_t bytes = request.elements.element_bytes;
  const scratch<scratch_array<std::byte>> copy{context, request.count * bytes};
  copy_bytes(context.stream, copy->data, request.elements.data, request.count * bytes, cudaMemcpyDeviceToDevice);
  sort_request all{request.elements, request.count};
  all.elements.data = copy->data;
  all.how = algorithm::quicksort;
  sort_reached(context, all);
  copy_bytes(context.stream, request.outputs[0].data, copy->data, request.selected * bytes, cudaMemcpyDeviceToDevice);
}

/// Whether so large a part is in order soonest when all are.
bool wants_most(std::size_t count, std::size_t selected) { return count > most_kept_whole && selected > count / 4; }

void select_reached(const context& context, const reached_selection& request) {
  const std::size_t n = request.count;
  if (wants_most(n, request.selected))
    return are_keys_alone(request) ? select_from_copy(context, request) : select_from_order(context, request);
  with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    with_index(n, [&]<class Index>(Index) {
      using rank = rank_of_keys<Bits, Index>;
      const selection_plan plan = plan_selection<rank>(n, request.selected, true);
      if (std::is_same_v<rank, wide_rank> && plan.capacity() > most_wide_counted)
        return select_from_order(context, request);
      select_few<Bits, rank>(context, request, plan);
    });
  });
}

/// Partitions rows of the device's around the `selected`-th.
template <class Bits, class Rank>
void partition_reached(const context& context, const partition_request& request) {
  const keyed_elements& elements = request.elements;
  const selection_plan plan = plan_selection<Rank>(request.count, request.selected, false);
  const std::size_t most = std::min(request.selected, request.count - request.selected);
  const key_source<Bits, Rank> source{elements.data, elements};
  const scratch<selection_scratch<Rank>> memory{context, plan};
  const scratch<stray_scratch<Rank>> strays{context, most};
  select_ranks(context, source, plan, *memory);
  enumerate(context, plan, *memory, selected_output<std::uint64_t>{}, memory->threshold);
  partition_rows(context, source, elements.data, elements.element_bytes, request.count, request.selected,
                 !request.sorted, memory->threshold, *strays);
}

void sort_front(const context& context, const partition_request& request, std::size_t count) {
  sort_request front{request.elements, count};
  front.how = algorithm::quicksort;
  sort_reached(context, front);
}

}  // namespace

void device_select(const selection_request& request, const execution_options& options) {
  const std::size_t n = request.count, columns = request.columns;
  call here{options, ruling_location({request.at, 2 * columns + 2})};
  reached_selection reached{request.elements, n, request.selected, {}, {}, request.indices};
  reached.elements.data =
      here.reach(request.at[0], request.elements.data, n * request.elements.element_bytes, access::read);
  for (std::size_t c = 0; c < columns; ++c) {
    column from = request.inputs[c], to = request.outputs[c];
    const bool again = from.data == request.elements.data;
    from.data =
        again ? reached.elements.data : here.reach(request.at[1 + c], from.data, n * from.element_bytes, access::read);
    to.data = here.reach(request.at[1 + columns + c], to.data, request.selected * to.element_bytes, access::write);
    reached.inputs.push_back(from);
    reached.outputs.push_back(to);
  }
  if (reached.indices.data != nullptr)
    reached.indices.data = here.reach(request.at[1 + 2 * columns], request.indices.data,
                                      request.selected * request.indices.element_bytes, access::write);
  here.carry_out([&] {
    with_single_keys(here.work(), reached.elements, n, [&](const keyed_elements& keys) {
      reached_selection single = reached;
      single.elements = keys;
      select_reached(here.work(), single);
    });
  });
}

void device_partition(const partition_request& request, const execution_options& options) {
  call here{options, request.at};
  partition_request reached = request;
  reached.elements.data =
      here.reach(request.at, request.elements.data, request.count * request.elements.element_bytes, access::read_write);
  here.carry_out([&] {
    if (reached.elements.parts.count > 0) return sort_front(here.work(), reached, reached.count);
    if (reached.selected < reached.count || !reached.sorted)
      with_bits(reached.elements.key.bytes, [&]<class Bits>(Bits) {
        with_index(reached.count, [&]<class Index>(Index) {
          partition_reached<Bits, rank_of_keys<Bits, Index>>(here.work(), reached);
        });
      });
    if (reached.sorted) sort_front(here.work(), reached, reached.selected);
  });
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
