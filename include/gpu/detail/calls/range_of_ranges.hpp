// Segmented sorts of ranges in unrelated memory, each sorted independently: vectors, spans, spans of device memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "segmented_sort.hpp"

namespace gpu::inline v1::detail {

template <class Ranges>
using inner_range = std::ranges::range_reference_t<Ranges>;
template <class Ranges>
using inner_iterator = std::ranges::iterator_t<std::remove_reference_t<inner_range<Ranges>>>;

/// Ranges to be sorted; the inner ranges must remain valid after they have been accessed.
template <class Ranges>
concept range_of_sortable_ranges =
    random_access_range<Ranges> && random_access_range<inner_range<Ranges>> &&
    std::ranges::borrowed_range<inner_range<Ranges>> && rearrangeable<inner_iterator<Ranges>>;

inline namespace GPUPAR_UNIT {

/// Contiguous ranges as segments of one: either in place, relative to the lowest address, or in a joined copy that is
/// written back.
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

  /// Describes the ranges as segments in place, relative to the lowest address; false if their distances are not
  /// multiples of the element size.
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

  [[nodiscard]] located_segments segments() const {
    return {{begins.data(), ends.data(), begins.size(), sizeof(std::uint64_t), false}, {}, {}};
  }

  /// Calls copy(original elements, elements in the joined copy, count) for every range.
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
      contiguous_elements elements{std::ranges::begin(range), offsets[i + 1] - offsets[i]};
      detail::require_memory(elements.data(), offsets[i + 1] - offsets[i]);
      detail::sort_segment<Stable>(elements.data(), offsets[i + 1] - offsets[i], compare, projection);
      elements.put_back();
    }
  });
}

/// Sorts every range of `ranges`; if the ranges are contiguous and kernels can move the elements, as segments of one.
template <class Terms, class Ranges, class Compare, class Projection>
struct sort_ranges_call : Terms {
  using iterator = inner_iterator<Ranges>;
  using T = std::iter_value_t<iterator>;
  static constexpr device_way way =
      is_column_v<iterator> ? detail::segmented_way<iterator, Compare, Projection, Terms::where>() : device_way::none;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;
  static constexpr bool by_kernels = way != device_way::none;

  Ranges& ranges;
  const Compare& compare;
  const Projection& projection;
  std::size_t count = 0;
  std::optional<joined_ranges<T>> joined;

  sort_ranges_call(Terms, Ranges& given_ranges, const Compare& given_compare, const Projection& given_projection)
      : ranges{given_ranges}, compare{given_compare}, projection{given_projection} {}

  [[nodiscard]] bool done_at_once(const execution_options&) {
    if constexpr (by_kernels) joined.emplace(ranges);
    count = by_kernels ? joined->total : detail::size_of(ranges);
    return by_kernels && count == 0;
  }
  [[nodiscard]] std::vector<location> locations() const {
    std::vector<location> all;
    if constexpr (by_kernels)
      for (T* const first : joined->firsts) all.push_back(detail::locate(first));
    else
      all.emplace_back();
    return all;
  }
  [[nodiscard]] workload describe(const location& at) const {
    return detail::describe<sort_ranges_call, T, Compare, Projection>(
        Terms::stable ? operation::segmented_stable_sort : operation::segmented_sort, at, count);
  }
  void on_device(algorithm how, const location* at, const execution_options& options) {
    if constexpr (by_kernels) {
      const std::span<const location> locations{at, joined->firsts.size()};
      if (!host_reaches(detail::ruling_location(locations))) return sort_in_place(locations, how, options);
      host::buffer<T> copy{count};
      joined->each(copy.data(), [](T* own, T* there, std::size_t size) { host::relocate(there, own, size); });
      sort(copy.data(), count, how, options);
      joined->each(copy.data(), [](T* own, T* there, std::size_t size) { host::relocate(own, there, size); });
    }
    (void)how, (void)at, (void)options;
  }
  void on_host(algorithm, const execution_options&) const {
    detail::sort_ranges_on_host<Terms::stable>(ranges, compare, projection);
  }

 private:
  /// Sorts ranges in device memory in place, as segments relative to the lowest address.
  void sort_in_place(std::span<const location> locations, algorithm how, const execution_options& options) {
    for (const location& each : locations)
      if (host_reaches(each)) refuse(errc::host_unreachable, "some of the ranges are in device memory, others are not");
    if (!joined->stay_in_place()) refuse(errc::invalid_range, "ranges in device memory must lie whole elements apart");
    sort(joined->lowest_address(), joined->extent(), how, options);
  }
  void sort(T* data, std::size_t n, algorithm how, const execution_options& options) const {
    const located_segments segments = joined->segments();
    const sort_segments_call call{Terms{}, single_keys{data, compare, projection}, n, segments};
    call.on_device(how, call.locations().data(), options);
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
