// Segments as callers describe them: by offsets, or by the begin and end of each, in host or device memory.
#pragma once

#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>

#include "../arguments/arguments.hpp"
#include "../boundary/dispatch.hpp"
#include "../host/segments.hpp"
#include "../index.hpp"
#include "segments.hpp"

namespace gpu::inline v1::detail {

/// Offsets of segments: integers of 32 or 64 bits.
template <class Range>
concept offset_range = random_access_range<Range> && index_integer<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

/// Segments in the caller's memory, and the locations of that memory.
struct located_segments {
  segment_bounds bounds;
  location begins_at;
  location ends_at;

  /// Whether the host may read them while a stream is working.
  [[nodiscard]] bool at_hand() const {
    return begins_at.kind == memory_kind::pageable && ends_at.kind == memory_kind::pageable;
  }
};

/// Calls use(address) with the integers of a range in contiguous memory.
template <class Range, class Use>
decltype(auto) with_integers(Range& range, const Use& use) {
  using integer = std::remove_cv_t<std::ranges::range_value_t<Range>>;
  const std::size_t count = detail::size_of(range);
  const auto first = std::ranges::begin(range);
  if constexpr (is_contiguous_v<std::ranges::iterator_t<Range>>) {
    const integer* const address = detail::address_of(first);
    detail::require_memory(address, count);
    return use(address);
  } else {
    host::buffer<integer> copy{count};
    for (std::size_t i = 0; i < count; ++i) copy[i] = *detail::advanced(first, i);
    return use(static_cast<const integer*>(copy.data()));
  }
}

/// Calls use(segments) with the segments between consecutive offsets.
template <class Offsets, class Use>
decltype(auto) with_segments(const Use& use, Offsets& offsets) {
  return detail::with_integers(offsets, [&]<class Integer>(const Integer* first) -> decltype(auto) {
    const std::size_t count = detail::size_of(offsets);
    const location at = detail::locate(first);
    const std::size_t segments = count > 0 ? count - 1 : 0;
    return use(located_segments{
        {first, segments > 0 ? first + 1 : first, segments, sizeof(Integer), std::is_signed_v<Integer>}, at, at});
  });
}

/// Calls use(segments) with the segments [begins[i], ends[i]), between which there may be gaps.
template <class Begins, class Ends, class Use>
decltype(auto) with_segments(const Use& use, Begins& begins, Ends& ends) {
  using integer = std::remove_cv_t<std::ranges::range_value_t<Begins>>;
  static_assert(std::is_same_v<integer, std::remove_cv_t<std::ranges::range_value_t<Ends>>>,
                "gpu: begins and ends of segments must be integers of the same type");
  const std::size_t count = detail::size_of(begins);
  detail::require_room(detail::size_of(ends), count);
  return detail::with_integers(begins, [&](const integer* first) -> decltype(auto) {
    return detail::with_integers(ends, [&](const integer* last) -> decltype(auto) {
      return use(located_segments{{first, last, count, sizeof(integer), std::is_signed_v<integer>},
                                  detail::locate(first),
                                  detail::locate(last)});
    });
  });
}

/// Calls visit(i, begin, count) on the host for every segment i, for several at the same time unless neighbouring
/// elements share words. All bounds must be valid.
template <bool SharesWords, class Visit>
void visit_each_segment(const located_segments& segments, std::size_t n, const Visit& visit) {
  const segment_bounds& bounds = segments.bounds;
  const auto visit_part = [&](std::size_t first, std::size_t last) {
    detail::with_index_of_bytes(bounds.bytes, [&]<class Integer>(Integer) {
      const auto* const begins = static_cast<const Integer*>(bounds.begins);
      const auto* const ends = static_cast<const Integer*>(bounds.ends);
      for (std::size_t i = first; i < last; ++i)
        visit(i, static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(ends[i] - begins[i]));
    });
  };
  if constexpr (SharesWords)
    visit_part(0, segments.bounds.count);
  else
    host::for_segments(segments.bounds, n, visit_part);
}

}  // namespace gpu::inline v1::detail
