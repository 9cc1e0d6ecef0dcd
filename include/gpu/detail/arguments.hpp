// The arguments of the by-key functions: any number of value columns, then perhaps a comparator and a projection.
#pragma once

#include <tuple>

#include "iterator.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// How many of the flags are true before the first false one.
template <bool... Flags>
constexpr std::size_t count_leading() {
  std::size_t count = 0;
  (void)((Flags && ++count) && ...);
  return count;
}

template <std::size_t Index, class Default, class... Arguments>
struct argument_or {
  using type = Default;
};
template <std::size_t Index, class Default, class... Arguments>
  requires(Index < sizeof...(Arguments))
struct argument_or<Index, Default, Arguments...> {
  using type = std::decay_t<std::tuple_element_t<Index, std::tuple<Arguments...>>>;
};

/// Columns values, then [comparator, [projection]], among Arguments.
template <std::size_t Columns, class... Arguments>
struct columns_and_order {
  static constexpr std::size_t columns = Columns;
  template <class Keys>
  using compare = typename argument_or<Columns, default_less<Keys>, Arguments...>::type;
  using projection = typename argument_or<Columns + 1, std::identity, Arguments...>::type;
  static constexpr bool complete = Columns >= 1 && sizeof...(Arguments) <= Columns + 2;
};

template <class Range>
concept rearrangeable_range = random_access_range<Range> && rearrangeable<std::ranges::iterator_t<Range>>;

template <class Integer>
concept index_integer = std::is_integral_v<Integer> && (sizeof(Integer) == 4 || sizeof(Integer) == 8);
template <class Iterator>
concept index_iterator = rearrangeable<Iterator> && index_integer<std::iter_value_t<Iterator>>;
template <class Range>
concept index_range = rearrangeable_range<Range> && index_integer<std::ranges::range_value_t<Range>>;

/// What multiway merges take: ranges that are there after a look at them.
template <class Ranges>
concept range_of_lasting_ranges =
    random_access_range<Ranges> && random_access_range<std::ranges::range_reference_t<Ranges>> &&
    std::ranges::borrowed_range<std::ranges::range_reference_t<Ranges>>;

template <class... Arguments>
using iterators_and_order =
    columns_and_order<detail::count_leading<rearrangeable<std::remove_cvref_t<Arguments>>...>(), Arguments...>;
template <class... Arguments>
using ranges_and_order = columns_and_order<detail::count_leading<rearrangeable_range<Arguments>...>(), Arguments...>;

/// At least one value column, then a comparator and projection that can be called with the keys, or fewer of these.
template <class Split, class Keys>
concept columns_and_callable_comparator =
    Split::complete && callable_projection<typename Split::projection, Keys> &&
    callable_comparator<typename Split::template compare<Keys>, typename Split::projection, Keys>;

/// Calls work(compare, projection, columns...) with the comparator for these keys.
template <class Split, class Keys, class Work, class... Arguments>
decltype(auto) with_columns_and_order(Work&& work, Arguments&&... arguments) {
  const auto all = std::forward_as_tuple(arguments...);
  const auto pick = [&]<std::size_t Index, class T>(std::integral_constant<std::size_t, Index>, std::type_identity<T>) {
    if constexpr (Index < sizeof...(Arguments))
      return T(std::get<Index>(all));
    else
      return T{};
  };
  return [&]<std::size_t... Column>(std::index_sequence<Column...>) -> decltype(auto) {
    return work(pick(std::integral_constant<std::size_t, Split::columns>{},
                     std::type_identity<typename Split::template compare<Keys>>{}),
                pick(std::integral_constant<std::size_t, Split::columns + 1>{},
                     std::type_identity<typename Split::projection>{}),
                std::get<Column>(all)...);
  }(std::make_index_sequence<Split::columns>{});
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
