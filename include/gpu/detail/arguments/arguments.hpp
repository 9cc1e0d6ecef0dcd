// The arguments of the by-key functions: any number of value columns, then optionally a comparator and a projection.
#pragma once

#include <functional>
#include <ranges>
#include <tuple>
#include <utility>

#include "iterator.hpp"

namespace gpu::inline v1::detail {

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

/// A range of integers that are read as indices.
template <class Range>
concept readable_indices = random_access_range<Range> && index_integer<std::ranges::range_value_t<Range>>;

/// A range to whose elements the elements of another can be assigned.
template <class Target, class Source>
concept copied_from =
    random_access_range<Source> && rearrangeable_range<Target> &&
    std::is_assignable_v<std::ranges::range_reference_t<Target>, std::ranges::range_reference_t<Source>>;

/// Anything that indices can be written to: integers in memory, or an output iterator.
template <class Output, class Index>
concept index_output =
    index_iterator<std::decay_t<Output>> ||
    (std::move_constructible<std::decay_t<Output>> && !std::ranges::range<Output> &&
     !random_access_iterator<std::decay_t<Output>> && requires(std::decay_t<Output>& output, Index index) {
       *output = index;
       ++output;
     });

template <class Index>
concept order_index = index_integer<Index> && !std::is_same_v<std::remove_cv_t<Index>, bool>;

/// Arguments of multiway merges: the inner ranges must remain valid after they have been accessed.
template <class Ranges>
concept range_of_lasting_ranges =
    random_access_range<Ranges> && random_access_range<std::ranges::range_reference_t<Ranges>> &&
    std::ranges::borrowed_range<std::ranges::range_reference_t<Ranges>>;

template <class... Arguments>
using iterators_and_order =
    columns_and_order<detail::count_leading<rearrangeable<std::remove_cvref_t<Arguments>>...>(), Arguments...>;
template <class... Arguments>
using ranges_and_order = columns_and_order<detail::count_leading<rearrangeable_range<Arguments>...>(), Arguments...>;

/// At least one value column, then optionally a comparator and a projection that can be called with the keys.
template <class Split, class Keys>
concept columns_and_callable_comparator =
    Split::complete && callable_projection<typename Split::projection, Keys> &&
    callable_comparator<typename Split::template compare<Keys>, typename Split::projection, Keys>;

/// The direction of one key column, and below the directions of all.
template <class Compare>
struct column_direction {
  using compare_type = Compare;
};
template <class T>
inline constexpr bool is_direction_v = false;
template <class Compare>
inline constexpr bool is_direction_v<column_direction<Compare>> = true;

template <class... Compares>
struct column_directions {
  static constexpr std::size_t count = sizeof...(Compares);
};
template <class T>
inline constexpr bool are_directions_v = false;
template <class... Compares>
inline constexpr bool are_directions_v<column_directions<Compares...>> = true;

/// A tuple of ranges, as std::tie makes it of columns.
template <class T>
inline constexpr bool is_column_tuple_v = false;
template <class... Columns>
inline constexpr bool is_column_tuple_v<std::tuple<Columns...>> = sizeof...(Columns) > 0 &&
                                                                  (std::ranges::range<Columns> && ...);

template <class Elements>
concept has_natural_order =
    says_whether<std::ranges::less&, typename element_types<Elements>::value, typename element_types<Elements>::value>;

/// Key columns: random-access ranges, writable if Writes.
template <bool Writes, class T>
inline constexpr bool are_key_columns_v = false;
template <bool Writes, class... Columns>
  requires is_column_tuple_v<std::tuple<Columns...>>
inline constexpr bool are_key_columns_v<Writes, std::tuple<Columns...>> =
    ((random_access_range<Columns> && (!Writes || rearrangeable_range<Columns>) &&
      (std::is_lvalue_reference_v<Columns> || std::ranges::borrowed_range<Columns>)) &&
     ...);
template <class T>
inline constexpr bool columns_compare_v = false;
template <class... Columns>
inline constexpr bool columns_compare_v<std::tuple<Columns...>> = (has_natural_order<Columns> && ...);

template <class Indices>
struct all_ascending;
template <std::size_t... Index>
struct all_ascending<std::index_sequence<Index...>> {
  using type =
      column_directions<std::conditional_t<(Index < static_cast<std::size_t>(-1)), std::ranges::less, void>...>;
};

/// Splits the arguments after key columns into optional directions and others.
template <class Keys, class... Arguments>
struct directions_and_others {};
template <class Keys, class... Arguments>
  requires is_column_tuple_v<Keys>
struct directions_and_others<Keys, Arguments...> {
  using directions = typename all_ascending<std::make_index_sequence<std::tuple_size_v<Keys>>>::type;
  static constexpr std::size_t given = 0;
  static constexpr bool fit = true;
};
template <class Keys, class First, class... Others>
  requires is_column_tuple_v<Keys> && are_directions_v<std::remove_cvref_t<First>>
struct directions_and_others<Keys, First, Others...> {
  using directions = std::remove_cvref_t<First>;
  static constexpr std::size_t given = 1;
  static constexpr bool fit = directions::count == std::tuple_size_v<Keys>;
};

template <bool Writes, class Keys, class... Arguments>
concept key_columns_and_directions =
    are_key_columns_v<Writes, Keys> && columns_compare_v<Keys> && directions_and_others<Keys, Arguments...>::fit;

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

}  // namespace gpu::inline v1::detail
