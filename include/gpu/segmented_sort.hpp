// Segmented sorts: sorting many parts of one range, or many ranges, each independently, or selecting the first elements
// of each, in one call.
//
// Segments are described either by offsets, one more than there are segments, where consecutive offsets are the
// beginning and the end of a segment; or by the beginnings and the ends of the segments, which allows gaps, whose
// elements are not touched. Offsets are integers of 32 or 64 bits, in host memory or, if the elements are in device
// memory, in device memory, too; segments may be empty and in any order, but may not overlap.
//
// Place, floating-point keys and errors are as in sort.hpp. Descending offsets, offsets beyond the end, and overlapping
// segments are refused if the host can see them at once (gpu::error, errc::invalid_range); in device memory they lead
// to a wrong order, never to an access out of bounds.
#pragma once

#include "detail/arguments/arguments.hpp"
#include "detail/calls/range_of_ranges.hpp"
#include "detail/calls/segmented_sort.hpp"
#include "detail/calls/segmented_top_k.hpp"
#include "detail/misuse/segmented_sort.hpp"

namespace gpu::inline v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

template <bool Stable>
struct segmented_sort_function : refuses_misuse<misuse_of_segmented_sort> {
  using refuses_misuse<misuse_of_segmented_sort>::operator();

  template <execution_policy Policy, rearrangeable_range Range, offset_range Offsets,
            class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  std::ranges::borrowed_iterator_t<Range> operator()(const Policy& policy, Range&& range, Offsets&& offsets,
                                                     Compare compare = {}, Projection projection = {}) const {
    return run<residence_of<Range, Offsets>>(policy, range, compare, projection, offsets);
  }

  template <execution_policy Policy, rearrangeable_range Range, offset_range Begins, offset_range Ends,
            class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  std::ranges::borrowed_iterator_t<Range> operator()(const Policy& policy, Range&& range, Begins&& begins, Ends&& ends,
                                                     Compare compare = {}, Projection projection = {}) const {
    return run<residence_of<Range, Begins, Ends>>(policy, range, compare, projection, begins, ends);
  }

  template <execution_policy Policy, range_of_sortable_ranges Ranges,
            class Compare = default_less<inner_iterator<Ranges>>,
            callable_projection<inner_iterator<Ranges>> Projection = std::identity>
    requires(!offset_range<Compare>) && callable_comparator<Compare, Projection, inner_iterator<Ranges>>
  std::ranges::borrowed_iterator_t<Ranges> operator()(const Policy& policy, Ranges&& ranges, Compare compare = {},
                                                      Projection projection = {}) const {
    using terms = call_terms<residence_of<inner_range<Ranges>>, Policy::where, Stable>;
    detail::run_call(policy, sort_ranges_call{terms{}, ranges, compare, projection});
    return detail::advanced(std::ranges::begin(ranges), detail::size_of(ranges));
  }

 private:
  template <residence Memory, class Policy, class Range, class Compare, class Projection, class... Bounds>
  static auto run(const Policy& policy, Range& range, const Compare& compare, const Projection& projection,
                  Bounds&... bounds) {
    using terms = call_terms<Memory, Policy::where, Stable>;
    const auto first = std::ranges::begin(range);
    const std::size_t count = detail::size_of(range);
    detail::with_segments(
        [&](const located_segments& segments) {
          contiguous_elements elements{first, count};
          auto* const data = elements.data();
          detail::run_call(policy,
                           sort_segments_call{terms{}, single_keys{data, compare, projection}, count, segments});
          elements.put_back();
        },
        bounds...);
    return detail::advanced(first, count);
  }
};

template <bool Stable>
struct segmented_sort_by_key_function : refuses_misuse<misuse_of_segments<misuse_of_value_columns>> {
  using refuses_misuse<misuse_of_segments<misuse_of_value_columns>>::operator();

  template <execution_policy Policy, rearrangeable_range Keys, offset_range Offsets, class... Arguments>
    requires columns_and_callable_comparator<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>
  std::ranges::borrowed_iterator_t<Keys> operator()(const Policy& policy, Keys&& keys, Offsets&& offsets,
                                                    Arguments&&... values_and_order) const {
    const std::size_t count = detail::size_of(keys);
    const auto first = std::ranges::begin(keys);
    detail::with_columns_and_order<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>(
        [&](const auto& compare, const auto& projection, auto&... values) {
          (detail::require_room(detail::size_of(values), count), ...);
          detail::with_segments(
              [&](const located_segments& segments) {
                using terms = call_terms<residence_of<Keys, Offsets, decltype(values)...>, Policy::where, Stable>;
                detail::run_call(policy, sort_segments_call{terms{}, single_keys{first, compare, projection}, count,
                                                            segments, std::ranges::begin(values)...});
              },
              offsets);
        },
        values_and_order...);
    return detail::advanced(first, count);
  }
};

struct segmented_argsort_function : refuses_misuse<misuse_of_segments<misuse_of_arg_top_k>> {
  using refuses_misuse<misuse_of_segments<misuse_of_arg_top_k>>::operator();

  template <execution_policy Policy, random_access_range Keys, offset_range Offsets, index_range Indices,
            class Compare = default_less<Keys>,
            callable_projection<std::ranges::iterator_t<Keys>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Keys>>
  std::ranges::borrowed_iterator_t<Indices> operator()(const Policy& policy, Keys&& keys, Offsets&& offsets,
                                                       Indices&& indices, Compare compare = {},
                                                       Projection projection = {}) const {
    using integer = std::ranges::range_value_t<Indices>;
    using index = bits_of_size<sizeof(integer)>;
    const std::size_t count = detail::size_of(keys);
    const auto first = std::ranges::begin(indices);
    detail::require_room(detail::size_of(indices), count);
    detail::require_countable<integer>(count);
    const auto keys_first = std::ranges::begin(keys);
    detail::with_segments(
        [&](const located_segments& segments) {
          using terms = call_terms<residence_of<Keys, Offsets, Indices>, Policy::where>;
          contiguous_elements written{first, count};
          detail::run_call(policy, argsort_segments_call{terms{}, single_keys{keys_first, compare, projection}, count,
                                                         segments, reinterpret_cast<index*>(written.data())});
          written.put_back();
        },
        offsets);
    return detail::advanced(first, count);
  }
};

struct segmented_top_k_function : refuses_misuse<misuse_of_segments<misuse_of_selection_of_k>> {
  using refuses_misuse<misuse_of_segments<misuse_of_selection_of_k>>::operator();

  template <execution_policy Policy, random_access_range Input, offset_range Offsets, rearrangeable_range Output,
            class Compare = default_greater<Input>,
            callable_projection<std::ranges::iterator_t<Input>> Projection = std::identity>
    requires output_for<std::ranges::iterator_t<Output>, std::ranges::iterator_t<Input>> &&
             callable_comparator<Compare, Projection, std::ranges::iterator_t<Input>>
  std::ranges::borrowed_iterator_t<Output> operator()(const Policy& policy, Input&& input, Offsets&& offsets,
                                                      Output&& output, std::size_t k, Compare compare = {},
                                                      Projection projection = {}) const {
    const std::size_t count = detail::size_of(input), bounds = detail::size_of(offsets);
    const std::size_t room = detail::require_slots(detail::size_of(output), bounds > 0 ? bounds - 1 : 0, k);
    const auto to = std::ranges::begin(output);
    const auto from = std::ranges::begin(input);
    detail::with_segments(
        [&](const located_segments& segments) {
          using terms = call_terms<residence_of<Input, Offsets, Output>, Policy::where>;
          detail::run_call(
              policy, top_k_of_segments_call{terms{}, single_keys{from, compare, projection}, count, segments, to, k});
        },
        offsets);
    return detail::advanced(to, room);
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace detail

inline namespace GPUPAR_UNIT {

/// segmented_sort(policy, range, offsets, compare, projection),
/// segmented_sort(policy, range, begins, ends, compare, projection) -> end of the range
/// segmented_sort(policy, ranges, compare, projection) -> end of the ranges
/// Sorts every segment of the range, or every range of the ranges; the order of equivalent elements is unspecified. O(n
/// log n) work, and O(1) per segment; scratch of about n elements and 16 bytes per segment. With par_nosync, device
/// data are sorted once the stream reaches that work; kernel launches depend only on the numbers of elements and
/// segments.
inline constexpr detail::segmented_sort_function<false> segmented_sort{};

/// segmented_stable_sort(policy, range, offsets, compare, projection),
/// segmented_stable_sort(policy, range, begins, ends, compare, projection) -> end of the range
/// segmented_stable_sort(policy, ranges, compare, projection) -> end of the ranges
/// The same, and keeps the order of equivalent elements.
inline constexpr detail::segmented_sort_function<true> segmented_stable_sort{};

/// segmented_sort_by_key(policy, keys, offsets, values..., compare, projection) -> end of the keys
/// Sorts every segment of the keys and moves the elements of every value column in the same way. Any number of columns
/// of any types; compare and projection apply to keys and may be omitted. Columns hold at least as many elements as
/// there are keys.
inline constexpr detail::segmented_sort_by_key_function<false> segmented_sort_by_key{};

/// segmented_stable_sort_by_key(policy, keys, offsets, values..., compare, projection) -> end of the keys
/// The same, and keeps the order of equivalent keys.
inline constexpr detail::segmented_sort_by_key_function<true> segmented_stable_sort_by_key{};

/// segmented_argsort(policy, keys, offsets, indices, compare, projection) -> end of the indices
/// For every segment, writes the permutation that sorts it stably, as indices relative to the segment: for a segment
/// that begins at b, keys[b + indices[b]], keys[b + indices[b + 1]] … are sorted. The keys are not changed; indices
/// outside all segments are not written. Indices are integers of 32 or 64 bits; throws gpu::error (errc::invalid_range)
/// if they are too narrow or too few.
inline constexpr detail::segmented_argsort_function segmented_argsort{};

/// segmented_top_k(policy, input, offsets, output, k, compare = greater, projection) -> end of the output's places
/// Writes the first k elements by compare of every segment to the output, in order, those of segment i from output[i *
/// k] on; among equivalent elements, those that come first in the segment. The output has k places for each segment;
/// for a segment with fewer than k elements, the last of its places are not changed. Neither is the input. Work,
/// scratch and launches are those of segmented_sort on a copy, or of segmented_argsort if equivalent elements may
/// differ. Throws gpu::error (errc::invalid_range) if there are too few places.
inline constexpr detail::segmented_top_k_function segmented_top_k{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
