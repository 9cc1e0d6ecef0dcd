// The calls with a policy over ranks, between the public functions and sort_over().
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "../../sort.hpp"
#include "sort.hpp"

namespace gpu::inline v1::detail {

/// Elements that a rank can send as bytes.
template <class Iterator>
concept part_iterator = random_access_iterator<Iterator> && is_contiguous_v<Iterator>;
template <class Range>
concept part_range = random_access_range<Range> && part_iterator<std::ranges::iterator_t<Range>>;

/// A comparator and a projection, either of which may be omitted, that can be called with these elements.
template <class Compare, class Projection, class Iterator, class Elements>
concept ordered_by = callable_projection<argument_or_default<Projection, std::identity>, Iterator> &&
                     callable_comparator<argument_or_default<Compare, default_less<Elements>>,
                                         argument_or_default<Projection, std::identity>, Iterator>;

/// A column whose elements stay where they are.
template <class T>
part_column<T> in_place(T* data) {
  return {data, data};
}

/// Returns count; refuses null pointers if count > 0.
template <class... Pointers>
std::size_t with_memory(std::size_t count, Pointers... pointers) {
  (detail::require_memory(pointers, count), ...);
  return count;
}

inline namespace GPUPAR_UNIT {

template <bool Stable, class Policy, part_iterator Iterator, end_of<Iterator> Sentinel, class Compare = left_out,
          class Projection = left_out>
  requires ordered_by<Compare, Projection, Iterator, Iterator>
Iterator over_ranks(std::type_identity<sort_function<Stable>>, const Policy& policy, communicator& ranks,
                    Iterator first, Sentinel last, const Compare& compare = {}, const Projection& projection = {}) {
  const auto call = detail::enter(Stable ? "stable_sort" : "sort", [&] {
    return detail::with_memory(detail::count_of(first, last), detail::address_of(first));
  });
  detail::sort_over<Stable, residence_of<Iterator>, Policy::where>(
      ranks, policy.options(), call, detail::given<default_less<Iterator>>(compare),
      detail::given<std::identity>(projection), detail::in_place(detail::address_of(first)));
  return detail::advanced(first, call.before);
}

template <bool Stable, class Policy, part_range Range, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, std::ranges::iterator_t<Range>, Range>
std::ranges::borrowed_iterator_t<Range> over_ranks(std::type_identity<sort_function<Stable>>, const Policy& policy,
                                                   communicator& ranks, Range&& range, const Compare& compare = {},
                                                   const Projection& projection = {}) {
  auto* const data = detail::address_of(std::ranges::begin(range));
  const auto call =
      detail::enter(Stable ? "stable_sort" : "sort", [&] { return detail::with_memory(detail::size_of(range), data); });
  detail::sort_over<Stable, residence_of<Range>, Policy::where>(
      ranks, policy.options(), call, detail::given<default_less<Range>>(compare),
      detail::given<std::identity>(projection), detail::in_place(data));
  return detail::advanced(std::ranges::begin(range), call.before);
}

template <bool Stable, class Policy, part_iterator Keys, end_and_no_column_of<Keys> Sentinel, class... Arguments>
  requires columns_and_callable_comparator<iterators_and_order<Arguments...>, Keys>
Keys over_ranks(std::type_identity<sort_by_key_function<Stable>>, const Policy& policy, communicator& ranks,
                Keys keys_first, const Sentinel& keys_last, Arguments... values_and_order) {
  return detail::with_columns_and_order<iterators_and_order<Arguments...>, Keys>(
      [&](const auto& compare, const auto& projection, const auto&... values) {
        auto* const keys = detail::address_of(keys_first);
        const auto call = detail::enter(Stable ? "stable_sort_by_key" : "sort_by_key", [&] {
          return detail::with_memory(detail::count_of(keys_first, keys_last), keys, detail::address_of(values)...);
        });
        constexpr residence memory = residence_of<Keys, std::remove_cvref_t<decltype(values)>...>;
        detail::sort_over<Stable, memory, Policy::where>(ranks, policy.options(), call, compare, projection,
                                                         detail::in_place(keys),
                                                         detail::in_place(detail::address_of(values))...);
        return detail::advanced(keys_first, call.before);
      },
      values_and_order...);
}

template <bool Stable, class Policy, part_range Keys, class... Arguments>
  requires columns_and_callable_comparator<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>
std::ranges::borrowed_iterator_t<Keys> over_ranks(std::type_identity<sort_by_key_function<Stable>>,
                                                  const Policy& policy, communicator& ranks, Keys&& keys,
                                                  Arguments&&... values_and_order) {
  return detail::with_columns_and_order<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>(
      [&](const auto& compare, const auto& projection, auto&... values) {
        auto* const first = detail::address_of(std::ranges::begin(keys));
        const auto call = detail::enter(Stable ? "stable_sort_by_key" : "sort_by_key", [&] {
          const std::size_t count = detail::size_of(keys);
          (detail::require_room(detail::size_of(values), count), ...);
          return detail::with_memory(count, first, detail::address_of(std::ranges::begin(values))...);
        });
        constexpr residence memory = residence_of<Keys, decltype(values)...>;
        detail::sort_over<Stable, memory, Policy::where>(
            ranks, policy.options(), call, compare, projection, detail::in_place(first),
            detail::in_place(detail::address_of(std::ranges::begin(values)))...);
        return detail::advanced(std::ranges::begin(keys), call.before);
      },
      values_and_order...);
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
