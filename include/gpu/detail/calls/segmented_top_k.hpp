// segmented_top_k, between the public function and the backends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "segmented_sort.hpp"
#include "selection.hpp"

namespace gpu::inline v1::detail {

/// The number of places for `each` elements of every segment; refuses an output with fewer.
inline std::size_t require_slots(std::size_t room, std::size_t segments, std::size_t each) {
  if (each == 0 || segments <= room / each) return segments * each;
  const std::string words = "segmented_top_k of " + std::to_string(segments) + " segments, " + std::to_string(each) +
                            " of each, has an output of " + std::to_string(room) +
                            " elements: it needs as many for every segment";
  refuse(errc::invalid_range, words.c_str());
}

/// Writes the first `selected` <= count elements of a segment in stable order, on the host.
template <class Input, class Output, class Compare, class Projection>
void select_of_segment(const Input& first, std::size_t count, std::size_t selected, const Compare& compare,
                       const Projection& projection, const Output& output) {
  if (selected == 0) return;
  detail::with_first_order_on_host(first, count, selected, compare, projection, [&](const host::index_view& order) {
    for (std::size_t i = 0; i < selected; ++i) *detail::advanced(output, i) = *detail::advanced(first, order[i]);
  });
}

inline namespace GPUPAR_UNIT {

/// Writes the first `each` elements of segment i in stable order to output[i * each] and following.
template <class Terms, class Input, class Compare, class Projection, class Output>
struct top_k_of_segments_call : call_on_segments<Terms, Input, Compare, Projection> {
  using base = call_on_segments<Terms, Input, Compare, Projection>;
  using base::keys, base::n, base::segments;
  using typename base::T;
  static constexpr device_way way = copies_bytes_v<Input, Output> ? base::way : device_way::none;

  const Output& output;
  std::size_t each;

  top_k_of_segments_call(Terms, const single_keys<Input, Compare, Projection>& given_keys, std::size_t given_n,
                         const located_segments& given_segments, const Output& given_output, std::size_t given_each)
      : base{{}, given_keys, given_n, given_segments}, output{given_output}, each{given_each} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    const std::size_t room = segments.bounds.count * each;
    detail::require_disjoint(keys.rows, n, output, room, selection_overlaps);
    return room == 0;
  }
  [[nodiscard]] auto locations() const { return this->locations_with(output); }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = this->describe_segments(operation::segmented_top_k, at);
    work.way = way;
    return work;
  }
  void on_device(algorithm, const location* at, const execution_options& options) const {
    if constexpr (way == device_way::precompiled) {
      auto request = this->request(at, true);
      request.output = detail::as_column(output);
      request.each = each;
      detail::device_sort_segments(request, options);
    }
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      device::select_element_segments(options, detail::address_of(keys.rows), n, this->checked_bounds(),
                                      device::compare_elements<T, Compare, Projection>{keys.less, keys.projection},
                                      detail::address_of(output), each);
#endif
    (void)at, (void)options;
  }
  void on_host(algorithm, const execution_options& options) const {
    this->check_on_host(options);
    detail::visit_each_segment<shares_words_v<Output>>(
        segments, n, [&](std::size_t i, std::size_t begin, std::size_t count) {
          detail::select_of_segment(detail::advanced(keys.rows, begin), count, count < each ? count : each, keys.less,
                                    keys.projection, detail::advanced(output, i * each));
        });
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
