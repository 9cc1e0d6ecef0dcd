// Selections of keyed elements on the device: by samples where a part is wanted, by sorting where most elements are.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/selection/held_keys.cuh>
#include <gpu/detail/device/selection/narrow_source.cuh>
#include <gpu/detail/device/selection/selection.cuh>
#include <gpu/detail/index.hpp>

#include "keys/keys.hpp"
#include "orders.hpp"
#include "reached_selection.cuh"
#include "rows.cuh"
#include "windowed_selection.hpp"

namespace gpu::inline v1::detail {
namespace {

using namespace device;

/// Sorts the selected ranks; the room behind them is filled with ranks that go last.
template <class Rank>
void sort_ranks(const context& context, Rank* ranks, const selected_ranks<Rank>* selected, std::size_t capacity) {
  launch_early(context, {divide_up(capacity, keeping_threads), keeping_threads}, pad_kept_kernel<Rank>, ranks,
               &selected->count, capacity);
  key_kernels<Rank>::sort(context, ranks, {}, capacity,
                          {key_class::unsigned_integer, static_cast<std::uint8_t>(sizeof(Rank)), 0, false}, false,
                          algorithm::quicksort);
}

/// Selects by samples.
template <class Bits, class Rank>
void select_few(const context& context, const reached_selection& request, const selection_plan& plan) {
  const auto source = source_of<Bits, Rank>(request.elements.data, request.elements);
  const scratch<selection_scratch<Rank>> memory{context, plan};
  select_ranks(context, source, plan, *memory);
  if (std::is_same_v<Rank, wide_rank> || plan.capacity() <= most_enumerated)
    return enumerate(context, plan, *memory, output_of(request));
  if constexpr (!std::is_same_v<Rank, wide_rank>) {
    sort_ranks(context, memory->ranks(plan), memory->selected, plan.capacity());
    write_selected(context, request, [&](index_writer order) {
      launch(context, {divide_up(plan.wanted, enumeration_threads), enumeration_threads},
             write_order_kernel<std::size_t>, memory->ranks(plan), order, plan.wanted);
    });
  }
}

/// Selects from the sorted order of all elements.
void select_from_order(const context& context, const reached_selection& request) {
  const std::size_t n = request.count;
  const auto how = joins_index(request.elements.key.bytes) ? algorithm::quicksort : algorithm::radix;
  const scratch<scratch_array<std::uint64_t>> order{context, n};
  order_reached(context, {request.elements, n, {order->data, sizeof(std::uint64_t)}, true, how},
                {{request.elements.data, request.elements.element_bytes}});
  gather_selected(context, request, order->data);
  if (request.indices.data != nullptr)
    convert(context, {order->data, sizeof(std::uint64_t)}, request.selected, request.indices);
}

/// Completes copies of the keys that are less than the last wanted one, *less of them in any order: sorts them, and
/// fills the rest with keys like the last wanted one.
template <class Bits>
void complete_copies(const context& context, const reached_selection& request, const unsigned long long* less,
                     const Bits* last) {
  const std::size_t most = request.selected;
  Bits* const copies = static_cast<Bits*>(request.outputs[0].data);
  const key_format& format = request.elements.key;
  if (sorts_front_of(sizeof(Bits)) && code_kernels<Bits>::sort_front(context, copies, most, less, last, format)) return;
  using code = widest_code<Bits>;
  launch_early(context, {divide_up(most, enumeration_threads), enumeration_threads}, fill_rest_kernel<code>, copies,
               static_cast<unsigned>(sizeof(Bits)), most, less, last, codec_in_front<code>(make_codec<Bits>(format)));
  sort_request selected{request.elements, most};
  selected.elements.data = copies;
  selected.how = algorithm::quicksort;
  sort_reached(context, selected);
}

/// Copies the keys up to the last wanted one, and sorts the copies.
template <class Bits, class Rank>
void select_keys(const context& context, const reached_selection& request) {
  const selection_plan plan = plan_selection<Rank>(request.count, request.selected, false);
  const key_source<Bits, Rank> source{request.elements.data, request.elements};
  const scratch<selection_scratch<Rank>> memory{context, plan};
  const scratch<scratch_array<unsigned long long>> written{context, std::size_t{1}};
  find_threshold(context, source_of<Bits, Rank>(request.elements.data, request.elements), plan, *memory);
  compact_keys(context, source, static_cast<const Bits*>(request.elements.data), request.count, memory->threshold,
               static_cast<Bits*>(request.outputs[0].data), written->data);
  complete_copies(context, request, written->data, code_in<Bits>(memory->threshold));
}

/// Copies the wanted keys and sorts the copies; returns false if the device cannot hold all keys at once.
template <class Bits, class Rank>
bool select_held_keys(const context& context, const reached_selection& request) {
  if constexpr (sorts_front_of(sizeof(Bits))) {
    if (!copies_from_held(request.count, request.selected, sizeof(Bits))) return false;
    const key_source<Bits, Rank> source{request.elements.data, request.elements};
    const scratch<held_scratch<Bits, Rank>> held{context, context};
    const side_writer<Bits> copies{static_cast<Bits*>(request.outputs[0].data), true, source.codec};
    if (!select_from_held(context, source, request.count, request.selected, held->memory, copies)) return false;
    const found_key<Bits>& last = *held->memory.found;
    complete_copies(context, request, &last.less, &last.code);
    return true;
  }
  return false;
}

/// Selects by the ranks of held keys, sorting only those less than the last wanted one; returns false if the device
/// cannot.
template <class Bits, class Rank>
bool select_held(const context& context, const reached_selection& request) {
  if constexpr (sorts_front_of(sizeof(Bits))) {
    const std::size_t n = request.count, selected = request.selected;
    if (!ranks_from_held(n, selected, sizeof(Bits)) || !code_kernels<Rank>::sorts_front(context, selected))
      return false;
    const key_source<Bits, Rank> source{request.elements.data, request.elements};
    const scratch<held_scratch<Bits, Rank>> held{context, context, selected};
    const selected_output output = output_of(request);
    const rank_writer<Bits, Rank> writer{held->ranks, static_cast<unsigned>(selected), output};
    if (!select_from_held(context, source, n, selected, held->memory, writer)) return false;
    const unsigned long long* const less = &held->memory.found->less;
    const key_format ranks{key_class::unsigned_integer, sizeof(Rank), 0, false};
    if (!code_kernels<Rank>::sort_front(context, held->ranks, selected, less, nullptr, ranks)) return false;
    const unsigned lanes = output.lanes();
    launch_early(context, {divide_up(selected * lanes, enumeration_threads), enumeration_threads},
                 write_ordered_kernel<unsigned long long>, held->ranks, less, output, lanes);
    return true;
  }
  return false;
}

void select_reached(const context& context, const reached_selection& request) {
  const std::size_t n = request.count;
  const bool keys_alone = are_keys_alone(request);
  with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    with_index(n, [&]<class Index>(Index) {
      using rank = rank_of_keys<Bits, Index>;
      if constexpr (std::is_same_v<Index, std::uint32_t>) {
        const key_source<Bits, rank> source{request.elements.data, request.elements};
        if (select_in_one_launch(context, source, n, request.selected, output_of(request))) return;
        if (keys_alone ? select_held_keys<Bits, rank>(context, request) : select_held<Bits, rank>(context, request))
          return;
      }
      if (!keys_alone && wants_most(n, request.selected)) return select_from_order(context, request);
      if (keys_alone && wants_many(n, request.selected)) return select_keys<Bits, rank>(context, request);
      const selection_plan plan = plan_selection<rank>(n, request.selected, true);
      if (std::is_same_v<rank, wide_rank> && plan.capacity() > most_wide_enumerated)
        return select_from_order(context, request);
      select_few<Bits, rank>(context, request, plan);
    });
  });
}

/// Partitions rows in device memory around the `selected`-th.
template <class Bits, class Rank>
void partition_reached(const context& context, const partition_request& request) {
  const keyed_elements& elements = request.elements;
  const selection_plan plan = plan_selection<Rank>(request.count, request.selected, false);
  const key_source<Bits, Rank> source{elements.data, elements};
  const exchange_plan moves{context,         request.count,     request.selected,
                            !request.sorted, source.is_dense(), side_tile<Bits>};
  const scratch<selection_scratch<Rank>> memory{context, plan};
  const scratch<stray_scratch<Rank>> strays{context, moves};
  find_threshold(context, source_of<Bits, Rank>(elements.data, elements), plan, *memory);
  partition_rows<Bits>(context, source, elements.data, elements.element_bytes, moves, memory->threshold, *strays);
}

void sort_rows(const context& context, const partition_request& request, std::size_t count) {
  sort_request rows{request.elements, count};
  rows.how = algorithm::quicksort;
  sort_reached(context, rows);
}

/// Sorts the first *less keys, which the host only knows to be at most as many as are selected.
template <class Bits>
void sort_first(const context& context, const partition_request& request, const unsigned long long* less) {
  if constexpr (sorts_front_of(sizeof(Bits)))
    if (request.elements.plain()) {
      try {
        if (code_kernels<Bits>::sort_front(context, static_cast<Bits*>(request.elements.data), request.selected, less,
                                           nullptr, request.elements.key))
          return;
      } catch (const no_device_memory&) {  // another sort may need none
      }
    }
  sort_rows(context, request, request.selected);
}

/// Partitions keys alone, and sorts the first ones if requested; returns false if the device does not hold all at once.
template <class Bits>
bool partition_held(const context& context, const partition_request& request) {
  if constexpr (sizeof(Bits) <= sizeof(std::uint64_t)) {
    if (!request.elements.plain() || request.count > most_held(sizeof(Bits))) return false;
    if (request.sorted && request.selected == request.count) return false;
    using rank = rank_of_keys<Bits, std::uint32_t>;
    const key_source<Bits, rank> source{request.elements.data, request.elements};
    Bits* const keys = static_cast<Bits*>(request.elements.data);
    const scratch<held_scratch<Bits, rank>> held{context, context};
    const side_writer<Bits> sides{keys, false, source.codec};
    if (!select_from_held(context, source, request.count, request.selected, held->memory, sides)) return false;
    if (request.sorted) sort_first<Bits>(context, request, &held->memory.found->less);
    return true;
  }
  return false;
}

/// Sorts all rows if that takes less time than finding some first; returns whether it did.
bool sort_all_sooner(const context& context, const partition_request& request) {
  if (!request.sorted || !request.elements.plain()) return false;
  if (!sorts_all_sooner(request.count, request.selected, request.elements.element_bytes)) return false;
  sort_rows(context, request, request.count);
  return true;
}

}  // namespace

void device_select(const selection_request& request, const execution_options& options) {
  if (!select_by_windows(request, options)) select_whole(request, options);
}

void select_whole(const selection_request& request, const execution_options& options) {
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
  here.carry_out([&](const context& context) {
    with_single_keys(context, reached.elements, n, [&](const keyed_elements& keys) {
      reached_selection single = reached;
      single.elements = keys;
      select_reached(context, single);
    });
  });
}

void device_partition(const partition_request& request, const execution_options& options) {
  call here{options, request.at};
  partition_request reached = request;
  reached.elements.data =
      here.reach(request.at, request.elements.data, request.count * request.elements.element_bytes, access::read_write);
  here.carry_out([&](const context& context) {
    if (reached.elements.parts.count > 0) return sort_rows(context, reached, reached.count);
    with_bits(reached.elements.key.bytes, [&]<class Bits>(Bits) {
      if (sort_all_sooner(context, reached) || partition_held<Bits>(context, reached)) return;
      if (reached.selected < reached.count || !reached.sorted)
        with_index(reached.count,
                   [&]<class Index>(Index) { partition_reached<Bits, rank_of_keys<Bits, Index>>(context, reached); });
      if (reached.sorted) sort_rows(context, reached, reached.selected);
    });
  });
}

}  // namespace gpu::inline v1::detail
