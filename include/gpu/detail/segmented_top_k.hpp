// segmented_top_k between the public function and the backends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "segmented_sort.hpp"
#include "selection.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// The number of elements that so many of each segment have room in; refuses an output with less.
inline std::size_t require_slots(std::size_t room, std::size_t segments, std::size_t each) {
  if (each == 0 || segments <= room / each) return segments * each;
  const std::string words = "segmented_top_k of " + std::to_string(segments) + " segments, " + std::to_string(each) +
                            " of each, has an output of " + std::to_string(room) +
                            " elements: it needs as many for every segment";
  refuse(static_cast<int>(errc::invalid_range), words.c_str());
}

/// Writes the first elements of a segment on the host, `selected` <= count, in stable order.
template <class Input, class Output, class Compare, class Projection>
void select_of_segment(const Input& first, std::size_t count, std::size_t selected, const Compare& compare,
                       const Projection& projection, const Output& output) {
  const auto write = [&](const auto* order) {
    for (std::size_t i = 0; i < selected; ++i)
      *detail::advanced(output, i) = *detail::advanced(first, static_cast<std::size_t>(order[i]));
  };
  if (selected == 0) return;
  constexpr std::size_t few = host::default_tuning::insertion_limit;
  if (count <= few) {
    std::array<std::uint32_t, few> order;
    detail::order_segment(first, count, compare, projection, order.data());
    return write(order.data());
  }
  detail::with_index(count, [&]<class Index>(Index) {
    write(detail::first_order_on_host<Index>(first, count, selected, compare, projection).data());
  });
}

inline namespace GPUPAR_UNIT {

/// Writes the first `each` elements of segment i in stable order to output[i * each] and behind.
template <residence Memory, placement Where, class Input, class Output, class Compare, class Projection>
void select_segments(const execution_options& options, const Input& input, std::size_t n,
                     const placed_segments& segments, const Output& output, std::size_t each, const Compare& compare,
                     const Projection& projection) {
  using T = compared_element<Input>;
  constexpr device_way way =
      copies_bytes_v<Input, Output> ? detail::segmented_way<Input, Compare, Projection, Where>() : device_way::none;
  detail::require_way<way, Where, Memory>();
  const std::size_t room = segments.bounds.count * each;
  detail::require_selected_apart(input, n, output, room);
  if (room == 0) return;
  const std::array places{detail::locate_iterator(input), detail::locate_iterator(output), segments.begins_at,
                          segments.ends_at};
  auto work = detail::describe<way, Memory, T, Compare, Projection>(operation::segmented_top_k,
                                                                    detail::ruling_location(places), n);
  work.element_bytes = sizeof(std::iter_value_t<Input>);
  if constexpr (!keys_are_at_hand_v<Input, Compare, Projection>) work.key = {};
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled || way == device_way::instantiated) {
      auto* const to = detail::address_of(output);
      if constexpr (way == device_way::precompiled) {
        segmented_request request{detail::keyed(detail::address_of(input), compare, projection), n, segments.bounds};
        request.stable = true;
        request.at = places.data();
        request.output = {to, sizeof(*to)};
        request.each = each;
        detail::device_sort_segments(request, options);
      }
#if defined(__CUDACC__)
      else
        device::select_element_segments(options, detail::address_of(input), n, segments.bounds,
                                        device::compare_elements<T, Compare, Projection>{compare, projection}, to,
                                        each);
#endif
    }
  };
  detail::carry_out_segmented<host_may_serve<Where, Memory, Compare, Projection>>(
      work, options, segments, n, on_device, [&] {
        if constexpr (host_may_serve<Where, Memory, Compare, Projection>)
          detail::visit_each_segment<shares_words_v<Output>>(
              segments, n, [&](std::size_t i, std::size_t begin, std::size_t count) {
                detail::select_of_segment(detail::advanced(input, begin), count, count < each ? count : each, compare,
                                          projection, detail::advanced(output, i * each));
              });
      });
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
