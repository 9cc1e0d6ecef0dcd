// Segmented sorts between the public functions and the backends: describe the work, let choose() decide, call one side.
#pragma once

#include <array>
#include <concepts>
#include <iterator>
#include <numeric>
#include <ranges>
#include <type_traits>

#include "arguments.hpp"
#include "by_key.hpp"
#include "host/segments.hpp"
#include "segments.hpp"
#if defined(__CUDACC__)
#include "device/segmented/elements.cuh"
#endif

namespace gpu {
inline namespace v1 {
namespace detail {

/// Offsets of segments: integers of 32 or 64 bits.
template <class Range>
concept offset_range = random_access_range<Range> && index_integer<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

/// Segments where the caller has them, and where that is.
struct placed_segments {
  segment_bounds bounds;
  location begins_at;
  location ends_at;

  [[nodiscard]] bool reached_by_host() const { return host_reaches(begins_at) && host_reaches(ends_at); }
  /// Whether the host may look at them while a stream works.
  [[nodiscard]] bool at_hand() const {
    return begins_at.kind == memory_kind::pageable && ends_at.kind == memory_kind::pageable;
  }
};

/// Calls use(address) with the integers of a range side by side.
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

/// Calls use(segments) with those between neighbouring offsets.
template <class Offsets, class Use>
decltype(auto) with_segments(const Use& use, Offsets& offsets) {
  return detail::with_integers(offsets, [&]<class Integer>(const Integer* first) -> decltype(auto) {
    const std::size_t count = detail::size_of(offsets);
    const location at = detail::locate(first);
    const std::size_t segments = count > 0 ? count - 1 : 0;
    return use(placed_segments{
        {first, segments > 0 ? first + 1 : first, segments, sizeof(Integer), std::is_signed_v<Integer>}, at, at});
  });
}

/// The same for segments with gaps between them.
template <class Begins, class Ends, class Use>
decltype(auto) with_segments(const Use& use, Begins& begins, Ends& ends) {
  using integer = std::remove_cv_t<std::ranges::range_value_t<Begins>>;
  static_assert(std::is_same_v<integer, std::remove_cv_t<std::ranges::range_value_t<Ends>>>,
                "gpu: begins and ends of segments must be integers of the same type");
  const std::size_t count = detail::size_of(begins);
  detail::require_room(detail::size_of(ends), count);
  return detail::with_integers(begins, [&](const integer* first) -> decltype(auto) {
    return detail::with_integers(ends, [&](const integer* last) -> decltype(auto) {
      return use(placed_segments{{first, last, count, sizeof(integer), std::is_signed_v<integer>},
                                 detail::locate(first),
                                 detail::locate(last)});
    });
  });
}

/// Sorts a segment on the host.
template <bool Stable, class T, class Compare, class Projection>
void sort_segment(T* data, std::size_t count, const Compare& compare, const Projection& projection) {
  using order = ordering<T, Compare, Projection>;
  if (count < 2) return;
  if constexpr (order::natural && host::compact<T>) {
    constexpr std::size_t merged = 128;  // sorts by digits take longer to begin
    if (count <= merged) {
      const element_less<T, Compare, Projection> less{compare, projection};
      if (count > 2) return host::merge_sort_few<merged>(data, count, less);
      const T first = data[0], second = data[1];  // no branch: where all have two, it would be wrong every other time
      const bool exchanged = less(second, first);
      data[0] = exchanged ? second : first;
      data[1] = exchanged ? first : second;
      return;
    }
  } else if constexpr (host::compact<T> && !order::textual) {
    constexpr std::size_t few = host::default_tuning::insertion_limit;
    if (count <= few) {
      const element_less<T, Compare, Projection> less{compare, projection};
      if constexpr (Stable) return host::merge_sort_few<few>(data, count, less);
      return host::sort_few<host::default_tuning>(data, count, less);
    }
  }
  detail::sort_on_host<Stable>(data, count, compare, projection,
                               order::natural ? algorithm::radix : algorithm::automatic);
}

/// Writes the permutation that sorts a segment on the host, stably.
template <class Index, class Keys, class Compare, class Projection>
void order_segment(const Keys& keys, std::size_t count, const Compare& compare, const Projection& projection,
                   Index* indices) {
  using T = compared_element<Keys>;
  constexpr std::size_t few = host::default_tuning::insertion_limit;
  if (count <= few) {
    std::iota(indices, indices + count, Index{0});
    const element_less<T, Compare, Projection> less{compare, projection};
    const auto by_element = [&](Index i, Index j) {
      return less(*detail::advanced(keys, static_cast<std::size_t>(i)),
                  *detail::advanced(keys, static_cast<std::size_t>(j)));
    };
    return host::merge_sort_few<few>(indices, count, by_element);
  }
  constexpr bool by_codes = ordering<T, Compare, Projection>::natural;
  const auto order = detail::order_on_host<true, Index>(keys, count, compare, projection,
                                                        by_codes ? algorithm::radix : algorithm::automatic);
  std::copy_n(order.data(), count, indices);
}

/// Calls visit(i, begin, count) on the host for every segment, number i, several at the same time unless neighbours
/// share words. All bounds are valid.
template <bool SharesWords, class Visit>
void visit_each_segment(const placed_segments& segments, std::size_t n, const Visit& visit) {
  const segment_bounds& bounds = segments.bounds;
  const auto visit_integers = [&]<class Integer>(Integer, std::size_t first, std::size_t last) {
    const auto *const begins = static_cast<const Integer*>(bounds.begins), *const ends =
                                                                               static_cast<const Integer*>(bounds.ends);
    for (std::size_t i = first; i < last; ++i)
      visit(i, static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(ends[i] - begins[i]));
  };
  const auto visit_part = [&](std::size_t first, std::size_t last) {
    if (bounds.bytes == sizeof(std::uint32_t)) return visit_integers(std::uint32_t{}, first, last);
    visit_integers(std::uint64_t{}, first, last);
  };
  if constexpr (SharesWords)
    visit_part(0, segments.bounds.count);
  else
    host::for_segments(segments.bounds, n, visit_part);
}
/// The same with sort(begin, count).
template <bool SharesWords, class Sort>
void sort_each_segment(const placed_segments& segments, std::size_t n, const Sort& sort) {
  detail::visit_each_segment<SharesWords>(
      segments, n, [&](std::size_t, std::size_t begin, std::size_t count) { sort(begin, count); });
}

/// Does segmented work where the plan says, the host's by calling on_host(), if it can, the device's by on_device().
template <bool HostServes, class OnDevice, class OnHost>
void carry_out_segmented(const workload& work, const execution_options& options, const placed_segments& segments,
                         std::size_t n, const OnDevice& on_device, const OnHost& on_host) {
  const plan decided = detail::decide(work, options);
  announce(work, decided);
  const auto require_valid = [&] { require_segments(segments.bounds, n); };
  if (decided.where == backend::device) {
    if (segments.at_hand()) require_valid();
    if (detail::attempt<HostServes>(work.at, on_device)) return;
    (void)detail::take_over(work, options);
  }
  if constexpr (HostServes) {
    if (decided.where == backend::host) {
      await_stream(segments.begins_at, options);
      await_stream(segments.ends_at, options);
    }
    require_valid();
    on_host();
  } else {
    refuse_device_callable();
  }
}

inline namespace GPUPAR_UNIT {

/// Kernels bring everything about a segmented call to the device, or nothing.
template <class Keys, class Compare, class Projection, placement Where, class... Others>
constexpr device_way segmented_way() {
  constexpr device_way way = detail::way_of_columns<Keys, Compare, Projection, Where, Others...>();
  return way == device_way::keys_by_index ? device_way::none : way;
}

/// Sorts the segments of contiguous elements.
template <bool Stable, residence Memory, placement Where, class T, class Compare, class Projection>
void sort_segments(const execution_options& options, T* data, std::size_t n, const placed_segments& segments,
                   const Compare& compare, const Projection& projection) {
  constexpr device_way way = detail::segmented_way<T*, Compare, Projection, Where>();
  detail::require_way<way, Where, Memory>();
  const std::array places{detail::locate(data), segments.begins_at, segments.ends_at};
  const auto work = detail::describe<way, Memory, T, Compare, Projection>(
      Stable ? operation::segmented_stable_sort : operation::segmented_sort, detail::ruling_location(places), n);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled)
      detail::device_sort_segments(
          {detail::keyed(data, compare, projection), n, segments.bounds, nullptr, 0, Stable, column{}, places.data()},
          options);
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated)
      device::sort_element_segments(options, data, n, segments.bounds,
                                    device::compare_elements<T, Compare, Projection>{compare, projection}, nullptr, 0);
#endif
  };
  detail::carry_out_segmented<host_may_serve<Where, Memory, Compare, Projection>>(
      work, options, segments, n, on_device, [&] {
        if constexpr (host_may_serve<Where, Memory, Compare, Projection>)
          detail::sort_each_segment<false>(segments, n, [&](std::size_t begin, std::size_t count) {
            detail::sort_segment<Stable>(data + begin, count, compare, projection);
          });
      });
}

/// Sorts the segments of keys, and value columns with them.
template <bool Stable, residence Memory, placement Where, class Keys, class Compare, class Projection, class... Values>
void sort_column_segments(const execution_options& options, const Keys& keys, std::size_t n,
                          const placed_segments& segments, const Compare& compare, const Projection& projection,
                          const Values&... values) {
  using T = compared_element<Keys>;
  constexpr device_way way = detail::segmented_way<Keys, Compare, Projection, Where, Values...>();
  detail::require_way<way, Where, Memory>();
  const auto require_elements = [&](const auto& first) {
    if constexpr (is_contiguous_v<std::remove_cvref_t<decltype(first)>>)
      detail::require_memory(detail::address_of(first), n);
  };
  require_elements(keys);
  (require_elements(values), ...);
  constexpr std::size_t columns_count = sizeof...(Values);
  const std::array places{detail::locate_iterator(keys), detail::locate_iterator(values)..., segments.begins_at,
                          segments.ends_at};
  auto work = detail::describe<way, Memory, T, Compare, Projection>(
      Stable ? operation::segmented_stable_sort_by_key : operation::segmented_sort_by_key,
      detail::ruling_location(places), n);
  work.element_bytes = sizeof(std::iter_value_t<Keys>);
  work.value_columns = columns_count;
  if constexpr (!keys_are_at_hand_v<Keys, Compare, Projection>) work.key = {};
  work.value_bytes = (sizeof(std::iter_value_t<Values>) + ...);
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled || way == device_way::instantiated) {
      const std::array<column, columns_count> columns{detail::as_column(values)...};
      if constexpr (way == device_way::precompiled)
        detail::device_sort_segments({detail::keyed(detail::address_of(keys), compare, projection), n, segments.bounds,
                                      columns.data(), columns.size(), Stable, column{}, places.data()},
                                     options);
#if defined(__CUDACC__)
      else
        device::sort_element_segments(options, detail::address_of(keys), n, segments.bounds,
                                      device::compare_elements<T, Compare, Projection>{compare, projection},
                                      columns.data(), columns.size());
#endif
    }
  };
  detail::carry_out_segmented<host_may_serve<Where, Memory, Compare, Projection>>(
      work, options, segments, n, on_device, [&] {
        if constexpr (host_may_serve<Where, Memory, Compare, Projection>) {
          constexpr bool shared = shares_words_v<Keys> || (shares_words_v<Values> || ...);
          constexpr bool by_codes = ordering<T, Compare, Projection>::natural;
          detail::sort_each_segment<shared>(segments, n, [&](std::size_t begin, std::size_t count) {
            if (count < 2) return;
            detail::sort_columns_on_host<Stable>(detail::advanced(keys, begin), count, compare, projection,
                                                 by_codes ? algorithm::radix : algorithm::automatic,
                                                 detail::advanced(values, begin)...);
          });
        }
      });
}

/// Writes the stable sorting permutation of every segment to contiguous unsigned indices.
template <residence Memory, placement Where, class Index, class Keys, class Compare, class Projection>
void order_segments(const execution_options& options, const Keys& keys, std::size_t n, const placed_segments& segments,
                    const Compare& compare, const Projection& projection, Index* indices) {
  using T = compared_element<Keys>;
  constexpr device_way way = detail::segmented_way<Keys, Compare, Projection, Where>();
  detail::require_way<way, Where, Memory>();
  if constexpr (is_contiguous_v<Keys>) detail::require_memory(detail::address_of(keys), n);
  detail::require_memory(indices, n);
  const std::array places{detail::locate_iterator(keys), detail::locate(indices), segments.begins_at, segments.ends_at};
  auto work = detail::describe<way, Memory, T, Compare, Projection>(operation::segmented_argsort,
                                                                    detail::ruling_location(places), n);
  work.element_bytes = sizeof(std::iter_value_t<Keys>);
  work.value_columns = 1;
  work.value_bytes = sizeof(Index);
  if constexpr (!keys_are_at_hand_v<Keys, Compare, Projection>) work.key = {};
  const auto on_device = [&] {
    if constexpr (way == device_way::precompiled)
      detail::device_sort_segments({detail::keyed(detail::address_of(keys), compare, projection),
                                    n,
                                    segments.bounds,
                                    nullptr,
                                    0,
                                    true,
                                    {indices, sizeof(Index)},
                                    places.data()},
                                   options);
#if defined(__CUDACC__)
    else if constexpr (way == device_way::instantiated)
      device::order_element_segments(options, detail::address_of(keys), n, segments.bounds,
                                     device::compare_elements<T, Compare, Projection>{compare, projection}, indices);
#endif
  };
  detail::carry_out_segmented<host_may_serve<Where, Memory, Compare, Projection>>(
      work, options, segments, n, on_device, [&] {
        if constexpr (host_may_serve<Where, Memory, Compare, Projection>)
          detail::sort_each_segment<false>(segments, n, [&](std::size_t begin, std::size_t count) {
            detail::order_segment(detail::advanced(keys, begin), count, compare, projection, indices + begin);
          });
      });
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
