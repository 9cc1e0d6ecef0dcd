// Segmented sorts of ranges that lie anywhere, each by itself: vectors, spans, spans of device memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ranges>
#include <type_traits>
#include <vector>

#include "segmented_sort.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

template <class Ranges>
using inner_range = std::ranges::range_reference_t<Ranges>;
template <class Ranges>
using inner_iterator = std::ranges::iterator_t<std::remove_reference_t<inner_range<Ranges>>>;

/// Ranges to be sorted, which are there after a look at them.
template <class Ranges>
concept range_of_sortable_ranges =
    random_access_range<Ranges> && random_access_range<inner_range<Ranges>> &&
    std::ranges::borrowed_range<inner_range<Ranges>> && rearrangeable<inner_iterator<Ranges>>;

inline namespace GPUPAR_UNIT {

/// Elements of contiguous ranges as segments of one: from the lowest address on, or from a copy that is written back.
template <class T>
struct joined_ranges {
  std::vector<T*> firsts;
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
  std::size_t total = 0;  ///< elements of all ranges

  template <class Ranges>
  explicit joined_ranges(Ranges& ranges) {
    const std::size_t count = detail::size_of(ranges);
    firsts.reserve(count), begins.reserve(count), ends.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto&& range = *detail::advanced(std::ranges::begin(ranges), i);
      const std::size_t size = detail::size_of(range);
      T* const first = detail::address_of(std::ranges::begin(range));
      detail::require_memory(first, size);
      if (size == 0) continue;
      firsts.push_back(first);
      begins.push_back(total);
      ends.push_back(total += size);
    }
  }

  /// Makes segments of elements in the place where they are; false if their distances are no whole elements.
  bool stay_in_place() {
    const auto address = [](const T* at) { return reinterpret_cast<std::uintptr_t>(at); };
    const std::uintptr_t lowest = address(lowest_address());
    for (T* const first : firsts)
      if ((address(first) - lowest) % sizeof(T) != 0) return false;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::uint64_t size = ends[i] - begins[i];
      begins[i] = (address(firsts[i]) - lowest) / sizeof(T);
      ends[i] = begins[i] + size;
    }
    return true;
  }
  [[nodiscard]] T* lowest_address() const { return *std::min_element(firsts.begin(), firsts.end(), std::less<>{}); }
  [[nodiscard]] std::size_t extent() const { return *std::max_element(ends.begin(), ends.end()); }

  [[nodiscard]] placed_segments segments() const {
    return {{begins.data(), ends.data(), begins.size(), sizeof(std::uint64_t), false}, {}, {}};
  }

  /// Calls copy(own elements, elements in the joined copy, count) for every range.
  template <class Copy>
  void each(T* joined, const Copy& copy) const {
    host::for_segments(segments().bounds, total, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) copy(firsts[i], joined + begins[i], ends[i] - begins[i]);
    });
  }
};

/// Sorts every range on the host.
template <bool Stable, class Ranges, class Compare, class Projection>
void sort_ranges_on_host(Ranges& ranges, const Compare& compare, const Projection& projection) {
  const std::size_t count = detail::size_of(ranges);
  std::vector<std::uint64_t> offsets(count + 1);
  const auto range_at = [&](std::size_t i) -> decltype(auto) {
    return *detail::advanced(std::ranges::begin(ranges), i);
  };
  for (std::size_t i = 0; i < count; ++i) {
    auto&& range = range_at(i);
    offsets[i + 1] = offsets[i] + detail::size_of(range);
  }
  const segment_bounds bounds{offsets.data(), offsets.data() + 1, count, sizeof(std::uint64_t), false};
  host::for_segments(bounds, offsets.back(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      auto&& range = range_at(i);
      detail::with_contiguous(std::ranges::begin(range), detail::size_of(range), [&](auto* data) {
        detail::sort_segment<Stable>(data, offsets[i + 1] - offsets[i], compare, projection);
      });
    }
  });
}

/// Sorts contiguous ranges of elements that kernels can move, wherever choose() says.
template <bool Stable, placement Where, residence Memory, class Ranges, class Compare, class Projection>
void sort_contiguous_ranges(const execution_options& options, Ranges& ranges, const Compare& compare,
                            const Projection& projection) {
  using T = std::iter_value_t<inner_iterator<Ranges>>;
  constexpr device_way way = detail::segmented_way<T*, Compare, Projection, Where>();
  detail::require_way<way, Where, Memory>();
  joined_ranges<T> joined{ranges};
  if (joined.total == 0) return;
  std::vector<location> places;
  places.reserve(joined.firsts.size());
  for (T* const first : joined.firsts) places.push_back(detail::locate(first));
  const location at = detail::ruling_location(places);
  const auto sort = [&](T* data, std::size_t n) {
    detail::sort_segments<Stable, Memory, Where>(options, data, n, joined.segments(), compare, projection);
  };
  if (!host_reaches(at)) {
    for (const location& each : places)
      if (host_reaches(each))
        refuse(static_cast<int>(errc::host_unreachable), "some of the ranges are in device memory, others are not");
    if (!joined.stay_in_place())
      refuse(static_cast<int>(errc::invalid_range), "ranges in device memory must lie whole elements apart");
    return sort(joined.lowest_address(), joined.extent());
  }
  const auto work = detail::describe<way, Memory, T, Compare, Projection>(
      Stable ? operation::segmented_stable_sort : operation::segmented_sort, at, joined.total);
  if constexpr (Memory != residence::device) {
    const plan decided = detail::decide(work, options);
    if (decided.where == backend::host) {
      if constexpr (host_may_serve<Where, Memory, Compare, Projection>) {
        announce(work, decided);
        return detail::sort_ranges_on_host<Stable>(ranges, compare, projection);
      } else {
        refuse_device_callable();
      }
    }
    host::buffer<T> copy{joined.total};
    joined.each(copy.data(), [](T* own, T* there, std::size_t count) { host::relocate(there, own, count); });
    sort(copy.data(), joined.total);
    joined.each(copy.data(), [](T* own, T* there, std::size_t count) { host::relocate(own, there, count); });
  }
}

template <bool Stable, placement Where, class Ranges, class Compare, class Projection>
void sort_ranges(const execution_options& options, Ranges& ranges, const Compare& compare,
                 const Projection& projection) {
  using iterator = inner_iterator<Ranges>;
  constexpr residence memory = residence_of<inner_range<Ranges>>;
  constexpr device_way way = detail::segmented_way<iterator, Compare, Projection, Where>();
  if constexpr (is_column_v<iterator> && way != device_way::none) {
    detail::sort_contiguous_ranges<Stable, Where, memory>(options, ranges, compare, projection);
  } else {
    detail::require_way<way, Where, memory>();
    const auto work = detail::describe<device_way::none, memory, std::iter_value_t<iterator>, Compare, Projection>(
        Stable ? operation::segmented_stable_sort : operation::segmented_sort, location{}, detail::size_of(ranges));
    announce(work, detail::decide(work, options));
    detail::sort_ranges_on_host<Stable>(ranges, compare, projection);
  }
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
